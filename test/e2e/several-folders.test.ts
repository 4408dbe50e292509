import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { runRows } from "./support/tool-calls.ts";
import { initRepository } from "./support/tool-project.ts";
import { bad, good } from "./support/tool-rows/tool-row.ts";
import { useWorkbench } from "./support/workbench.ts";

const tasks = (command: string, ...labels: string[]) =>
  JSON.stringify({ version: "2.0.0", tasks: labels.map((label) => ({ label, type: "shell", command })) });

const workbench = useWorkbench({
  files: {
    "api/src/a.ts": "export const a = 1;\n",
    "api/.vscode/tasks.json": tasks("true", "build"),
    "web/src/b.ts": "export const b = 1;\n",
    "web/.vscode/tasks.json": tasks("exit 3", "build", "pack"),
    "lib/c.txt": "c\n",
    "lib/.vscode/tasks.json": tasks("true", "pack"),
    "all.code-workspace": JSON.stringify({ folders: [{ path: "api" }, { path: "web" }, { path: "lib" }] }),
  },
  settings: { "tiller.permissionMode": "auto" },
});

test("complaint 20: the agent works in the wrong one of several folders. Git, tasks and terminals are those of the folder that is meant", async () => {
  const root = workbench().server.workspace;
  initRepository(join(root, "api"));
  initRepository(join(root, "web"));
  await writeFile(join(root, "web/src/b.ts"), "export const b = 2;\n");
  await writeFile(join(root, "web/fresh.txt"), "");
  const opened = await workbench().openChat({ folder: join(root, "all.code-workspace") });
  await opened.chat.getByRole("button", { name: "Folder: api" }).waitFor();
  await runRows(workbench(), opened, [
    [
      good("vscode_git", { what: "status" }, "Branch main; nothing has changed."),
      good("vscode_git", { what: "status", path: "web" }, "changed: web/src/b.ts", "new: web/fresh.txt"),
      good("vscode_git", { what: "diff", path: "web/src/b.ts" }, "+export const b = 2;"),
      good("vscode_git_stage", { paths: ["web/src/b.ts"] }, "Staged 1 file."),
      good("vscode_list_tasks", {}, /build \(api\).*\nbuild \(web\).*\npack \(lib\)\npack \(web\)/),
      bad("vscode_run_task", { task: "pack" }, 'There are 2 tasks "pack". Say which one: pack ('),
      // At the same time, so in different terminals.
      good("vscode_run_in_terminal", { command: "pwd; cd src" }, /^Ended with exit code 0\.\n.*\/api$/),
      good("vscode_run_in_terminal", { command: "sleep 1; pwd" }, /^Ended with exit code 0\.\n.*\/api$/),
    ],
    [
      good("vscode_run_task", { task: "build" }, "build (api) ended with exit code 0."),
      good("vscode_run_in_terminal", { command: "pwd" }, /^It ran in .*\/api\/src, where the shell was\. Ended/),
    ],
    [
      good(
        "vscode_run_task",
        { task: "build (web)" },
        "build (web) ended with exit code 3.\nThe editor knows of no problems. Run its command with bash",
      ),
    ],
  ]);

  await opened.runCommand("Tiller: New Session");
  await opened.quickPickOption(/^web/).click();
  await opened.chat.getByRole("button", { name: "Folder: web" }).waitFor();
  await runRows(workbench(), opened, [
    [good("vscode_run_in_terminal", { command: "pwd" }, /^Ended with exit code 0\.\n.*\/web$/)],
    [good("vscode_git", { what: "staged" }, "What is staged:", "+export const b = 2;")],
  ]);
});
