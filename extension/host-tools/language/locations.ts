import * as vscode from "vscode";
import { placeText } from "./place.ts";

/** A place with what stands there. */
export interface Spot {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
}

/** Services give either form. */
export function toSpot(found: vscode.Location | vscode.LocationLink): Spot {
  return "targetUri" in found
    ? { uri: found.targetUri, range: found.targetSelectionRange ?? found.targetRange }
    : { uri: found.uri, range: found.range };
}

/** Whether a place is in what the project only uses, such as a library. */
function isOutside(uri: vscode.Uri): boolean {
  return vscode.workspace.getWorkspaceFolder(uri) === undefined || uri.path.includes("/node_modules/");
}

/** Lines that show a place: where it is, and its line with `context` lines around it. */
export async function showSpot({ uri, range }: Spot, context: number): Promise<string[]> {
  const mark = isOutside(uri) ? " [external]" : "";
  const heading = `${placeText(uri, range.start)}${mark}`;
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

/** Undefined for what cannot be shown as text. */
async function openQuietly(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined; // a place in something that is no text is still a place
  }
}
