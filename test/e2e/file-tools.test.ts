import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { runRows } from "./support/tool-calls.ts";
import { initRepository, resetRepository } from "./support/tool-project.ts";
import { asked, bad, good } from "./support/tool-rows/tool-row.ts";
import { TYPESCRIPT_PROJECT } from "./support/typescript-project.ts";
import { addCell, typeInto, unsaved } from "./support/unsaved-changes.ts";
import { useWorkbench } from "./support/workbench.ts";

const MARKED = "\uFEFFone\ntwo\nthree\n";
const WINDOWS = "one\r\ntwo\r\nthree\r\n";
const LATIN = Buffer.from("caf\xe9\nna\xefve\n", "latin1");

const workbench = useWorkbench({
  files: {
    ...TYPESCRIPT_PROJECT,
    "src/long.ts":
      "export function long(a: number) {\n  const b = a * 2;\n  const c = b + 1;\n  return c;\n}\n\nexport const width = 1;\nexport const id = width;\n",
    "marked.txt": MARKED,
    "windows.txt": WINDOWS,
    "notes/plain.txt": "one\ntwo\nthree\n",
    "book.ipynb": JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }),
  },
  settings: {
    "tiller.permissionMode": "auto",
    "tiller.hostTools.reportProblems": false,
    "files.autoSave": "off",
  },
});

const folder = () => workbench().server.workspace;
const read = (name: string) => readFile(join(folder(), name), "utf8");

beforeAll(async () => {
  await writeFile(join(folder(), "latin.txt"), LATIN);
  initRepository(folder());
});
beforeEach(() => resetRepository(folder()));

async function startOver(): Promise<EditorWindow> {
  const opened = await workbench().newChat();
  await opened.evaluate((vscode) => vscode.commands.executeCommand("tiller.keepAllChanges"));
  return opened;
}

test("the editor's tools save and lose no unsaved changes of a file", async () => {
  const opened = await startOver();
  await typeInto(opened, join(folder(), "src/main.ts"));
  await typeInto(opened, join(folder(), "notes/plain.txt"));
  await addCell(opened, join(folder(), "book.ipynb"));
  await runRows(workbench(), opened, [
    [
      good(
        "vscode_apply_edit",
        {
          edits: [
            { path: "src/main.ts", startLine: 4, endLine: 4, newText: "const shop = new Store();" },
            { path: "src/store.ts", startLine: 9, endLine: 9, newText: "/** Keeps things. */" },
          ],
        },
        "src/main.ts: +1 -1 in 1 place (has unsaved changes by the user and wasn't saved)\nsrc/store.ts: +1 -1 in 1 place",
      ),
      bad(
        "vscode_delete_file",
        { path: "notes/plain.txt" },
        "The user would lose unsaved changes in notes/plain.txt, so nothing was deleted.",
      ),
      bad("vscode_delete_file", { path: "notes" }, "would lose unsaved changes in notes/plain.txt"),
      bad("vscode_delete_file", { path: "book.ipynb" }, "would lose unsaved changes in book.ipynb"),
      good(
        "vscode_edit_notebook",
        { path: "book.ipynb", what: "insert", cell: 1, source: "theirs", kind: "markdown" },
        "now. It has unsaved changes by the user and wasn't saved.",
      ),
      bad("vscode_delete_file", { path: "." }, '"." is a workspace folder itself.'),
      bad("vscode_move_file", { path: ".", to: "there" }, '"." is a workspace folder itself.'),
    ],
  ]);
  expect(await unsaved(opened)).toEqual(expect.arrayContaining(["main.ts", "plain.txt"]));
  expect(await read("src/main.ts")).not.toContain("mine");
  expect(await read("book.ipynb")).not.toMatch(/mine|theirs/);
  expect(await read("src/store.ts")).toContain("/** Keeps things. */");
  expect(await read("notes/plain.txt")).toBe("one\ntwo\nthree\n");
});

test("a file keeps its bytes when its unsaved changes are discarded, and is not changed where saving would destroy some", async () => {
  const opened = await startOver();
  for (const name of ["marked.txt", "windows.txt", "latin.txt"]) await typeInto(opened, join(folder(), name));
  await runRows(workbench(), opened, [
    ...["marked.txt", "windows.txt", "latin.txt"].map((path) => [
      asked(good("vscode_revert_file", { path }, `${path} matches the saved version.`)),
    ]),
    [
      bad(
        "vscode_apply_edit",
        { edits: [{ path: "latin.txt", startLine: 1, endLine: 1, newText: "tea" }] },
        "latin.txt isn't in utf8, the encoding the editor reads it in, so nothing changed",
      ),
    ],
  ]);
  expect(await unsaved(opened)).toEqual([]);
  expect([await read("marked.txt"), await read("windows.txt")]).toEqual([MARKED, WINDOWS]);
  expect(await readFile(join(folder(), "latin.txt"))).toEqual(LATIN);
});

