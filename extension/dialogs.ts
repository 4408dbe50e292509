import * as vscode from "vscode";
import { type Approval, offersNo } from "../webview/protocol.ts";
import { assertNever } from "./assert-never.ts";
import type { Answer, Question } from "./connection/question-queue.ts";
import type { EditorQuestions } from "./editor-questions.ts";
import { readApproval } from "./transcript/approval.ts";

/** Where a question is shown. */
interface QuestionPlace {
  readonly editors: EditorQuestions;
  /** Whether the user has asked to see it. */
  readonly isWanted: boolean;
  /** Whether its card in the chat can be seen. */
  readonly isChatVisible: boolean;
}

/**
 * Shows a question in the editor's own interface. Resolves to the answer, or to `undefined` when the user puts it off or `signal` aborts, which
 * takes the dialog away.
 */
export function presentQuestion(
  { request }: Question,
  place: QuestionPlace,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const { editors } = place;
  switch (request.method) {
    case "select": {
      const approval = readApproval(request.title, request.options);
      if (approval !== undefined) return presentApproval(approval, request.title, place, signal);
      return pick(request.title, request.options, signal);
    }
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

/**
 * An approval comes while the user works on something else: unless it was asked for, it is a notification, which leaves the keyboard where
 * it is, and nothing at all while its card can be seen.
 */
async function presentApproval(
  approval: Approval,
  title: string,
  { isWanted, isChatVisible }: QuestionPlace,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  if (!isWanted) {
    if (isChatVisible) return undefined;
    const chosen = await notify(title.replaceAll("\n", " "), [ONCE_BUTTON, DENY_BUTTON, MORE_BUTTON], signal);
    if (chosen === ONCE_BUTTON) return { type: "value", value: approval.once };
    if (chosen === DENY_BUTTON) return { type: "value", value: approval.deny };
    if (chosen !== MORE_BUTTON || signal.aborted) return undefined;
  }
  const quickPick = vscode.window.createQuickPick<AnswerPick>();
  quickPick.title = `Allow ${approval.toolName}? ${approval.subject}`.trim();
  quickPick.placeholder = approval.reasons.join(" ") || "Choose an answer. Escape puts the question off.";
  quickPick.ignoreFocusOut = true;
  quickPick.matchOnDescription = true;
  quickPick.items = approvalPicks(approval);
  return answerOf(quickPick, signal, () => readPick(quickPick));
}

interface AnswerPick extends vscode.QuickPickItem {
  readonly answer?: Answer;
}

const CANCEL_PICK: AnswerPick = { label: "Cancel", answer: { type: "cancelled" } };
const ONCE_BUTTON = "Allow Once";
const DENY_BUTTON = "Deny";
const MORE_BUTTON = "More…";

function approvalPicks({ once, deny, change, rules }: Approval): AnswerPick[] {
  const separator = (label: string) => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const stored = rules.map(({ scope, text, option }) => answerPick(SCOPE_LABELS[scope], option, text));
  const other = change === undefined ? [] : [answerPick(change, change)];
  return [
    answerPick(once, once),
    ...(stored.length > 0 ? [separator("remembered")] : []),
    ...stored,
    ...other,
    separator(""),
    answerPick(deny, deny),
  ];
}

function answerPick(label: string, value: string, description = ""): AnswerPick {
  return { label, description, answer: { type: "value", value } };
}

const SCOPE_LABELS = {
  session: "Allow for this session",
  workspace: "Allow in this workspace",
  always: "Allow always",
} as const;

function readPick(quickPick: vscode.QuickPick<AnswerPick>): Answer | undefined {
  return quickPick.selectedItems[0]?.answer;
}

function pick(title: string, options: readonly string[], signal: AbortSignal): Promise<Answer | undefined> {
  const quickPick = vscode.window.createQuickPick<AnswerPick>();
  quickPick.title = title;
  quickPick.placeholder = "Choose an answer. Escape puts the question off; it stays open in the chat.";
  quickPick.ignoreFocusOut = true;
  const separator = { label: "", kind: vscode.QuickPickItemKind.Separator };
  const cancel = offersNo(options) ? [] : [separator, CANCEL_PICK];
  quickPick.items = [...options.map((label) => answerPick(label, label)), ...cancel];
  const answer = answerOf(quickPick, signal, () => readPick(quickPick));
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
 * the code says yes.
 */
async function confirm(title: string, message: string, signal: AbortSignal): Promise<Answer | undefined> {
  const text = message === "" || message === title ? title : `${title}${/[.?!:]$/.test(title) ? "" : ":"} ${message}`;
  const chosen = await notify(text, [YES, NO], signal);
  return chosen === undefined ? undefined : { type: "confirmed", confirmed: chosen === YES };
}

/** A notification with buttons. An answer from elsewhere cannot close it for good, but hides it, and its buttons then do nothing. */
async function notify(text: string, buttons: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const chosen = await Promise.race([vscode.window.showWarningMessage(text, ...buttons), aborted]);
  if (!signal.aborted) return chosen;
  await vscode.commands.executeCommand("notifications.hideToasts");
  return undefined;
}
