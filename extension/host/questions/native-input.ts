import * as vscode from "vscode";
import type { Answer } from "../../core/connection/question-queue.ts";
import { notificationText } from "../../editor/notification-text.ts";

/** A quick pick item that answers a question; separators have no answer. */
export interface AnswerPick extends vscode.QuickPickItem {
  readonly answer?: Answer;
}

export function answerPick(label: string, value: string, description = ""): AnswerPick {
  return { label, description, answer: { type: "value", value } };
}

/** A key that was pressed this soon was meant for what had the keyboard before, in milliseconds. */
const TOO_SOON_MS = 500;

/**
 * Shows a quick input until it is accepted or hidden; hiding it without an answer puts the question off.
 * @param isWanted true when the user asked for it, so that every key is meant for it.
 */
export function answerOf(
  quickInput: vscode.QuickInput & { readonly value: string; readonly onDidAccept: vscode.Event<void> },
  signal: AbortSignal,
  isWanted: boolean,
  read: () => Answer | undefined,
): Promise<Answer | undefined> {
  const shownAt = Date.now();
  // Without a text in its filter, only a click can have selected something so soon.
  const isMeant = () =>
    isWanted || Date.now() - shownAt >= TOO_SOON_MS || (isPick(quickInput) && quickInput.value === "");
  return new Promise((resolve) => {
    const hide = () => quickInput.hide();
    signal.addEventListener("abort", hide, { once: true });
    quickInput.onDidAccept(() => {
      const answer = read();
      if (answer === undefined || !isMeant()) return;
      resolve(answer);
      quickInput.hide();
    });
    quickInput.onDidHide(() => {
      signal.removeEventListener("abort", hide);
      quickInput.dispose();
      resolve(undefined);
    });
    quickInput.show();
  });
}

/** Shows a quick pick of answers. */
export function answerByPick(
  quickPick: vscode.QuickPick<AnswerPick>,
  signal: AbortSignal,
  isWanted: boolean,
): Promise<Answer | undefined> {
  return answerOf(quickPick, signal, isWanted, () => quickPick.selectedItems[0]?.answer);
}

/**
 * Shows a notification with buttons, which does not take the keyboard focus. An answer given elsewhere can only hide it, not close it for good;
 * its buttons then do nothing.
 */
export async function notify(
  text: string,
  buttons: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const chosen = await Promise.race([vscode.window.showWarningMessage(notificationText(text), ...buttons), aborted]);
  if (!signal.aborted) return chosen;
  await vscode.commands.executeCommand("notifications.hideToasts");
  return undefined;
}

function isPick(quickInput: vscode.QuickInput): quickInput is vscode.QuickPick<AnswerPick> {
  return "selectedItems" in quickInput;
}
