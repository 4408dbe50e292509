import * as vscode from "vscode";
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
 * Shows a question in the editor's own interface, as long as that takes the keyboard from nobody. Resolves to the answer, or to `undefined`
 * when the user puts it off or `signal` aborts, which takes the dialog away.
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
        ? whenFree(question, arrival, signal, () => pick(request.title, request.options, signal))
        : approvals.approve(approvalOf(request.approval, undefined), arrival, signal);
    case "confirm":
      return confirm(request.title, request.message, signal);
    case "input":
      return whenFree(question, arrival, signal, () => input(request.title, request.placeholder, signal));
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

/** Shows a pending question because the user has asked for it; the document that an answer is being written in stays the one it is. */
export async function showQuestion(queue: QuestionQueue, requestId: string, editors: EditorQuestions): Promise<void> {
  const asked = queue.pending.find(({ request }) => request.id === requestId);
  if (asked !== undefined && !(await editors.reveal(asked.request))) queue.show(requestId);
}

/** Whether a question waits in its card while that can be seen, so that it has to come in another way when it cannot. */
export function waitsInCard({ request }: Question): boolean {
  return request.method !== "confirm";
}

/** An approval, or what belongs to one. */
function isAboutRules({ request }: Question): boolean {
  if (request.method === "editor") return ruleAskedFor(request) !== undefined;
  return request.method === "select" && request.approval !== undefined;
}

/** True when a question comes up by itself in an interface of its own. */
export function showsItself(question: Question, arrival: Arrival): boolean {
  return !isAboutRules(question) && (mayTakeKeyboard(question, arrival) || !waitsInCard(question));
}

/** True when a question may take the keyboard unasked. One for consent comes when an agent starts, while the user may be typing a message. */
function mayTakeKeyboard({ request }: Question, { hasKeyboard, isAnswering }: Arrival): boolean {
  const isConsent = request.method === "select" && request.consent !== undefined;
  return isConsent ? isAnswering : hasKeyboard;
}

/**
 * Shows what takes the keyboard to those who are in the chat, or have asked for it. Others keep typing where they are: the question stays in its
 * card, and where that cannot be seen a notification tells of it.
 */
async function whenFree(
  question: Question,
  arrival: Arrival,
  signal: AbortSignal,
  show: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  if (arrival.isWanted || mayTakeKeyboard(question, arrival)) return show();
  if (!arrival.mayNotify()) return undefined;
  const { title } = question.request;
  const [answer, showChat] = [t("Answer"), t("Show Chat")];
  const chosen = await notify(title, [answer, showChat], signal);
  if (chosen === answer) return show();
  if (chosen === showChat) await arrival.showChat();
  return undefined;
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
