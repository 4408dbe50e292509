import * as vscode from "vscode";

/** Returns the URI of a place that the agent names: an absolute path, or a URI that only the editor can open. */
export function uriOf(place: string): vscode.Uri {
  return /^[a-z][a-z\d+.-]+:/i.test(place) ? vscode.Uri.parse(place, true) : vscode.Uri.file(place);
}

/** Reads the text of a file, as the editor has it when it is open; undefined when it cannot be read. */
export async function textOf(file: vscode.Uri): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === file.toString());
  if (open !== undefined) return open.getText();
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  } catch {
    return undefined; // deleted, or out of reach
  }
}
