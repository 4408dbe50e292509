import type { EditorWindow } from "./editor-window.ts";

/** Types a line at the top of a file and leaves it unsaved. */
export function typeInto(opened: EditorWindow, file: string): Promise<unknown> {
  return opened.evaluate(async (vscode, path) => {
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(path ?? ""), { preview: false });
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "mine\n"));
  }, file);
}

/** Puts a cell into a notebook and leaves it unsaved. */
export function addCell(opened: EditorWindow, file: string): Promise<unknown> {
  return opened.evaluate(async (vscode, path) => {
    const { uri } = await vscode.workspace.openNotebookDocument(vscode.Uri.file(path ?? ""));
    const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Markup, "mine", "markdown");
    const edit = new vscode.WorkspaceEdit();
    edit.set(uri, [vscode.NotebookEdit.insertCells(0, [cell])]);
    await vscode.workspace.applyEdit(edit);
  }, file);
}

/** The names of files with unsaved changes. */
export function unsaved(opened: EditorWindow): Promise<unknown> {
  return opened.evaluate((vscode) =>
    vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri.path.split("/").at(-1)),
  );
}
