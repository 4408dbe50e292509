import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { findRipgrep, gitFiles, listedFiles, ripgrepFiles } from "../../core/mentions/path-sources.ts";
import { workspaceFolders } from "../../editor/workspace-files.ts";
import type { WorkspaceFolder } from "../../editor/workspace-path.ts";
import type { PathList } from "./workspace-paths.ts";

const GIT_TIMEOUT_MS = 10_000;

/** Returns the file sources for each folder of the window; with several folders, paths are prefixed with their names. */
export async function pathLists(): Promise<PathList[]> {
  const folders = workspaceFolders();
  const rgPath = folders.length === 0 ? undefined : await findRipgrep(vscode.env.appRoot);
  return Promise.all(
    folders.map(async (folder) => ({
      prefix: folders.length > 1 ? `${folder.name}/` : "",
      ...(await listsOf(folder, rgPath)),
    })),
  );
}

async function listsOf(folder: WorkspaceFolder, rgPath: string | undefined): Promise<Omit<PathList, "prefix">> {
  const { path } = folder;
  if (rgPath !== undefined) {
    const ignored = ripgrepFiles({ rgPath, folder: path, withIgnored: true, skip: ["node_modules"] });
    return { shown: ripgrepFiles({ rgPath, folder: path }), ignored };
  }
  if (await isRepository(path)) return { shown: gitFiles(path), ignored: gitFiles(path, { onlyIgnored: true }) };
  return {
    shown: listedFiles(async () => {
      const root = vscode.Uri.file(path);
      const found = await vscode.workspace.findFiles(new vscode.RelativePattern(root, "**/*"));
      return found.map((uri) => uri.path.slice(root.path.length + 1));
    }),
  };
}

/** True when git ignores a file; false outside a repository, and when git does not answer. */
export async function isGitIgnored(folder: string, path: string): Promise<boolean> {
  const args = ["-c", "core.fsmonitor=false", "check-ignore", "-q", "--", path];
  return promisify(execFile)("git", args, { cwd: folder, timeout: GIT_TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
}

async function isRepository(folder: string): Promise<boolean> {
  const args = ["-c", "core.fsmonitor=false", "rev-parse", "--git-dir"];
  return promisify(execFile)("git", args, { cwd: folder, timeout: GIT_TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
}