test("an undo restores byte order marks and line endings", async () => {
  await workbench().script(
    reply([toolCall("edit", { path: "marked.txt", edits: [{ oldText: "two", newText: "zwei" }] })]),
    reply([toolCall("write", { path: "windows.txt", content: "one\nzwei\nthree\n" })]),
    reply("Changed both."),
  );
  const opened = await startOver();
  await opened.send("Go");
  await opened.conversation.getByText("Changed both.").waitFor();
  expect(await read("marked.txt")).toBe(MARKED.replace("two", "zwei"));
  await opened.evaluate((vscode) => vscode.commands.executeCommand("tiller.undoTurn"));
  await expect.poll(() => read("marked.txt")).toBe(MARKED);
  await expect.poll(() => read("windows.txt")).toBe(WINDOWS);
});

test("a change is undone at once, even while the editor still shows the file from before it", async () => {
  const edits = [{ oldText: "two", newText: "zwei" }];
  await workbench().script(reply([toolCall("edit", { path: "windows.txt", edits })]), reply("Changed it."));
  const opened = await startOver();
  await opened.send("Go");
  await opened.conversation.getByText("Changed it.").waitFor();
  const changed = await read("windows.txt");
  await opened.evaluate(
    async (vscode, [path, before, after]: readonly [string, string, string] = ["", "", ""]) => {
      const { writeFileSync } = process.getBuiltinModule("node:fs");
      const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
      writeFileSync(path, before);
      while (document.getText() !== before) await new Promise((resolve) => setTimeout(resolve, 20));
      writeFileSync(path, after);
      await vscode.commands.executeCommand("tiller.undoFileChanges", path);
    },
    [join(folder(), "windows.txt"), WINDOWS, changed],
  );
  expect(await read("windows.txt")).toBe(WINDOWS);
});

test("a binary file can be undone, too: created, changed and deleted", async () => {
  const paths = ["made.bin", "latin.txt", "gone.bin"].map((name) => join(folder(), name));
  const [made = "", , gone = ""] = paths;
  await writeFile(gone, Buffer.from([0, 1, 2]));
  await workbench().script(
    reply([toolCall("bash", { command: "printf '\\0\\1' > made.bin; printf '\\351' >> latin.txt; rm gone.bin" })]),
    reply("Did all three."),
  );
  const opened = await startOver();
  await opened.send("Go");
  await opened.conversation.getByText("Did all three.").waitFor();
  await opened.evaluate((vscode) => vscode.commands.executeCommand("tiller.changes.focus"));
  const rows = opened.page.getByRole("tree", { name: /Changes/ }).getByRole("treeitem");
  await expect.poll(() => rows.count()).toBe(3);
  for (const path of paths) {
    await opened.evaluate((vscode, name) => vscode.commands.executeCommand("tiller.undoFileChanges", name), path);
  }
  await expect.poll(() => rows.count()).toBe(0);
  expect(existsSync(made)).toBe(false);
  expect(await readFile(join(folder(), "latin.txt"))).toEqual(LATIN);
  expect(await readFile(gone)).toEqual(Buffer.from([0, 1, 2]));
});

test("a second click on Keep or Undo does not judge the next hunk", async () => {
  const edits = ["one", "three"].map((oldText) => ({ oldText, newText: oldText.toUpperCase() }));
  await workbench().script(reply([toolCall("edit", { path: "notes/plain.txt", edits })]), reply("Changed two."));
  const opened = await startOver();
  await opened.send("Go");
  await opened.conversation.getByText("Changed two.").waitFor();
  const path = join(folder(), "notes/plain.txt");
  const undo = () =>
    opened.evaluate(async (vscode, name) => {
      const uri = vscode.Uri.file(name ?? "");
      await vscode.workspace.openTextDocument(uri);
      const lenses = await vscode.commands.executeCommand("vscode.executeCodeLensProvider", uri, 100);
      const found = Array.isArray(lenses) ? lenses.map(({ command }) => command) : [];
      return found.find((command) => command?.command === "tiller.undoChange")?.arguments;
    }, path);
  const place = [path, 0, "0-one\n+ONE\n"];
  await expect.poll(undo).toEqual(place);
  for (const _click of [1, 2]) {
    await opened.evaluate(
      (vscode, args) => vscode.commands.executeCommand("tiller.undoChange", ...(args ?? [])),
      place,
    );
  }
  expect(await read("notes/plain.txt")).toBe("one\ntwo\nTHREE\n");
});

