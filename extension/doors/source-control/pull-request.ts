import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import { askQuietly } from "../../window/ask-quietly.ts";
import type { Chats } from "../../window/chats.ts";
import { commitText } from "./commit-text.ts";
import { baseOf, branchChanges, changesBlock, commitsSince } from "./git-diffs.ts";
import { pullRequestCopy } from "./pull-request-text.ts";
import { chooseRepository } from "./repositories.ts";

const DOCUMENTS = "tiller.pullRequestDocuments";
const written = new Set<string>();

/** Writes title and description of a pull request for the current branch into a new document. @throws Error for people. */
export async function createPullRequestText(argument: unknown, chats: Chats): Promise<void> {
  const repository = await chooseRepository(argument);
  if (repository === undefined) return;
  const root = repository.rootUri.fsPath;
  const base = await baseOf(root);
  if (base === undefined) throw new Error(t("Couldn't find a base branch. Fetch origin, or create main or master."));
  const changes = await branchChanges(root, base);
  if (changes.paths.length === 0) {
    throw new Error(t("This branch has no commits since {0}. Commit to a new branch first.", base));
  }
  const commits = `Commits since ${base}:\n${await commitsSince(root, base)}\n`;
  const question = { template: "pull-request", blocks: [changesBlock(changes, commits)], folder: root };
  const answer = await askQuietly(t("Writing the pull request text…"), question, chats);
  if (answer === undefined) return;
  const content = `${commitText(answer)}\n`;
  const document = await vscode.workspace.openTextDocument({ language: "markdown", content });
  written.add(document.uri.toString());
  await vscode.commands.executeCommand("setContext", DOCUMENTS, [...written]);
  await vscode.window.showTextDocument(document, { preview: false });
}

/** Copies the text of a pull request. @param argument the document; default the one in the active editor. */
export async function copyPullRequestText(argument: unknown): Promise<void> {
  const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
  const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri?.toString());
  if (document === undefined) throw new Error(t("Open the pull request text first."));
  await vscode.env.clipboard.writeText(pullRequestCopy(document.getText()));
  vscode.window.setStatusBarMessage(t("Copied the pull request text"), 3_000);
}
