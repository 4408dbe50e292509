import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";
import { runPrompt } from "../../chat/run-prompt.ts";
import { joinPrompt } from "../../core/mentions/prompt-blocks.ts";
import type { Chats } from "../../window/chats.ts";
import { chatForCommand } from "../../window/command-chat.ts";
import { FindingMarks } from "./finding-marks.ts";
import { findFindings } from "./findings.ts";
import { baseOf, branchChanges, type Changes, changesBlock, stagedChanges, uncommittedChanges } from "./git-diffs.ts";
import { chooseRepository } from "./repositories.ts";

let shown: FindingMarks | undefined;

/** Removes the marks of the last review. */
export function clearFindings(): void {
  shown?.clear();
}

/**
 * Asks which changes to review, sends them to the chat for commands, and marks the findings in the files.
 * @param argument the source control of a menu. @param subscriptions get what ends the marks. @throws Error for people.
 */
export async function reviewChanges(
  argument: unknown,
  { chats, subscriptions }: { readonly chats: Chats; readonly subscriptions: vscode.Disposable[] },
): Promise<void> {
  const repository = await chooseRepository(argument);
  if (repository === undefined) return;
  const root = repository.rootUri.fsPath;
  const scope = await pickScope(root);
  if (scope === undefined) return;
  const changes = await scope.read();
  if (changes.paths.length === 0) throw new Error(t("There are no changes to review."));
  const chat = chatForCommand(chats, repository.rootUri);
  await chats.reveal(chat);
  const message = joinPrompt([changesBlock(changes)], `/review ${scope.words}`);
  const answer = await chats.hub.hold(chat, () => ask(chat, message));
  if (answer === undefined) return;
  if (shown === undefined) {
    shown = new FindingMarks();
    subscriptions.push(shown);
  }
  void tell(await shown.show(root, findFindings(answer)));
}

/** Returns the answer; undefined when there is none, which the chat shows. */
async function ask(chat: Chat, message: string): Promise<string | undefined> {
  const { text, answer, aborted } = await runPrompt(chat, message);
  return aborted || answer?.stopReason === "error" ? undefined : text;
}

async function tell(count: number): Promise<void> {
  if (count === 0) {
    void vscode.window.showInformationMessage(t("The review listed no findings with a file and a line. See the chat."));
    return;
  }
  const show = t("Show Problems");
  const message = count === 1 ? t("The review has 1 finding.") : t("The review has {0} findings.", count);
  const chosen = await vscode.window.showInformationMessage(message, show);
  if (chosen === show) await vscode.commands.executeCommand("workbench.actions.view.problems");
}

interface Scope extends vscode.QuickPickItem {
  /** The changes, for the model. */
  readonly words: string;
  read(): Promise<Changes>;
}

async function pickScope(root: string): Promise<Scope | undefined> {
  const base = await baseOf(root);
  const scopes: Scope[] = [
    {
      label: t("Working Tree"),
      description: t("All uncommitted changes"),
      words: "the attached uncommitted changes",
      read: () => uncommittedChanges(root),
    },
    {
      label: t("Staged Changes"),
      description: t("What the next commit contains"),
      words: "the attached staged changes",
      read: () => stagedChanges(root),
    },
  ];
  if (base !== undefined) {
    scopes.push({
      label: t("Branch"),
      description: t("Commits since {0}", base),
      words: `the attached changes of this branch since ${base}`,
      read: () => branchChanges(root, base),
    });
  }
  return vscode.window.showQuickPick(scopes, { title: t("Select Changes to Review") });
}
