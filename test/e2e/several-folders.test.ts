import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { runRows } from "./support/tool-calls.ts";
import { initRepository } from "./support/tool-project.ts";
import { bad, good } from "./support/tool-rows/tool-row.ts";
import { typeInto, unsaved } from "./support/unsaved-changes.ts";
import { useWorkbench } from "./support/workbench.ts";

const tasks = (command: string, ...labels: string[]) =>
  JSON.stringify({ version: "2.0.0", tasks: labels.map((label) => ({ label, type: "shell", command })) });

const workbench = useWorkbench({
  files: {
    "api/src/a.ts": "export const a = 1;\n",
    "api/.vscode/tasks.json": tasks("true", "build"),
    "web/src/b.ts": "export const b = 1;\n",
    "web/.vscode/tasks.json": tasks("exit 3", "build", "pack"),
    "web/.gitignore": "dist/\n",
    "web/dist/c.ts": "",
    "lib/c.txt": "c\n",
    "lib/.vscode/settings.json": JSON.stringify({ "files.encoding": "windows1252" }),
    "lib/.vscode/tasks.json": tasks("true", "pack"),
    "all.code-workspace": JSON.stringify({ folders: [{ path: "api" }, { path: "web" }, { path: "lib" }] }),
  },
  settings: { "tiller.permissionMode": "auto", "files.autoSave": "off" },
});

test("Git, tasks and terminals use the right one of several folders", async () => {
  const root = workbench().server.workspace;
  initRepository(join(root, "api"));
  initRepository(join(root, "web"));
  await writeFile(join(root, "web/src/b.ts"), "export const b = 2;\n");
  await writeFile(join(root, "web/fresh.txt"), "");
  await writeFile(join(root, "lib/western.txt"), Buffer.from("spät\n", "latin1"));
  await writeFile(join(root, "lib/wide.txt"), Buffer.from("\ufeffspäter\n", "utf16le"));
  const opened = await workbench().openChat({ folder: join(root, "all.code-workspace") });
  await opened.chat.getByRole("button", { name: "Folder: api" }).waitFor();
  await runRows(workbench(), opened, [
    [
      good("vscode_git", { what: "status" }, "Branch main; nothing has changed."),
      good("vscode_git", { what: "status", path: "web" }, "changed: web/src/b.ts", "new: web/fresh.txt"),
      good("vscode_git", { what: "diff", path: "web/src/b.ts" }, "+export const b = 2;"),
      good("vscode_git_stage", { paths: ["web/src/b.ts"] }, "Staged 1 file."),
      good("vscode_find_files", { glob: "web/src/*.ts" }, /^1 file fit "web\/src\/\*\.ts":\nweb\/src\/b\.ts$/),
      good(
        "vscode_find_files",
        { glob: "**/*.ts", exclude: "**/{b,d}.*" },
        /^1 file fit .*, without 1 that git ignores \(gitIgnored lists them\):\napi\/src\/a\.ts$/,
      ),
      good("vscode_find_files", { glob: "**/*.ts", gitIgnored: true }, "3 files fit", "\nweb/dist/c.ts\n"),
      good("vscode_find_files", { glob: "dist/*.ts" }, "1 file fit", "\nweb/dist/c.ts"),
      good(
        "vscode_search_text",
        { text: "spät" },
        /^2 lines in 2 of \d+ files:\nlib\/western\.txt:1: spät\nlib\/wide\.txt:1: später$/,
      ),
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

  await opened.runCommand("Tiller: New Chat");
  await opened.quickPickOption(/^web/).click();
  await opened.chat.getByRole("button", { name: "Folder: web" }).waitFor();
  await runRows(workbench(), opened, [
    [good("vscode_run_in_terminal", { command: "pwd" }, /^Ended with exit code 0\.\n.*\/web$/)],
    [good("vscode_git", { what: "staged" }, "What is staged:", "+export const b = 2;")],
  ]);
});

test("a file with unsaved changes is asked about in a project that was opened through a link", async () => {
  const root = workbench().server.workspace;
  const link = join(root, "linked");
  await symlink(join(root, "lib"), link);
  await workbench().script(
    reply([toolCall("edit", { path: "c.txt", edits: [{ oldText: "c", newText: "d" }] })]),
    reply("Changed it."),
  );
  const opened = await workbench().openChat({ folder: link });
  await typeInto(opened, join(link, "c.txt"));
  await opened.send("Go");
  await opened
    .question("The agent wants to change c.txt, which has unsaved changes.")
    .getByRole("button", { name: "Change Without Saving" })
    .click();
  await opened.conversation.getByText("Changed it.").waitFor();
  expect(await unsaved(opened)).toEqual(["c.txt"]);
  expect(await readFile(join(link, "c.txt"), "utf8")).toBe("c\n");
  const texts = await opened.evaluate((vscode) =>
    vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map((document) => document.getText()),
  );
  expect(texts).toEqual(["mine\nd\n"]);
});
