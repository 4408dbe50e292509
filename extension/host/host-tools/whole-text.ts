import * as vscode from "vscode";
import { changedStretch } from "./changed-stretch.ts";

/** Creates an edit that gives a document a new text. It touches only the range that differs, so cursors elsewhere stay in place. */
export function wholeText(document: vscode.TextDocument, text: string): vscode.WorkspaceEdit {
  const eol = document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
  const { start, end, newText } = changedStretch(document.getText(), text.replaceAll(/\r\n?|\n/g, eol));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), newText);
  return edit;
}
