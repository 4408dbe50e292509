import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { FromPanel } from "../../../webview/protocol/from-panel.ts";
import { workspaceFolders } from "../../editor/workspace-files.ts";
import { possiblePaths } from "../../editor/workspace-path.ts";
import { applyBlock } from "./apply-block.ts";
import type { FileFinder } from "./file-finder.ts";
import { editorLanguage } from "./languages.ts";
import type { Previews } from "./previews.ts";
import { typeIntoTerminal } from "./terminal.ts";

type CodeAction = Extract<FromPanel, { type: "codeAction" }>;

/** Runs the user's action on a block of code. Rejects with a message for people. */
export async function runCodeAction(
  request: CodeAction,
  services: { previews: Previews; finder: FileFinder; folder: string },
): Promise<void> {
  const code = request.code.replace(/\n$/, "");
  switch (request.action) {
    case "insert":
      return insert(code);
    case "newFile":
      return newFile(`${code}\n`, request.language);
    case "terminal":
      return typeIntoTerminal(code);
    case "apply":
      return preview(code, request.files, services);
  }
}

async function insert(code: string): Promise<void> {
  const editor = textEditor();
  if (editor === undefined) throw new Error(t("Open a file, and place the cursor where you want to insert the code."));
  const done = await editor.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, code);
  });
  if (!done) throw new Error(t("Couldn't insert the code. Check whether the file is read-only."));
  await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn ?? vscode.ViewColumn.Active });
}

async function newFile(content: string, language: string): Promise<void> {
  const wanted = editorLanguage(language);
  const known = new Set(await vscode.languages.getLanguages());
  const document = await vscode.workspace.openTextDocument({
    content,
    ...(known.has(wanted) ? { language: wanted } : {}),
  });
  await vscode.window.showTextDocument(document);
}

/** Shows the change in the first named file that exists, or else in the active file, or else as a new file of that name. */
async function preview(
  code: string,
  names: readonly string[],
  { previews, finder, folder }: { previews: Previews; finder: FileFinder; folder: string },
): Promise<void> {
  for (const name of names) {
    const found = await finder.find(name, folder);
    if (found !== undefined) return previewIn(await vscode.workspace.openTextDocument(found), code, previews);
  }
  const [missing] = names.flatMap((name) => possiblePaths(name, workspaceFolders(folder)).slice(0, 1));
  if (missing !== undefined && !/^@@ -\d/m.test(code)) {
    return previews.show({ target: vscode.Uri.file(missing), before: undefined, after: `${code}\n` });
  }
  const editor = textEditor();
  if (editor === undefined) {
    throw new Error(t("Can't tell which file the code belongs to. Open the file, and try again."));
  }
  const { document, selection } = editor;
  const range = { start: document.offsetAt(selection.start), end: document.offsetAt(selection.end) };
  return previewIn(document, code, previews, range);
}

async function previewIn(
  document: vscode.TextDocument,
  code: string,
  previews: Previews,
  selection?: { start: number; end: number },
): Promise<void> {
  const before = document.getText();
  const applied = applyBlock(before, code, selection);
  const name = vscode.workspace.asRelativePath(document.uri);
  if ("unclear" in applied) {
    throw new Error(
      t(
        "Couldn't find where to apply the code in {0}. {1} Select the lines to replace, and try again.",
        name,
        applied.unclear,
      ),
    );
  }
  if (applied.text === before) {
    void vscode.window.showInformationMessage(t("{0} already contains the code.", name));
    return;
  }
  await previews.show({ target: document.uri, before, after: applied.text });
}

/** Returns the active editor, if it holds a file or an untitled document. */
function textEditor(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor !== undefined && ["file", "untitled"].includes(editor.document.uri.scheme) ? editor : undefined;
}
