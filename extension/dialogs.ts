import * as vscode from "vscode";
import { t } from "../webview/l10n.ts";
import { offersNo } from "../webview/protocol/items.ts";
import type { ApprovalDialogs, Arrival } from "./approval-dialogs.ts";
import { assertNever } from "./assert-never.ts";
import type { Answer, Question } from "./connection/question-queue.ts";
import type { EditorQuestions } from "./editor-questions.ts";
import { type AnswerPick, answerByPick, answerOf, answerPick, notify } from "./native-input.ts";
import { readApproval, ruleAskedFor } from "./transcript/approval.ts";

interface QuestionPlaces {
  readonly editors: EditorQuestions;
  readonly approvals: ApprovalDialogs;
}

/**
 * Shows a question in the editor's own interface. Resolves to the answer, or to `undefined` when the user puts it off or `signal` aborts, which
 * takes the dialog away.
 */
export function presentQuestion(
  { request }: Question,
  { editors, approvals }: QuestionPlaces,
  arrival: Arrival,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  switch (request.method) {
    case "select": {
      const approval = readApproval(request.title, request.options);
      return approval === undefined
        ? pick(request.title, request.options, signal)
        : approvals.approve(approval, arrival, signal);
    }
    case "confirm":
      return confirm(request.title, request.message, signal);
    case "input":
      return input(request.title, request.placeholder, signal);
    case "editor": {
      const rule = ruleAskedFor(request);
      return rule === undefined
        ? editors.ask(request, signal)
        : approvals.changeRule(request.title, rule, arrival, signal);
    }
    default:
      return assertNever(request);
  }
}

/** Whether a question is one that only comes to those who see no card of it. */
export function isApproval({ request }: Question): boolean {
  return request.method === "select" && readApproval(request.title, request.options) !== undefined;
}

/** Whether a question comes to those who do not see its card in another way than by its own interface: an approval, and what belongs to one. */
export function isAboutRules(question: Question): boolean {
  const { request } = question;
  return isApproval(question) || (request.method === "editor" && ruleAskedFor(request) !== undefined);
}

function pick(title: string, options: readonly string[], signal: AbortSignal): Promise<Answer | undefined> {
  const quickPick = vscode.window.createQuickPick<AnswerPick>();
  quickPick.title = title;
  quickPick.placeholder = t("Choose an answer. Escape puts the question off; it stays open in the chat.");
  quickPick.ignoreFocusOut = true;
  const separator = { label: "", kind: vscode.QuickPickItemKind.Separator };
  const cancelPick: AnswerPick = { label: t("Cancel"), answer: { type: "cancelled" } };
  const cancel = offersNo(options) ? [] : [separator, cancelPick];
  quickPick.items = [...options.map((label) => answerPick(label, label)), ...cancel];
  const answer = answerByPick(quickPick, signal);
  // No answer is chosen beforehand: it would take the Enter of somebody who was typing elsewhere a moment ago.
  quickPick.activeItems = [];
  return answer;
}

function input(title: string, placeholder: string | undefined, signal: AbortSignal): Promise<Answer | undefined> {
  const box = vscode.window.createInputBox();
  box.title = title;
  box.placeholder = placeholder ?? "";
  box.prompt = t("The question stays open in the chat until it is answered.");
  box.ignoreFocusOut = true;
  return answerOf(box, signal, () => ({ type: "value", value: box.value }));
}

/** A notification rather than a modal message, so that no Enter meant for the code says yes. */
async function confirm(title: string, message: string, signal: AbortSignal): Promise<Answer | undefined> {
  const text = message === "" || message === title ? title : `${title}${/[.?!:]$/.test(title) ? "" : ":"} ${message}`;
  const yes = t("Yes");
  const chosen = await notify(text, [yes, t("No")], signal);
  return chosen === undefined ? undefined : { type: "confirmed", confirmed: chosen === yes };
}
