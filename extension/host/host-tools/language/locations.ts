import * as vscode from "vscode";
import { placeText } from "./place.ts";

/** A range in a document. */
export interface Spot {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
}

/** Converts a location; services return either type. */
export function toSpot(found: vscode.Location | vscode.LocationLink): Spot {
  return "targetUri" in found
    ? { uri: found.targetUri, range: found.targetSelectionRange ?? found.targetRange }
    : { uri: found.uri, range: found.range };
}

/** Returns a mark for a file outside the project, such as one of a library; empty for the project's own. */
export function outsideMark(uri: vscode.Uri): string {
  const isOutside = vscode.workspace.getWorkspaceFolder(uri) === undefined || uri.path.includes("/node_modules/");
  return isOutside ? " [external]" : "";
}

/** Formats a place: its position, and its line with `context` lines around it. */
export async function showSpot({ uri, range }: Spot, context: number): Promise<string[]> {
  const heading = `${placeText(uri, range.start)}${outsideMark(uri)}`;
  const document = await openQuietly(uri);
  if (document === undefined) return [heading];
  const first = Math.max(0, range.start.line - context);
  const last = Math.min(document.lineCount - 1, range.start.line + context);
  const lines: string[] = [];
  for (let line = first; line <= last; line += 1) {
    const sign = line === range.start.line ? ">" : " ";
    lines.push(`  ${sign} ${line + 1}: ${document.lineAt(line).text}`);
  }
  return [heading, ...lines];
}

/** Reads the lines of a file without opening it, since language services check every open file; none when it is not text. */
export async function linesOf(uri: vscode.Uri): Promise<readonly string[]> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  try {
    const text = open?.getText() ?? (await vscode.workspace.decode(await vscode.workspace.fs.readFile(uri), { uri }));
    return text.split(/\r?\n/);
  } catch {
    return []; // a place in something that is not a file still counts
  }
}

/** Returns undefined for a file that is not text. */
async function openQuietly(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined; // a place in something that is not text still counts
  }
}
