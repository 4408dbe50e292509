import { realpathSync } from "node:fs";
import * as vscode from "vscode";
import { asOpened, displayPath, type WorkspaceFolder, withOwnNames } from "./workspace-path.ts";

/** Returns the folders of this window, each with a unique name. @param first the absolute path of the session's folder, which comes first. */
export function workspaceFolders(first?: string): WorkspaceFolder[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const named = withOwnNames(
    folders.map(({ name, uri: { fsPath } }) => ({ name, path: fsPath, real: realPath(fsPath) })),
  );
  return named.toSorted((a, b) => Number(b.path === first) - Number(a.path === first));
}

/** Returns the editor's path of a file that the agent names by an absolute path. */
export function openedPath(path: string): string {
  return asOpened(path, workspaceFolders());
}

const realPaths = new Map<string, string>();

/** Returns the path of a folder with its links resolved, looked up once for each folder. */
function realPath(folder: string): string {
  const known = realPaths.get(folder);
  if (known !== undefined) return known;
  try {
    const real = realpathSync.native(folder);
    realPaths.set(folder, real);
    return real;
  } catch {
    return folder; // the folder is gone, or in a virtual file system
  }
}

/** Returns the path of a file as shown to people, and the URI of any other document. */
export function describeUri(uri: vscode.Uri): string {
  return uri.scheme === "file" ? displayPath(uri.fsPath, workspaceFolders()) : uri.toString();
}
