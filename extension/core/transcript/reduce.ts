import type { UiRequest } from "../../../agent/protocol/dialogs.ts";
import type { AgentEvent } from "../../../agent/protocol/events.ts";
import type { AgentMessage } from "../../../agent/protocol/messages.ts";
import { t } from "../../../webview/l10n.ts";
import type { TranscriptItem } from "../../../webview/protocol/items.ts";
import type { AgentStatus } from "../../../webview/protocol/ui.ts";
import { endCompaction, endRetry, startCompaction, startRetry, tellOfPruning } from "./fold-activity.ts";
import { addOffer, closeAnswer, endOffer } from "./fold-answer.ts";
import { foldCrash, foldRestart } from "./fold-crash.ts";
import { endMessage, startMessage, streamReply } from "./fold-messages.ts";
import { foldExtensionError } from "./fold-notices.ts";
import { endShell, growShell, startShell } from "./fold-shell.ts";
import { closeCall, describeCall, showPartialResult } from "./fold-tools.ts";
import { cancelQuestions, foldUiRequest, markEdited, settleQuestion } from "./fold-ui.ts";
import { showWrittenPlan } from "./plan.ts";
import { showQueue } from "./show-queue.ts";
import {
  addNotice,
  type Fold,
  type HostAction,
  initialTranscript,
  type Reduction,
  startFold,
  type TranscriptState,
} from "./transcript-state.ts";

/** The maximum length of a server's name, in UTF-16 units. */
const MAX_NAME_CHARS = 60;

/**
 * Folds one event into the transcript. Synchronous, and never throws; unknown events change nothing.
 * @param now Unix time in ms.
 * @returns the next state and the changes of the item list; `state.ui` is a new object when it changed.
 */
export function reduce(state: TranscriptState, event: AgentEvent | UiRequest | HostAction, now: number): Reduction {
  const fold = startFold(state, now);
  if (event.type === "extension_ui_request") foldUiRequest(fold, event);
  else if (isHostAction(event)) foldHostAction(fold, event);
  else foldAgentEvent(fold, event);
  return { state: fold.state, ops: fold.ops };
}

/**
 * Builds the transcript of a conversation that was not watched, as it would look if it had been, except for the durations of thinking
 * and answers, which are unknown. The UI state stays as it is in `state`, except for what the last answer says of the cache.
 * @param now Unix time in ms.
 */
export function rebuild(
  state: TranscriptState,
  messages: readonly AgentMessage[],
  now: number,
): { state: TranscriptState; items: TranscriptItem[] } {
  const blank = initialTranscript({
    idPrefix: state.idPrefix,
    cwd: state.cwd,
    ui: { ...state.ui, cacheNote: undefined },
  });
  const fold = startFold({ ...blank, nextId: state.nextId }, now);
  for (const message of messages) {
    startMessage(fold, message);
    endMessage(fold, message);
  }
  closeAnswer(fold);
  const items = new Map<string, TranscriptItem>();
  for (const op of fold.ops) {
    if (op.op === "upsert") items.set(op.item.id, op.item);
    if (op.op === "remove") for (const id of op.ids) items.delete(id);
  }
  return { state: fold.state, items: [...items.values()] };
}

/** Returns the items of a conversation that was not watched. */
export function itemsFromMessages(
  messages: readonly AgentMessage[],
  options: { idPrefix: string; cwd: string },
): TranscriptItem[] {
  return rebuild(initialTranscript(options), messages, 0).items;
}

/** True for an action of the host, as opposed to a frame of the agent. */
export function isHostAction(event: AgentEvent | UiRequest | HostAction): event is HostAction {
  return event.type.startsWith("host_");
}

function foldHostAction(fold: Fold, action: HostAction): void {
  switch (action.type) {
    case "host_status":
      setStatus(fold, action.status);
      return;
    case "host_ui":
      fold.state.ui = { ...fold.state.ui, ...action.ui };
      return;
    case "host_queue_gone":
      showQueue(fold, { steering: [], followUp: [] });
      return;
    case "host_dialog_settled":
      settleQuestion(fold, action.requestId, action.state, action.answer);
      return;
    case "host_proposal_edited":
      markEdited(fold, action.requestId, action.isEdited);
      return;
    case "host_notice":
      addOffer(fold, action);
      return;
    case "host_shell_start":
      startShell(fold, action);
      return;
    case "host_shell_end":
      endShell(fold, action.result);
      return;
    case "host_crashed":
      foldCrash(fold, action, endEverything);
      setStatus(fold, "crashed");
      return;
    case "host_restarted":
      foldRestart(fold);
      return;
  }
}

