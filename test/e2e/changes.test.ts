import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { useWorkbench } from "./support/workbench.ts";

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join("");
const workbench = useWorkbench({
  files: { "a.txt": LINES, "b.txt": LINES, "c.txt": "old\n", ".gitignore": "out/\n" },
  settings: { "tiller.permissionMode": "auto" },
});

const folder = () => workbench().server.workspace;
const read = (name: string) => readFile(join(folder(), name), "utf8");

function git(...args: string[]): string {
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
  return execFileSync("git", [...who, ...args], { cwd: folder(), encoding: "utf8" });
}

/** What waits to be judged: names and numbers of lines, as the view says it. */
async function waiting(opened: EditorWindow): Promise<string[]> {
  const rows = await opened.page
    .getByRole("tree", { name: /Changes/ })
    .getByRole("treeitem")
    .allTextContents();
  return rows.map((row) => row.trim());
}

const run = (opened: EditorWindow, command: string, ...args: unknown[]) =>
  opened.evaluate((vscode, call) => vscode.commands.executeCommand(call?.command ?? "", ...(call?.args ?? [])), {
    command,
    args,
  });

beforeAll(() => {
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
});

test("complaint 9: changes cannot be judged one by one. What edits, writes and a shell command changed is what git says; hunks are undone, and a turn is taken back", async () => {
  await workbench().script(
    reply([
      toolCall("edit", {
        path: "a.txt",
        edits: [
          { oldText: "line 2\n", newText: "LINE 2\n" },
          { oldText: "line 18\n", newText: "LINE 18\n" },
        ],
      }),
    ]),
    reply([toolCall("write", { path: "new.txt", content: "made\n" })]),
    reply([toolCall("bash", { command: "sed -i 's/^line 5$/LINE 5/' b.txt; rm c.txt; mkdir -p out; echo x > out/x" })]),
    reply("First turn."),
    reply([toolCall("bash", { command: "sed -i 's/^line 9$/LINE 9/' b.txt" })]),
    reply("Second turn."),
  );
  const opened = await workbench().openChat();
  // A file that is open has its old text for a moment after it was changed.
  await opened.evaluate(async (vscode) => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    if (folder) await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, "a.txt"), { preview: false });
  });
  await opened.send("Change things");
  await opened.conversation.getByText("First turn.").waitFor();
  await expect
    .poll(() => waiting(opened), { timeout: 20_000 })
    .toEqual(["a.txta.txt +2 −2", "b.txtb.txt +1 −1", "c.txtc.txt +0 −1", "new.txtnew.txt +1 −0"]);
  expect(git("status", "--porcelain")).toBe(" M a.txt\n M b.txt\n D c.txt\n?? new.txt\n");

  const path = join(folder(), "a.txt");
  await opened.evaluate(async (vscode, name) => {
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(name ?? ""));
    await editor.edit((edit) => edit.insert(new vscode.Position(10, 0), "mine\n"));
    await editor.document.save();
  }, path);
  await opened.page.getByText("Change 1 of 2 by the agent").first().waitFor();
  await workbench().screenshot(opened.page, "changes-review");
  await run(opened, "tiller.undoChange", path, 0);
  await expect
    .poll(() => read("a.txt"))
    .toBe(LINES.replace("line 18", "LINE 18").replace("line 11\n", "mine\nline 11\n"));
  await run(opened, "tiller.keepChange", path, 0);
  await expect.poll(() => waiting(opened)).not.toContain("a.txta.txt +1 −1");

  await opened.send("Once more");
  await opened.conversation.getByText("Second turn.").waitFor();
  await expect.poll(() => waiting(opened), { timeout: 20_000 }).toContain("b.txtb.txt +2 −2");
  await run(opened, "tiller.undoTurn");
  await expect.poll(() => read("b.txt")).toBe(LINES.replace("line 5", "LINE 5"));
});
