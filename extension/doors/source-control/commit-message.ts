import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import { askQuietly } from "../../window/ask-quietly.ts";
import type { Chats } from "../../window/chats.ts";
import { commitText } from "./commit-text.ts";
import { type Changes, changesBlock, recentMessages, stagedChanges, uncommittedChanges } from "./git-diffs.ts";
import { chooseRepository } from "./repositories.ts";

/**
 * Writes a message for the staged changes, or for all when nothing is staged, into the input of Source Control. What is there already is a hint for
 * the model.
 * @param argument the source control of a menu. @throws Error for people.
 */
export async function generateCommitMessage(argument: unknown, chats: Chats): Promise<void> {
  const repository = await chooseRepository(argument);
  if (repository === undefined) return;
  const { inputBox, rootUri } = repository;
  const root = rootUri.fsPath;
  const changes = await changesToCommit(root);
  const before = inputBox.value;
  const question = {
    template: "commit-message",
    args: before.trim(),
    blocks: [changesBlock(changes, await recentMessages(root))],
    folder: root,
  };
  const answer = await askQuietly(t("Writing a commit message…"), question, chats);
  if (answer === undefined) return;
  const text = commitText(answer);
  if (inputBox.value === before || (await mayReplace())) inputBox.value = text;
}

async function changesToCommit(root: string): Promise<Changes> {
  const staged = await stagedChanges(root);
  const changes = staged.paths.length > 0 ? staged : await uncommittedChanges(root);
  if (changes.paths.length === 0) throw new Error(t("There are no changes to commit. Change or stage a file first."));
  return changes;
}

/** Asks the user who has typed a message meanwhile. */
async function mayReplace(): Promise<boolean> {
  const replace = t("Replace");
  const message = t("You changed the commit message in the meantime. Replace it with the generated one?");
  return (await vscode.window.showInformationMessage(message, replace)) === replace;
}
