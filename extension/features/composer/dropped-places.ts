import * as vscode from "vscode";
import { droppedLines } from "../../core/mentions/dropped-lines.ts";
import { formatMention, type LineRange } from "../../core/mentions/mention-text.ts";
import { nameOf } from "./places.ts";

/** A file or folder that was dropped, and the lines that are meant of it. */
export interface DroppedPlace {
  readonly uri: vscode.Uri;
  readonly lines?: LineRange;
}

/** What addresses stand for that were dropped, each once. What is no file of this machine, or of the one that the window works on, is left out. */
export function droppedPlaces(uris: readonly string[]): DroppedPlace[] {
  return [...new Set(uris)].flatMap((address) => {
    const { scheme, path, fragment } = vscode.Uri.parse(address);
    if (scheme !== "file" && scheme !== "vscode-remote") return [];
    const lines = droppedLines(fragment);
    return [{ uri: vscode.Uri.file(path), ...(lines === undefined ? {} : { lines }) }];
  });
}

/** The mention of a place; that of a folder ends with a slash. */
export async function mentionOf({ uri, lines }: DroppedPlace): Promise<string> {
  const path = (await isFolder(uri)) ? `${nameOf(uri)}/` : nameOf(uri);
  return formatMention({ kind: "path", path, ...(lines === undefined ? {} : { lines }) });
}

/** Whether there is a folder at the address. */
export async function isFolder(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.Directory) !== 0;
  } catch {
    return false; // not saved yet, or gone: it is mentioned by its name
  }
}
