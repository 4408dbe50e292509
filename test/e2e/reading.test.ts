import { expect, test } from "vitest";
import { reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { outcomesIn } from "./support/tool-calls.ts";
import { TYPESCRIPT_PROJECT } from "./support/typescript-project.ts";
import { useWorkbench } from "./support/workbench.ts";

const LINES = Array.from({ length: 200 }, (_, index) => `line ${index + 1}\n`).join("");
const READ = ["src/main.ts", "src/store.ts", "src/events.ts", "tsconfig.json", "docs/a.txt", "docs/b.txt"];
const workbench = useWorkbench({
  files: { ...TYPESCRIPT_PROJECT, "mine.txt": LINES, "docs/a.txt": LINES, "docs/b.txt": LINES },
});

/** Shows the user's file from line 100 on, and counts from then on what happens in the editor. */
function watchEditor(opened: EditorWindow): Promise<unknown> {
  return opened.evaluate(async (vscode) => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    if (folder === undefined) return;
    const editor = await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, "mine.txt"));
    editor.revealRange(new vscode.Range(100, 0, 100, 0), vscode.TextEditorRevealType.AtTop);
    await vscode.commands.executeCommand("workbench.view.explorer");
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // The editor still draws.
    const seen: string[] = [];
    Reflect.set(globalThis, "seenInEditor", seen);
    vscode.window.tabGroups.onDidChangeTabs(({ opened: added, closed, changed }) =>
      seen.push(...[...added, ...closed, ...changed].map(({ label }) => `tab ${label}`)),
    );
    vscode.window.onDidChangeActiveTextEditor((active) => seen.push(`active ${active?.document.uri.path}`));
    vscode.window.onDidChangeVisibleTextEditors((editors) => seen.push(`${editors.length} editors`));
    vscode.window.onDidChangeTextEditorVisibleRanges(() => seen.push("scrolled"));
    vscode.window.onDidChangeTextEditorSelection(() => seen.push("selected"));
  });
}

const seenIn = (opened: EditorWindow) => opened.evaluate(() => Reflect.get(globalThis, "seenInEditor"));

/** Returns the rows of the Explorer, with what is open and selected. */
function explorer(opened: EditorWindow): Promise<string[]> {
  return opened.page
    .locator(".explorer-folders-view .monaco-list-row")
    .evaluateAll((rows) =>
      rows.map((row) =>
        [row.textContent, row.getAttribute("aria-expanded"), row.getAttribute("aria-selected"), row.className].join(
          " ",
        ),
      ),
    );
}

test("reading, an edit that waits for approval, and its check for problems leave editor, tabs, and Explorer alone", async () => {
  const edit = toolCall(
    "edit",
    { path: "src/main.ts", edits: [{ oldText: "value: 1", newText: 'value: "1"' }] },
    { id: "toolu_edit" },
  );
  const model = await workbench().script(
    reply(READ.map((path) => toolCall("read", { path }))),
    reply([edit]),
    reply("That was all."),
  );
  const opened = await workbench().openChat();
  await watchEditor(opened);
  const before = await explorer(opened);
  expect(before.length).toBeGreaterThan(3);
  await opened.send("Look around");
  await opened.question(/^Allow edit\?/).waitFor();
  await workbench().screenshot(opened.page, "reading-opens-nothing");
  expect(await seenIn(opened)).toEqual([]);
  expect(await explorer(opened)).toEqual(before);

  await opened.approve("edit", "Allow Once");
  await opened.conversation.getByText("That was all.", { exact: true }).waitFor();
  const { text = "" } = outcomesIn(model.requests.at(-1)).get("toolu_edit") ?? {};
  expect(text).toContain("Problems after this edit: 1 introduced, 0 fixed, 0 as before.");
  expect(text).toContain("introduced src/main.ts:4:26 error: Type 'string' is not assignable to type 'number'.");
  expect(await seenIn(opened)).toEqual([]);
});
