import * as vscode from "vscode";
import type { DialogRequest } from "../../../agent/protocol/dialogs.ts";
import { t } from "../../../webview/l10n.ts";
import { offersNo } from "../../../webview/protocol/items.ts";
import type { Answer, Question, QuestionQueue } from "../../core/connection/question-queue.ts";
import { approvalOf, ruleAskedFor } from "../../core/transcript/approval.ts";
import { assertNever } from "../../editor/assert-never.ts";
import type { ApprovalDialogs, Arrival } from "./approval-dialogs.ts";
import type { EditorQuestions } from "./editor-questions.ts";
import { type AnswerPick, answerByPick, answerOf, answerPick, notify } from "./native-input.ts";

interface QuestionPlaces {
  readonly editors: EditorQuestions;
  readonly approvals: ApprovalDialogs;
}

/**
 * Shows a question in the editor's own interface, unless that would take the keyboard focus while the user types.
 * Resolves to the answer, or to `undefined` when the user puts it off or `signal` aborts, which closes the dialog.
 */
export function presentQuestion(
  question: Question,
  { editors, approvals }: QuestionPlaces,
  arrival: Arrival,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const { request } = question;
  switch (request.method) {
    case "select":
      return request.approval === undefined
        ? whenFree(question, arrival, signal, (isWanted) => pick(request.title, request.options, isWanted, signal))
        : approvals.approve(approvalOf(request.approval, undefined), arrival, signal);
    case "confirm":
      return confirm(request.title, request.message, arrival, signal);
    case "input":
      return whenFree(question, arrival, signal, (isWanted) => input(request, isWanted, signal));
    case "editor": {
      const rule = ruleAskedFor(request);
      return rule === undefined
        ? whenFree(question, arrival, signal, () => editors.ask(request, signal))
        : approvals.changeRule(request.title, rule, arrival, signal);
    }
    default:
      return assertNever(request);
  }
}

/** Shows a pending question because the user asked for it; a document with a partly written answer is reused. */
export async function showQuestion(queue: QuestionQueue, requestId: string, editors: EditorQuestions): Promise<void> {
  const asked = queue.pending.find(({ request }) => request.id === requestId);
  if (asked !== undefined && !(await editors.reveal(asked.request))) queue.show(requestId);
}

/** True for an approval, or a question that belongs to one. */
function isAboutRules({ request }: Question): boolean {
  if (request.method === "editor") return ruleAskedFor(request) !== undefined;
  return request.method === "select" && request.approval !== undefined;
}

/** True when a question is shown by itself in an interface that takes the keyboard focus. */
export function showsItself(question: Question, arrival: Arrival): boolean {
  return question.request.method !== "confirm" && !isAboutRules(question) && mayTakeKeyboard(question, arrival);
}

/** True when a question may take the keyboard focus unasked. One for consent comes at an agent's start, when the user may be typing a message. */
function mayTakeKeyboard({ request }: Question, { isFree, isAnswering }: Arrival): boolean {
  const isConsent = request.method === "select" && request.consent !== undefined;
  return isConsent ? isAnswering : isFree;
}

/**
 * Shows a dialog that takes the focus only to users who are in the chat, or have asked for it. Otherwise the question stays in its card, and when
 * that is not visible, a notification is shown.
 */
async function whenFree(
  question: Question,
  arrival: Arrival,
  signal: AbortSignal,
  show: (isWanted: boolean) => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  if (arrival.isWanted || mayTakeKeyboard(question, arrival)) return show(arrival.isWanted);
  if (!arrival.mayNotify()) return undefined;
  const { title } = question.request;
  const [answer, showChat] = [t("Answer"), t("Show Chat")];
  const chosen = await notify(title, [answer, showChat], signal);
  if (chosen === answer) return show(true);
  if (chosen === showChat) await arrival.showChat();
  return undefined;
}

function pick(
  title: string,
  options: readonly string[],
  isWanted: boolean,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const quickPick = vscode.window.createQuickPick<AnswerPick>();
  quickPick.title = title;
  quickPick.placeholder = t("Select an answer, or press Escape to answer later in the chat");
  quickPick.ignoreFocusOut = true;
  const separator = { label: "", kind: vscode.QuickPickItemKind.Separator };
  const cancelPick: AnswerPick = { label: t("Cancel"), answer: { type: "cancelled" } };
  const cancel = offersNo(options) ? [] : [separator, cancelPick];
  quickPick.items = [...options.map((label) => answerPick(label, label)), ...cancel];
  const answer = answerByPick(quickPick, signal, isWanted);
  // No answer is preselected: a user who was typing elsewhere a moment ago could accept it with Enter.
  quickPick.activeItems = [];
  return answer;
}

function input(
  { title, placeholder = "", password = false }: Extract<DialogRequest, { method: "input" }>,
  isWanted: boolean,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const box = vscode.window.createInputBox();
  box.title = title;
  box.placeholder = placeholder;
  box.password = password;
  box.prompt = t("The question stays in the chat until you answer it");
  box.ignoreFocusOut = true;
  return answerOf(box, signal, isWanted, () => ({ type: "value", value: box.value }));
}

/**
 * Asks in a notification rather than a modal dialog, so that an Enter meant for the code does not confirm it, and only in the card while that is
 * visible.
 */
async function confirm(
  title: string,
  message: string,
  arrival: Arrival,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  if (!arrival.isWanted && !arrival.mayNotify()) return undefined;
  const text = message === "" || message === title ? title : `${title}${/[.?!:]$/.test(title) ? "" : ":"} ${message}`;
  const yes = t("Yes");
  const chosen = await notify(text, [yes, t("No")], signal);
  return chosen === undefined ? undefined : { type: "confirmed", confirmed: chosen === yes };
}