test("refactorings create files, list what they change, and never ask in the editor", async () => {
  const opened = await startOver();
  const idOf = (title: string) => (earlier: string) => ({ id: new RegExp(`(a\\d+): ${title}`).exec(earlier)?.[1] });
  await opened.evaluate(
    (vscode, path) => vscode.window.showTextDocument(vscode.Uri.file(path ?? "")),
    join(folder(), "src/long.ts"),
  );
  await opened.composer.click();
  await runRows(workbench(), opened, [
    [
      good("vscode_list_code_actions", { path: "src/store.ts", startLine: 23, kind: "refactor.move" }, "1 action for"),
      bad("vscode_rename_symbol", { path: "src/long.ts", line: 7, symbol: "id", newName: "x" }, '"id" isn\'t at'),
      bad(
        "vscode_hover",
        { path: "src/long.ts", line: 7, column: 14, symbol: "id" },
        '"id" isn\'t at src/long.ts:7:14; the line is: export const width = 1;',
      ),
      good("vscode_hover", { path: "src/long.ts", line: 8, symbol: "id" }, 'About "id"'),
    ],
    [
      good(
        "vscode_apply_code_action",
        idOf("Move to a new file"),
        /src\/store\.ts: \+\d -3 in 2 places/,
        "src/sum.ts: +4 -0 in 1 place",
      ),
    ],
    [
      good(
        "vscode_list_code_actions",
        { path: "src/long.ts", startLine: 2, endLine: 3, kind: "refactor.extract" },
        "a",
      ),
    ],
    [
      good(
        "vscode_apply_code_action",
        idOf("Extract to function in module scope"),
        /src\/long\.ts: \+\d+ -2 in 2 places/,
        "It would ask the user for more now, which was left out.",
      ),
    ],
  ]);
  await opened.page.locator(".rename-box").waitFor({ state: "hidden" });
  expect(await read("src/sum.ts")).toContain("export function sum(");
  expect(await read("src/long.ts")).toContain("newFunction");
  expect(await unsaved(opened)).toEqual([]);
});

test("documents that only the editor can open are shown by their address", async () => {
  const opened = await startOver();
  await writeFile(join(folder(), "notes/to:do.txt"), "all\n");
  const address = await opened.evaluate(async (vscode) => {
    const { uri } = await vscode.workspace.openTextDocument({ content: "draft" });
    return uri.toString();
  });
  await runRows(workbench(), opened, [
    [good("vscode_open_file", { path: "notes/to:do.txt" }, "Opened notes/to:do.txt (2 lines).")],
    [
      good("vscode_open_file", { path: address }, `Opened ${address} (1 lines).`),
      bad("vscode_open_file", { path: "untitled:nothing" }, "The editor can't open untitled:nothing. Use the address"),
    ],
  ]);
  await opened.page.locator(".monaco-editor").getByText("draft").first().waitFor();
});

test("a selection is reported with all cursors and, behind another view, its age; a large one comes in pages", async () => {
  const opened = await startOver();
  const choose = (isAll: boolean) =>
    opened.evaluate(
      async (vscode, call) => {
        const editor = await vscode.window.showTextDocument(vscode.Uri.file(call?.path ?? ""));
        const cursor = (line: number) => new vscode.Selection(line, 0, line, 0);
        const end = editor.document.lineCount;
        editor.selections = call?.isAll ? [new vscode.Selection(0, 0, end, 0)] : [cursor(0), cursor(2)];
        // An editor without text: whoever works there has left the selection behind.
        await vscode.window.showNotebookDocument(
          await vscode.workspace.openNotebookDocument(vscode.Uri.file(call?.book ?? "")),
        );
      },
      { path: join(folder(), isAll ? "large.txt" : "notes/plain.txt"), isAll, book: join(folder(), "book.ipynb") },
    );
  await writeFile(join(folder(), "large.txt"), "a line of some length\n".repeat(1_000));
  await choose(false);
  await runRows(workbench(), opened, [
    [
      good(
        "vscode_get_selection",
        {},
        /^Nothing is selected\. The cursors are in notes\/plain\.txt \(selected \d+ seconds? ago\) at 1:1, 3:1\.$/,
      ),
    ],
  ]);
  await choose(true);
  const next = (earlier: string) => ({ next: /next: "(\d+)"/.exec(earlier)?.[1] });
  await runRows(workbench(), opened, [
    [
      good(
        "vscode_get_selection",
        {},
        /^large\.txt \(selected .* from 1:1 to 1001:1:\na line/,
        /\[Lines 1-\d+ of 1001\./,
      ),
    ],
    [good("vscode_get_selection", next, /\[Lines \d+-1001 of 1001\.\]$/)],
  ]);
});
