import type { DialogRequest, SelectRequest, UiRequest } from "../../../agent/protocol/dialogs.ts";
import type { Approval, QuestionItem } from "../../../webview/protocol/items.ts";
import type { Widget } from "../../../webview/protocol/ui.ts";
import { approvalOf, noteApproval, ruleAskedFor, wordApproval } from "./approval.ts";
import { foldNotice } from "./fold-notices.ts";
import { noteOnCall, showWaiting } from "./fold-tools.ts";
import { type Fold, remove, takeId, upsert, withEntry, withoutEntry } from "./transcript-state.ts";

/** Maximum number of status lines and widgets; the oldest are dropped. */
const MAX_STATUSES = 20;
const MAX_WIDGETS = 20;
/** Maximum number of lines of a widget, and of characters of a line. */
const MAX_WIDGET_LINES = 100;
const MAX_LINE_CHARS = 1_000;

/** Handles a request of the agent's extensions to the interface. */
export function foldUiRequest(fold: Fold, request: UiRequest): void {
  switch (request.method) {
    case "select":
    case "confirm":
    case "input":
    case "editor":
      ask(fold, request);
      return;
    case "cancel":
      withdraw(fold, request.targetId);
      return;
    case "notify":
      foldNotice(fold, { level: request.notifyType ?? "info", text: request.message });
      return;
    case "setStatus": {
      const others = fold.state.ui.statuses.filter((status) => status.key !== request.statusKey);
      const own =
        request.statusText === undefined
          ? []
          : [{ key: request.statusKey, text: request.statusText.slice(0, MAX_LINE_CHARS) }];
      fold.state.ui = { ...fold.state.ui, statuses: [...others, ...own].slice(-MAX_STATUSES) };
      return;
    }
    case "setWidget":
      setWidget(fold, request);
      return;
    default:
      return;
  }
}

/** The agent no longer waits for an answer. An approval ends with its call. */
function withdraw(fold: Fold, requestId: string): void {
  const isApproval = fold.state.questions.get(requestId)?.approval !== undefined;
  const state = isApproval ? "cancelled" : "withdrawn";
  settleQuestion(fold, requestId, hasExpired(fold, requestId) ? "timedOut" : state);
}

/** Ends a pending question. Questions that are not pending are skipped. */
export function settleQuestion(
  fold: Fold,
  requestId: string,
  state: Exclude<QuestionItem["state"], "pending">,
  answer?: string,
): void {
  const question = fold.state.questions.get(requestId);
  if (!question) return;
  fold.state.questions = withoutEntry(fold.state.questions, requestId);
  if (fold.state.questions.size === 0) endWait(fold);
  // The user wants to change the rule, or to see a preview: that comes next, and then the question is asked again.
  const isRule = question.method === "input" && question.prefill !== undefined;
  const { change, tryOut } = question.approval ?? {};
  if (isRule || (answer !== undefined && (answer === change || answer === tryOut))) {
    remove(fold, [question.id]);
    return;
  }
  const { approval } = question;
  if (approval !== undefined) {
    const note = noteApproval(approval, answer, question.isEdited === true);
    if (noteOnCall(fold, approval.callId, note)) {
      remove(fold, [question.id]);
      return;
    }
    const isAllowed = answer !== undefined && answer !== approval.deny;
    const words = wordApproval(approval, answer, question.isEdited === true);
    upsert(fold, { ...question, state, answer: words, isAllowed });
    return;
  }
  upsert(fold, { ...question, state, ...(answer === undefined ? {} : { answer }) });
}

/** Notes whether the user has edited the change that a question is about. */
export function markEdited(fold: Fold, requestId: string, isEdited: boolean): void {
  const question = fold.state.questions.get(requestId);
  if (!question) return;
  const item = { ...question, isEdited };
  fold.state.questions = withEntry(fold.state.questions, requestId, item);
  upsert(fold, item);
}

/** Cancels every pending question, because the agent no longer waits for the answers. */
export function cancelQuestions(fold: Fold): void {
  for (const requestId of fold.state.questions.keys()) settleQuestion(fold, requestId, "cancelled");
}

/** Adds the time that the user took to what doesn't count as the agent's. */
function endWait(fold: Fold): void {
  const { waitsSince } = fold.state;
  if (waitsSince !== undefined) fold.state.waitedMs += Math.max(0, fold.now - waitsSince);
  fold.state.waitsSince = undefined;
}

function ask(fold: Fold, request: DialogRequest): void {
  const approval = request.method === "select" ? askedFor(fold, request) : undefined;
  const rule = ruleAskedFor(request);
  const item: QuestionItem = {
    id: takeId(fold),
    kind: "question",
    requestId: request.id,
    method: rule === undefined ? request.method : "input",
    title: request.title,
    options: request.method === "select" ? request.options : [],
    state: "pending",
    ...(request.method === "confirm" ? { message: request.message } : {}),
    ...(request.method === "input" && request.placeholder ? { placeholder: request.placeholder } : {}),
    ...(request.method === "input" && request.password === true ? { isSecret: true } : {}),
    ...(request.method === "editor" && request.prefill ? { prefill: request.prefill } : {}),
    ...(request.timeout === undefined ? {} : { deadline: fold.now + request.timeout }),
    ...(approval === undefined ? {} : { approval }),
  };
  showWaiting(fold, approval?.callId);
  fold.state.waitsSince ??= fold.now;
  fold.state.questions = withEntry(fold.state.questions, request.id, item);
  upsert(fold, item);
}

function askedFor(fold: Fold, { approval }: SelectRequest): Approval | undefined {
  return approval && approvalOf(approval, fold.state.calls.get(approval.toolCallId), fold.state.cwd);
}

function hasExpired(fold: Fold, requestId: string): boolean {
  const deadline = fold.state.questions.get(requestId)?.deadline;
  return deadline !== undefined && fold.now >= deadline;
}

function setWidget(fold: Fold, request: Extract<UiRequest, { method: "setWidget" }>): void {
  const widgets = fold.state.ui.widgets.filter((widget) => widget.key !== request.widgetKey);
  if (request.widgetLines !== undefined) {
    const placement: Widget["placement"] = request.widgetPlacement === "belowEditor" ? "below" : "above";
    const lines = request.widgetLines.slice(0, MAX_WIDGET_LINES).map((line) => line.slice(0, MAX_LINE_CHARS));
    widgets.push({ key: request.widgetKey, lines, placement });
  }
  fold.state.ui = { ...fold.state.ui, widgets: widgets.slice(-MAX_WIDGETS) };
}
