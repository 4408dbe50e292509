import { expect, test } from "vitest";
import { type RecordedRequest, reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { initRepository } from "./support/tool-project.ts";
import { SAMPLE_WORKSPACE, useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({ files: SAMPLE_WORKSPACE });

const NOTES = "untitled:Notes";
const write = (path: string, content: string) => reply([toolCall("write", { path, content })]);
const edit = (path: string, oldText: string, newText: string) =>
  reply([toolCall("edit", { path, edits: [{ oldText, newText }] })]);

/** Returns the last message of a request, as JSON. */
function lastMessage(request: RecordedRequest | undefined): string {
  return JSON.stringify(request?.body.messages.at(-1));
}

/** The text of a document that is open, by its address. */
function textOf(opened: EditorWindow, address: string): Promise<unknown> {
  const find = (vscode: typeof import("vscode"), wanted = "") =>
    vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === wanted)?.getText();
  return opened.evaluate(find, address);
}

test("write and edit create and change a document without a file, Ctrl+Z undoes each step, and a version in Git is refused", async () => {
  initRepository(workbench().server.workspace);
  const opened = await workbench().newChat();
  const version = await opened.evaluate(async (vscode) => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const file = vscode.Uri.joinPath(folder?.uri ?? vscode.Uri.file("/"), "src/tasks.js");
    const uri = file.with({ scheme: "git", query: JSON.stringify({ path: file.fsPath, ref: "HEAD" }) });
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    return text.includes("addTask") ? uri.toString() : `no version of ${file.fsPath}`;
  });
  const model = await workbench().script(
    write(NOTES, "one\ntwo\n"),
    edit(NOTES, "two", "three"),
    edit(String(version), "addTask", "putTask"),
    reply("Done."),
  );
  await opened.send("Make notes");
  await opened.approve("write", "Allow Once");
  await opened
    .question(/^Allow edit\? untitled:Notes/)
    .getByRole("button", { name: "Open Diff" })
    .click();
  await opened.editorTab(/Notes \(proposed change/).waitFor();
  await workbench().screenshot(opened.page, "edit-by-address");
  const sides = await opened.evaluate((vscode) => {
    const documents = vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === "tiller-proposal");
    return documents.map((document) => document.getText());
  });
  expect(sides).toEqual(expect.arrayContaining(["one\ntwo\n", "one\nthree\n"]));
  await opened.approve("edit", "Allow Once");
  await opened.conversation.getByText("Done.", { exact: true }).waitFor();
  expect(lastMessage(model.requests[1])).toContain("Successfully wrote 8 bytes to untitled:Notes");
  expect(lastMessage(model.requests[3])).toContain("It's a version stored in Git. Change the file itself: ");
  expect(await textOf(opened, NOTES)).toBe("one\nthree\n");
  await opened.evaluate((vscode) => vscode.commands.executeCommand("workbench.action.nextEditor"));
  const card = opened.conversation.getByRole("article", { name: /^Tiller: Edit(?:ing|ed) untitled:Notes/ });
  await card.getByRole("button", { name: "Open Document" }).click();
  await expect
    .poll(() => opened.evaluate((vscode) => vscode.window.activeTextEditor?.document.uri.toString()))
    .toBe(NOTES);

  await opened.editorTab(/^Notes(?! \(proposed)/).click();
  await opened.page.locator(".monaco-editor.focused").waitFor();
  await opened.page.keyboard.press("Control+z");
  await expect.poll(() => textOf(opened, NOTES)).toBe("one\ntwo\n");
  await opened.page.keyboard.press("Control+z");
  await expect.poll(() => textOf(opened, NOTES)).toBe("");
});

test("text that the user types in a document without a file survives the agent's changes", async () => {
  const opened = await workbench().newChat();
  const model = await workbench().script(
    write(NOTES, "one\ntwo\n"),
    edit(NOTES, "two", "three"),
    write(NOTES, "all new\n"),
    reply([toolCall("read", { path: NOTES })]),
    write(NOTES, "mine, all new\n"),
    reply("Done."),
  );
  await opened.send("Make notes");
  await opened.approve("write", "Allow in this session: write untitled:*");
  await opened.question(/^Allow edit\?/).waitFor();
  await opened.editorTab(/^Notes(?! \(proposed)/).click();
  await opened.page.locator(".monaco-editor.focused").waitFor();
  await opened.page.keyboard.press("Control+Home");
  await opened.page.keyboard.type("mine ");
  await expect.poll(() => textOf(opened, NOTES)).toBe("mine one\ntwo\n");
  await opened.approve("edit", "Allow Once");
  await opened.conversation.getByText("Done.", { exact: true }).waitFor();
  expect(lastMessage(model.requests[2])).toContain("Successfully replaced");
  expect(lastMessage(model.requests[3])).toContain("has text that you have not read");
  expect(lastMessage(model.requests[4])).toContain("1\\tmine one\\n2\\tthree\\n");
  expect(lastMessage(model.requests[5])).toContain("Successfully wrote");
  expect(await textOf(opened, NOTES)).toBe("mine, all new\n");
});

test("a file of an editor file system is created, changed and saved; unsaved text stays unsaved, and read-only files stay unchanged", async () => {
  const opened = await workbench().newChat();
  await opened.evaluate((vscode) => {
    const files = new Map([["/locked.txt", new TextEncoder().encode("old\n")]]);
    const changed = new vscode.EventEmitter<import("vscode").FileChangeEvent[]>();
    const provider: import("vscode").FileSystemProvider = {
      onDidChangeFile: changed.event,
      watch: () => new vscode.Disposable(() => undefined),
      stat(uri) {
        const bytes = files.get(uri.path);
        if (uri.path === "/") return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
        if (bytes === undefined) throw vscode.FileSystemError.FileNotFound(uri);
        const permissions = uri.path === "/locked.txt" ? { permissions: vscode.FilePermission.Readonly } : {};
        return { type: vscode.FileType.File, ctime: 0, mtime: bytes.length, size: bytes.length, ...permissions };
      },
      readDirectory: () => [],
      createDirectory: () => undefined,
      readFile(uri) {
        const bytes = files.get(uri.path);
        if (bytes === undefined) throw vscode.FileSystemError.FileNotFound(uri);
        return bytes;
      },
      writeFile: (uri, content) => void files.set(uri.path, new Uint8Array(content)),
      delete: (uri) => void files.delete(uri.path),
      rename: () => undefined,
    };
    for (const scheme of ["memo", "tiller-memo"]) vscode.workspace.registerFileSystemProvider(scheme, provider);
  });
  const saved = () =>
    opened.evaluate(async (vscode) =>
      new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.parse("memo:/a.txt"))),
    );
  const model = await workbench().script(
    write("memo:/a.txt", "one\ntwo\n"),
    edit("memo:/a.txt", "two", "three"),
    edit("memo:/locked.txt", "old", "new"),
    edit("tiller-memo:/a.txt", "three", "four"),
    reply("Made."),
    edit("memo:/a.txt", "three", "four"),
    reply("Changed."),
  );
  await opened.send("Make it");
  await opened.approve("write", "Allow Once");
  await opened.approve("edit", "Allow in this session: edit memo:/a.txt");
  await opened.conversation.getByText("Made.", { exact: true }).waitFor();
  expect(lastMessage(model.requests[3])).toContain("Its file system is read-only.");
  expect(lastMessage(model.requests[4])).toContain("The editor shows it read-only.");
  expect(await saved()).toBe("one\nthree\n");
  await opened.evaluate(async (vscode) => {
    const editor = await vscode.window.showTextDocument(vscode.Uri.parse("memo:/a.txt"));
    await editor.edit((change) => change.insert(new vscode.Position(0, 0), "mine\n"));
  });
  await opened.send("Change it");
  await opened.conversation.getByText("Changed.", { exact: true }).waitFor();
  expect(await textOf(opened, "memo:/a.txt")).toBe("mine\none\nfour\n");
  expect(await saved()).toBe("one\nthree\n");
});
