import * as vscode from "vscode";
import { changedStretch } from "./changed-stretch.ts";

/** An edit that makes a document hold a text. Only what differs is touched: cursors in the rest stay where they are, in every editor of it. */
export function wholeText(document: vscode.TextDocument, text: string): vscode.WorkspaceEdit {
  const eol = document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
  const { start, end, newText } = changedStretch(document.getText(), text.replaceAll(/\r\n?|\n/g, eol));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), newText);
  return edit;
}
