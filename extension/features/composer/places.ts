import * as vscode from "vscode";
import { describeUri } from "../../editor/workspace-files.ts";

/** Returns the name of a document in a message, prefixed with its folder when the window has several. */
export function nameOf(uri: vscode.Uri): string {
  return describeUri(uri).replaceAll("\\", "/");
}

/** Returns the text editors, the one used last first. */
export function editorsInOrder(): vscode.TextEditor[] {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const all = activeTextEditor === undefined ? visibleTextEditors : [activeTextEditor, ...visibleTextEditors];
  return [...new Set(all)].filter(({ document }) => isCode(document.uri));
}

/** True when a document is edited by people, as opposed to output or a view of the editor. */
export function isCode(uri: vscode.Uri): boolean {
  return uri.scheme === "file" || uri.scheme === "untitled" || uri.scheme === "vscode-remote";
}
