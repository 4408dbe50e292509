import * as vscode from "vscode";
import { offersNo } from "../webview/protocol.ts";
import { assertNever } from "./assert-never.ts";
import type { Answer, Question } from "./connection/question-queue.ts";
import type { EditorQuestions } from "./editor-questions.ts";

/**
 * Shows a question in the editor's own interface. Resolves to the answer, or to `undefined` when the user puts it off or `signal` aborts, which
 * takes the dialog away.
 */
export function presentQuestion(
  { request }: Question,
  editors: EditorQuestions,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  switch (request.method) {
    case "select":
      return pick(request.title, request.options, signal);
    case "confirm":
      return confirm(request.title, request.message, signal);
    case "input":
      return input(request.title, request.placeholder, signal);
    case "editor":
      return editors.ask(request, signal);
    default:
      return assertNever(request);
  }
}

function pick(title: string, options: readonly string[], signal: AbortSignal): Promise<Answer | undefined> {
  const quickPick = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly isCancel?: boolean }>();
  quickPick.title = title;
  quickPick.placeholder = "Choose an answer. Escape puts the question off; it stays open in the chat.";
  quickPick.ignoreFocusOut = true;
  const separator = { label: "", kind: vscode.QuickPickItemKind.Separator };
  const cancel = offersNo(options) ? [] : [separator, { label: "Cancel", isCancel: true }];
  quickPick.items = [...options.map((label) => ({ label })), ...cancel];
  const answer = answerOf(quickPick, signal, () => {
    const [chosen] = quickPick.selectedItems;
    if (chosen === undefined) return undefined;
    return chosen.isCancel ? { type: "cancelled" } : { type: "value", value: chosen.label };
  });
  // No answer is chosen beforehand: it would take the Enter of somebody who was typing elsewhere a moment ago.
  quickPick.activeItems = [];
  return answer;
}

function input(title: string, placeholder: string | undefined, signal: AbortSignal): Promise<Answer | undefined> {
  const box = vscode.window.createInputBox();
  box.title = title;
  box.placeholder = placeholder ?? "";
  box.prompt = "The question stays open in the chat until it is answered.";
  box.ignoreFocusOut = true;
  return answerOf(box, signal, () => ({ type: "value", value: box.value }));
}

/** Shows a quick input until it is accepted or hidden; hiding it without an answer puts the question off. */
function answerOf(
  quickInput: vscode.QuickInput & { readonly onDidAccept: vscode.Event<void> },
  signal: AbortSignal,
  read: () => Answer | undefined,
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const hide = () => quickInput.hide();
    signal.addEventListener("abort", hide, { once: true });
    quickInput.onDidAccept(() => {
      const answer = read();
      if (answer === undefined) return;
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

const YES = "Yes";
const NO = "No";

/**
 * A notification rather than a modal message: it does not take the keyboard from somebody who types, so that no Enter meant for
 * the code says yes. An answer from elsewhere cannot close it for good, but hides it, and its buttons then do nothing.
 */
async function confirm(title: string, message: string, signal: AbortSignal): Promise<Answer | undefined> {
  const text = message === "" || message === title ? title : `${title}${/[.?!:]$/.test(title) ? "" : ":"} ${message}`;
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const chosen = await Promise.race([vscode.window.showWarningMessage(text, YES, NO), aborted]);
  if (signal.aborted) {
    await vscode.commands.executeCommand("notifications.hideToasts");
    return undefined;
  }
  return chosen === undefined ? undefined : { type: "confirmed", confirmed: chosen === YES };
}
