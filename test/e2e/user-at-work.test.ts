import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { runRows } from "./support/tool-calls.ts";
import { bad, good } from "./support/tool-rows/tool-row.ts";
import { addCell, typeInto } from "./support/unsaved-changes.ts";
import { useWorkbench } from "./support/workbench.ts";

const BOOK = `${JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }, undefined, 1)}\n`;
const TERMINAL = "vscode_run_in_terminal";

const workbench = useWorkbench({
  files: {
    "a.txt": "one\ntwo\nthree\n",
    "other.txt": "",
    "book.ipynb": BOOK,
    "other.ipynb": BOOK,
    "third.ipynb": BOOK,
  },
  settings: {
    "tiller.permissionMode": "auto",
    "tiller.hostTools.reportProblems": false,
    "files.autoSave": "off",
  },
});

const path = (name: string) => join(workbench().server.workspace, name);
const read = (name: string) => readFile(path(name), "utf8");

const terminals = (opened: EditorWindow) =>
  opened.evaluate((vscode) => vscode.window.terminals.filter(({ name }) => name === "Tiller").length);

const sleeping = async (seconds: number) => (await workbench().processes(`sleep ${seconds}`)).length;

test("the user's own command in the agent's terminal is left alone, even after a reload of the window", async () => {
  const opened = await workbench().newChat();
  const echo = (word: string) => good(TERMINAL, { command: `echo ${word}` }, `Ended with exit code 0.\n${word}`);
  const runByHand = (seconds: number) =>
    opened.evaluate(
      (vscode, command) => vscode.window.terminals.findLast(({ name }) => name === "Tiller")?.sendText(command ?? ""),
      `sleep ${seconds}`,
    );
  await runRows(workbench(), opened, [[echo("one")], [echo("two")]]);
  expect(await terminals(opened)).toBe(1);
  await runByHand(983);
  await expect.poll(() => sleeping(983)).toBe(1);
  await opened.reload();
  await expect.poll(() => terminals(opened)).toBe(1);
  await runRows(workbench(), opened, [[echo("three")], [echo("four")]]);
  expect(await terminals(opened)).toBe(2);
  await runByHand(982);
  await expect.poll(() => sleeping(982)).toBe(1);
  await runRows(workbench(), opened, [[echo("five")]]);
  expect(await terminals(opened)).toBe(3);
  expect([await sleeping(983), await sleeping(982)]).toEqual([1, 1]);
  await opened.evaluate((vscode) => {
    for (const terminal of vscode.window.terminals) terminal.dispose();
  });
  await expect.poll(async () => (await sleeping(983)) + (await sleeping(982))).toBe(0);
});

test("a notebook with unsaved changes is saved or left alone, as the user answers", async () => {
  const opened = await workbench().newChat();
  await addCell(opened, path("book.ipynb"));
  const write = reply([
    toolCall("write", { path: "book.ipynb", content: BOOK.replace('"metadata": {}', '"metadata": {"by": "agent"}') }),
  ]);
  await workbench().script(write, reply("Left alone."), write, reply("Written."));
  await opened.send("Go");
  const question = opened.question("The agent wants to change book.ipynb, which has unsaved changes.");
  await question.getByRole("button", { name: "Don't Change the File" }).click();
  await opened.conversation.getByText("Left alone.", { exact: true }).waitFor();
  expect(await read("book.ipynb")).toBe(BOOK);
  await opened.send("Go");
  await question.getByRole("button", { name: "Save and Change the File" }).click();
  await opened.conversation.getByText("Written.", { exact: true }).waitFor();
  expect(await read("book.ipynb")).toContain('"by": "agent"');
});

