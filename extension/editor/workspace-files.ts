import { realpathSync } from "node:fs";
import * as vscode from "vscode";
import { HostToolFailed } from "../host/host-tools/host-tool.ts";
import {
  asOpened,
  displayPath,
  placeOfNew,
  possiblePaths,
  type WorkspaceFolder,
  withOwnNames,
} from "./workspace-path.ts";

/** The folders of this window, each with a name of its own. @param first the session's, absolute; it comes in front. */
export function workspaceFolders(first?: string): WorkspaceFolder[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const named = withOwnNames(
    folders.map(({ name, uri: { fsPath } }) => ({ name, path: fsPath, real: realPath(fsPath) })),
  );
  return named.toSorted((a, b) => Number(b.path === first) - Number(a.path === first));
}

/** An absolute path of the agent's as the editor calls the file. */
export function openedPath(path: string): string {
  return asOpened(path, workspaceFolders());
}

const realPaths = new Map<string, string>();

/** Looked at once for each folder. */
function realPath(folder: string): string {
  const known = realPaths.get(folder);
  if (known !== undefined) return known;
  try {
    const real = realpathSync.native(folder);
    realPaths.set(folder, real);
    return real;
  } catch {
    return folder; // it is not there now, or in a file system of the editor's
  }
}

/** Finds the file that the model means. @param folder where its session works, absolute; default the first of the window. Throws `HostToolFailed` when there is none or the path leads out of the workspace. */
export async function findFile(path: string, folder?: string): Promise<vscode.Uri> {
  const places = possiblePaths(path, workspaceFolders(folder));
  if (places.length === 0) {
    throw new HostToolFailed(`"${path}" is not inside the workspace. Use a path relative to it, or an absolute path.`);
  }
  for (const place of places) {
    const uri = vscode.Uri.file(place);
    if (await isOfType(uri, vscode.FileType.File)) return uri;
  }
  throw new HostToolFailed(`No such file: ${places.join(" or ")}. Use find or ls to see what is there.`);
}

/** How people name the file of a document; other kinds of documents by their address. */
export function describeUri(uri: vscode.Uri): string {
  return uri.scheme === "file" ? displayPath(uri.fsPath, workspaceFolders()) : uri.toString();
}

/** Finds the folder that the model means, as `findFile` does. @returns undefined when there is none, or there is something else. */
export async function findFolder(path: string, folder?: string): Promise<vscode.Uri | undefined> {
  for (const place of possiblePaths(path, workspaceFolders(folder))) {
    const uri = vscode.Uri.file(place);
    if (await isOfType(uri, vscode.FileType.Directory)) return uri;
  }
  return undefined;
}

async function isOfType(uri: vscode.Uri, type: vscode.FileType): Promise<boolean> {
  try {
    const stat = await vscode.workspace.fs.stat(uri);
    return (stat.type & type) !== 0;
  } catch {
    // Not there, or out of reach: for the caller both mean that it cannot be opened.
    return false;
  }
}

/** Where a file would be that need not be there. @param folder as for `findFile`. Throws `HostToolFailed` when the path leads out of the workspace. */
export function newFile(path: string, folder: string): vscode.Uri {
  const place = placeOfNew(path, workspaceFolders(folder));
  if (place !== undefined && displayPath(place, workspaceFolders()) !== place) return vscode.Uri.file(place);
  throw new HostToolFailed(`"${path}" is not inside the workspace. Use a path relative to it.`);
}
