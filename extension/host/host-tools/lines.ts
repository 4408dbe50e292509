import * as vscode from "vscode";
import { describeUri } from "../../editor/workspace-files.ts";
import { HostToolFailed } from "./host-tool.ts";

/** Returns the range of whole lines of a document, both 1-based. @throws HostToolFailed if the document does not have these lines. */
export function wholeLines(document: vscode.TextDocument, startLine: number, endLine = startLine): vscode.Range {
  const file = describeUri(document.uri);
  if (endLine > document.lineCount || startLine > document.lineCount) {
    throw new HostToolFailed(`${file} has only ${document.lineCount} lines.`);
  }
  if (endLine < startLine) throw new HostToolFailed(`${file}: endLine ${endLine} is before startLine ${startLine}.`);
  return new vscode.Range(new vscode.Position(startLine - 1, 0), document.lineAt(endLine - 1).range.end);
}
