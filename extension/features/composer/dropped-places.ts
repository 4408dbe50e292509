import * as vscode from "vscode";
import { droppedLines } from "../../core/mentions/dropped-lines.ts";
import { formatMention, type LineRange } from "../../core/mentions/mention-text.ts";
import { nameOf } from "./places.ts";

/** A dropped file or folder, and its lines if any. */
export interface DroppedPlace {
  readonly uri: vscode.Uri;
  readonly lines?: LineRange;
}

/** Parses dropped URIs, each once. Skips those that are not files of this machine or of the remote one of the window. */
export function droppedPlaces(uris: readonly string[]): DroppedPlace[] {
  return [...new Set(uris)].flatMap((address) => {
    const { scheme, path, fragment } = vscode.Uri.parse(address);
    if (scheme !== "file" && scheme !== "vscode-remote") return [];
    const lines = droppedLines(fragment);
    return [{ uri: vscode.Uri.file(path), ...(lines === undefined ? {} : { lines }) }];
  });
}

/** Formats the mention of a place; that of a folder ends with a slash. */
export async function mentionOf({ uri, lines }: DroppedPlace): Promise<string> {
  const path = (await isFolder(uri)) ? `${nameOf(uri)}/` : nameOf(uri);
  return formatMention({ kind: "path", path, ...(lines === undefined ? {} : { lines }) });
}

/** True when there is a folder at the URI. */
export async function isFolder(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.Directory) !== 0;
  } catch {
    return false; // not saved yet, or deleted: it is mentioned by its name
  }
}
