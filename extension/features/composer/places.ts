import * as vscode from "vscode";
import { describeUri } from "../../editor/workspace-files.ts";

/** How a document is called in a message: with the name of its folder in front when the window has several. */
export function nameOf(uri: vscode.Uri): string {
  return describeUri(uri).replaceAll("\\", "/");
}

/** The text editors, the one that the user was in last in front. */
export function editorsInOrder(): vscode.TextEditor[] {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const all = activeTextEditor === undefined ? visibleTextEditors : [activeTextEditor, ...visibleTextEditors];
  return [...new Set(all)].filter(({ document }) => isCode(document.uri));
}

/** Whether a document is something that somebody edits, not output or a view of the editor's. */
export function isCode(uri: vscode.Uri): boolean {
  return uri.scheme === "file" || uri.scheme === "untitled" || uri.scheme === "vscode-remote";
}
