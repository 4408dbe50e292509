import * as vscode from "vscode";
import { workspaceFolders } from "../../editor/workspace-files.ts";
import { displayPath, placeOfNew, possiblePaths } from "../../editor/workspace-path.ts";
import { HostToolFailed } from "./host-tool.ts";

/**
 * Finds the file that the model names.
 * @param folder the absolute path of the session's folder; default the first of the window.
 * Throws `HostToolFailed` if the file does not exist or the path leads out of the workspace.
 */
export async function findFile(path: string, folder?: string): Promise<vscode.Uri> {
  const places = possiblePaths(path, workspaceFolders(folder));
  if (places.length === 0) {
    throw new HostToolFailed(`"${path}" isn't in the workspace. Use a path relative to it, or an absolute path.`);
  }
  for (const place of places) {
    const uri = vscode.Uri.file(place);
    if (await isOfType(uri, vscode.FileType.File)) return uri;
  }
  throw new HostToolFailed(`No such file: ${places.join(" or ")}. Use find or ls to see what's there.`);
}

/** Finds a folder as `findFile` finds a file. Resolves to undefined when there is no folder at `path`. */
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
    // The file is missing or out of reach: either way the caller can't open it.
    return false;
  }
}

/** Returns the URI of a file that may not exist yet. @param folder as for `findFile`. @throws HostToolFailed when `path` is outside the workspace. */
export function newFile(path: string, folder: string): vscode.Uri {
  const place = placeOfNew(path, workspaceFolders(folder));
  if (place !== undefined && displayPath(place, workspaceFolders()) !== place) return vscode.Uri.file(place);
  throw new HostToolFailed(`"${path}" isn't in the workspace. Use a path relative to it.`);
}
