import { sep } from "node:path";
import * as vscode from "vscode";
import * as z from "zod";
import { errorMessage } from "../../../../agent/protocol/errors.ts";
import { HostToolFailed } from "../host-tool.ts";

/** The part of the git extension's API that is used here. */
export interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
  readonly state: {
    readonly HEAD:
      | { readonly name?: string; readonly commit?: string; readonly ahead?: number; readonly behind?: number }
      | undefined;
    readonly indexChanges: readonly GitChange[];
    readonly workingTreeChanges: readonly GitChange[];
    readonly untrackedChanges?: readonly GitChange[];
    readonly mergeChanges: readonly GitChange[];
  };
  status(): Promise<void>;
  diff(isStaged?: boolean): Promise<string>;
  diffIndexWithHEAD(path: string): Promise<string>;
  diffWith(ref: string, path: string): Promise<string>;
  blame(path: string): Promise<string>;
  log(options?: { maxEntries?: number; path?: string }): Promise<readonly GitCommit[]>;
  add(paths: string[]): Promise<void>;
  revert(paths: string[]): Promise<void>;
  commit(message: string, options?: { all?: boolean }): Promise<void>;
  push(remote?: string, branch?: string, setUpstream?: boolean): Promise<void>;
}

/** A changed file; `status` is a number defined by the git extension. */
export interface GitChange {
  /** The present path of the file; for a renamed file, `originalUri` is the old one. */
  readonly uri: vscode.Uri;
  readonly originalUri: vscode.Uri;
  readonly renameUri?: vscode.Uri;
  readonly status: number;
}

interface GitCommit {
  readonly hash: string;
  readonly message: string;
  readonly authorName?: string;
  readonly authorDate?: Date;
}

interface GitExtension {
  getAPI(version: 1): {
    readonly repositories: readonly GitRepository[];
    getRepository(uri: vscode.Uri): GitRepository | null;
    openRepository?(root: vscode.Uri): Promise<GitRepository | null>;
    readonly onDidOpenRepository: vscode.Event<GitRepository>;
  };
}

/** Calls `opened` for each repository that the editor opens from now on; never without the git extension. */
export function onRepository(opened: () => void): vscode.Disposable {
  let isOver = false;
  let listener: vscode.Disposable | undefined;
  const listen = async () => {
    const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
    const git = (await extension?.activate())?.getAPI(1);
    if (git === undefined || isOver) return;
    if (git.repositories.length > 0) opened();
    listener = git.onDidOpenRepository(opened);
  };
  listen().catch(() => undefined); // git is disabled
  return {
    dispose() {
      isOver = true;
      listener?.dispose();
    },
  };
}

/**
 * Returns the repository of a file, or without one of a folder.
 * @throws HostToolFailed when there is none, or the editor's git is disabled.
 */
export async function repositoryOf(folder: string, file?: string): Promise<GitRepository> {
  const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
  if (extension === undefined) throw new HostToolFailed("The editor's Git extension isn't available. Use git in bash.");
  const git = (await extension.activate()).getAPI(1);
  const uri = vscode.Uri.file(folder);
  const holder = file === undefined ? undefined : git.getRepository(vscode.Uri.file(file));
  if (holder) return holder;
  const own = git.getRepository(uri) ?? (await git.openRepository?.(uri));
  if (own) return own;
  const [inside, ...others] = git.repositories.filter(({ rootUri }) => rootUri.fsPath.startsWith(`${folder}${sep}`));
  if (inside !== undefined && others.length === 0) return inside;
  throw new HostToolFailed("The folder isn't in a Git repository that the editor has open. Use git in bash.");
}

const GitError = z.object({ stderr: z.string().min(1) });

/** Runs a git operation. @throws HostToolFailed with git's own message. */
export async function doGit<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HostToolFailed) throw error;
    const said = GitError.safeParse(error).data?.stderr.trim() ?? errorMessage(error);
    throw new HostToolFailed(`git refused: ${said}`, { cause: error });
  }
}