test("a notebook with unsaved changes is saved only when wanted, and neither reverted nor written behind the user's back", async () => {
  const opened = await workbench().newChat();
  await addCell(opened, path("other.ipynb"));
  const edit = { path: "other.ipynb", startLine: 1, endLine: 1, newText: "{ " };
  await runRows(workbench(), opened, [
    [bad("vscode_apply_edit", { edits: [edit] }, "other.ipynb is a notebook with unsaved changes by the user")],
    [good("vscode_save", { path: "other.ipynb" }, "Saved 1 file:\nother.ipynb")],
    [good("vscode_save", { path: "other.ipynb" }, "There's nothing to save.")],
  ]);
  expect(await read("other.ipynb")).toContain("mine");
  // The user's own changes are not pending.
  await opened.evaluate((vscode) => vscode.commands.executeCommand("tiller.changes.focus"));
  const rows = opened.page.getByRole("tree", { name: /Changes/ }).getByRole("treeitem", { name: /other\.ipynb/ });
  expect(await rows.count()).toBe(0);
});

test("the selection in a notebook cell is what the user means by “this”", async () => {
  const opened = await workbench().newChat();
  await opened.evaluate(async (vscode, file) => {
    await vscode.window.showTextDocument(vscode.Uri.file(`${file}/a.txt`), { preview: false });
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(`${file}/other.ipynb`));
    const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, "print(1)\nprint(2)", "python");
    const edit = new vscode.WorkspaceEdit();
    edit.set(notebook.uri, [vscode.NotebookEdit.insertCells(0, [cell])]);
    await vscode.workspace.applyEdit(edit);
    await vscode.window.showNotebookDocument(notebook, { preview: false });
    await vscode.commands.executeCommand("notebook.focusTop");
    await vscode.commands.executeCommand("notebook.cell.edit");
    await vscode.commands.executeCommand("editor.action.selectAll");
  }, workbench().server.workspace);
  await runRows(workbench(), opened, [
    [good("vscode_get_selection", {}, "cell 0 of other.ipynb", "from 1:1 to 2:9:\nprint(1)\nprint(2)")],
  ]);
});

test("a notebook that the agent reads and changes is not opened to look for problems", async () => {
  const opened = await workbench().newChat();
  await opened.evaluate((vscode) => vscode.commands.executeCommand("workbench.action.closeAllEditors"));
  const report = (isOn: boolean) =>
    opened.evaluate(
      (vscode, value) => vscode.workspace.getConfiguration("tiller").update("hostTools.reportProblems", value, true),
      isOn,
    );
  await report(true);
  await workbench().script(
    reply([toolCall("read", { path: "third.ipynb" })]),
    reply([
      toolCall("edit", { path: "third.ipynb", edits: [{ oldText: '"nbformat": 4', newText: '"nbformat":  4' }] }),
    ]),
    reply("Looked at it."),
  );
  await opened.send("Go");
  await opened.conversation.getByText("Looked at it.", { exact: true }).waitFor();
  await report(false);
  const tabs = await opened.evaluate((vscode) =>
    vscode.window.tabGroups.all.flatMap((group) => group.tabs).map(({ label }) => label),
  );
  expect(tabs).not.toContain("third.ipynb");
});

test("the cursor stays where the user left it in a file that the agent changes unsaved, even beside the user's editor", async () => {
  const opened = await workbench().newChat();
  await typeInto(opened, path("a.txt"));
  await opened.evaluate(async (vscode, folder) => {
    const editor = vscode.window.activeTextEditor;
    if (editor !== undefined) editor.selection = new vscode.Selection(1, 2, 1, 2);
    const beside = { viewColumn: vscode.ViewColumn.Beside };
    await vscode.window.showTextDocument(vscode.Uri.file(`${folder}/other.txt`), beside);
  }, workbench().server.workspace);
  await workbench().script(
    reply([toolCall("edit", { path: "a.txt", edits: [{ oldText: "three", newText: "drei" }] })]),
    reply("Changed beside."),
  );
  await opened.send("Go");
  await opened
    .question("The agent wants to change a.txt, which has unsaved changes.")
    .getByRole("button", { name: "Change Without Saving" })
    .click();
  await opened.conversation.getByText("Changed beside.", { exact: true }).waitFor();
  const seen = await opened.evaluate((vscode, file) => {
    const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.fsPath === file);
    return [editor?.document.getText(), editor?.selection.active.line, editor?.selection.active.character];
  }, path("a.txt"));
  expect(seen).toEqual(["mine\none\ntwo\ndrei\n", 1, 2]);
});
