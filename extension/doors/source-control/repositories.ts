import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";

/** The part of a repository of the git extension that is used here. */
export interface Repository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
}

interface GitApi {
  readonly repositories: readonly Repository[];
  getRepository(uri: vscode.Uri): Repository | null;
}

interface GitExtension {
  getAPI(version: 1): GitApi;
}

/**
 * Returns the repository of a menu of Source Control, or else that of the file in the active editor, the only one, or the one that the user selects.
 * @returns undefined when the user canceled. @throws Error for people when there is none.
 */
export async function chooseRepository(argument: unknown): Promise<Repository | undefined> {
  if (!vscode.workspace.isTrusted) throw new Error(t("Trust this workspace to use Git."));
  const git = await openGit();
  const uri = rootOf(argument) ?? vscode.window.activeTextEditor?.document.uri;
  const own = uri === undefined ? null : git.getRepository(uri);
  if (own !== null) return own;
  const [only, ...others] = git.repositories;
  if (only === undefined) {
    throw new Error(t("No Git repository is open. Open a folder in a repository, or run Git: Initialize Repository."));
  }
  return others.length === 0 ? only : pick(git.repositories);
}

async function openGit(): Promise<GitApi> {
  const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
  if (extension === undefined) throw new Error(t("Enable the editor's Git extension first."));
  const exported = await extension.activate();
  try {
    return exported.getAPI(1);
  } catch (error) {
    throw new Error(t('Git is off. Turn on the setting "git.enabled".'), { cause: error });
  }
}

/** Returns the root in the argument of a menu of Source Control. */
function rootOf(argument: unknown): vscode.Uri | undefined {
  const root = typeof argument === "object" && argument !== null ? Reflect.get(argument, "rootUri") : undefined;
  return root instanceof vscode.Uri ? root : undefined;
}

async function pick(repositories: readonly Repository[]): Promise<Repository | undefined> {
  const items = repositories.map((repository) => ({
    label: vscode.workspace.asRelativePath(repository.rootUri),
    repository,
  }));
  return (await vscode.window.showQuickPick(items, { title: t("Select a Repository") }))?.repository;
}