function foldAgentEvent(fold: Fold, event: AgentEvent): void {
  switch (event.type) {
    case "agent_start":
      endOffer(fold);
      fold.state.runStartedAt ??= fold.now;
      fold.state.isStopShown = false;
      // The run renews the provider's cache. The agent reports the new expiry after it.
      if (fold.state.ui.cache !== undefined) fold.state.ui = { ...fold.state.ui, cache: undefined };
      begin(fold, undefined);
      return;
    case "run_waiting":
      begin(fold, wordWaiting(event.names));
      return;
    case "agent_end":
      if (!event.willRetry && !event.willContinue) closeAnswer(fold);
      return;
    case "agent_settled":
      settleRun(fold, event.aborted);
      return;
    case "message_start":
      startMessage(fold, event.message);
      return;
    case "message_update":
      streamReply(fold, event.assistantMessageEvent);
      return;
    case "message_end":
      endMessage(fold, event.message);
      return;
    case "tool_execution_start":
      describeCall(fold, { id: event.toolCallId, name: event.toolName, args: event.args, state: "running" });
      return;
    case "tool_execution_update":
      showPartialResult(fold, event.toolCallId, event.partialResult);
      return;
    case "tool_execution_end":
      closeCall(fold, event.toolCallId, event);
      if (event.toolName === "todo_write" && !event.isError) showWrittenPlan(fold, event.result.details);
      return;
    case "queue_update":
      showQueue(fold, event);
      return;
    case "thinking_level_changed":
      fold.state.ui = { ...fold.state.ui, thinkingLevel: event.level };
      return;
    default:
      foldSideEvent(fold, event);
      return;
  }
}

/** Folds events beside the conversation; those that are not shown are skipped. */
function foldSideEvent(fold: Fold, event: AgentEvent): void {
  switch (event.type) {
    case "auto_retry_start":
      startRetry(fold, event);
      return;
    case "auto_retry_end":
      endRetry(fold, event.success ? t("Succeeded on attempt {0}", event.attempt + 1) : retryFailure(event));
      return;
    case "compaction_start":
    case "auto_compaction_start":
      startCompaction(fold, event.reason);
      return;
    case "compaction_end":
    case "auto_compaction_end":
      endCompaction(fold, event);
      return;
    case "entry_appended":
      tellOfPruning(fold, event.entry);
      return;
    case "bash_execution_update":
      growShell(fold, event.delta);
      return;
    case "extension_error":
      foldExtensionError(fold, event);
      return;
    default:
      return;
  }
}

function retryFailure(event: { attempt: number; aborted?: boolean | undefined }): string {
  if (event.aborted === true) return t("Retry canceled");
  return event.attempt === 1 ? t("Gave up after 1 retry") : t("Gave up after {0} retries", event.attempt);
}

/** Shows that the agent is working. @param work its activity, if it isn't the answer. */
function begin(fold: Fold, work: string | undefined): void {
  if (fold.state.ui.work !== work) fold.state.ui = { ...fold.state.ui, work };
  if (fold.state.ui.status !== "stopping") setStatus(fold, "running");
}

function wordWaiting(names: readonly string[]): string {
  const [name = ""] = names;
  return names.length === 1 ? t("Starting MCP server {0}…", clip(name)) : t("Starting MCP servers…");
}

function clip(name: string): string {
  return name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS)}…` : name;
}

function settleRun(fold: Fold, aborted: boolean): void {
  closeAnswer(fold);
  endRetry(fold, t("Retry canceled"));
  if (aborted && !fold.state.isStopShown) addNotice(fold, { level: "info", text: t("Stopped") });
  fold.state.runStartedAt = undefined;
  fold.state.isStopShown = false;
  fold.state.ui = { ...fold.state.ui, work: undefined };
  setStatus(fold, "idle");
}

function endEverything(fold: Fold): void {
  for (const block of fold.state.blocks.values()) {
    if (block.kind === "toolCall") continue;
    fold.ops.push({ op: "finish", id: block.itemId });
  }
  fold.state.blocks = new Map();
  closeAnswer(fold);
  cancelQuestions(fold);
  endShell(fold, undefined);
  endRetry(fold, t("Retry canceled"));
  endCompaction(fold, { aborted: true });
  fold.state.runStartedAt = undefined;
  showQueue(fold, { steering: [], followUp: [] });
  fold.state.ui = { ...fold.state.ui, widgets: [], statuses: [], work: undefined };
}

function setStatus(fold: Fold, status: AgentStatus): void {
  if (fold.state.ui.status === status) return;
  const { runningSince = fold.now, ...ui } = fold.state.ui;
  const isAtWork = status === "running" || status === "stopping";
  fold.state.ui = { ...ui, status, ...(isAtWork ? { runningSince } : {}) };
}
