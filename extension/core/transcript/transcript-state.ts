import type { BashResult } from "../../../agent/protocol/commands.ts";
import type { QuestionItem, ToolItem, TranscriptItem } from "../../../webview/protocol/items.ts";
import type { PatchOp } from "../../../webview/protocol/to-panel.ts";
import type { AgentStatus, PanelUi } from "../../../webview/protocol/ui.ts";
import { NO_REFERENCES, type References } from "./references.ts";

/** A retry or compaction row. */
export type ActivityItem = Extract<TranscriptItem, { kind: "activity" }>;
export type NoticeItem = Extract<TranscriptItem, { kind: "notice" }>;

/** A text or thinking block that is streaming. Times are Unix ms of the first and the last delta. */
export interface OpenText {
  kind: "text" | "thinking";
  itemId: string;
  startedAt: number;
  lastAt: number;
  /** UTF-16 units that the page has been sent. */
  sentChars: number;
  isFinished: boolean;
}

/** A block of the reply that is streaming. */
export type OpenBlock = OpenText | { kind: "toolCall"; itemId: string; callId: string; receivedChars: number };

/** What is known of an answer, from its prompt to the end of the model's last reply. */
export interface Answer {
  model: string;
  startedAt: number | undefined;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  costUsd: number;
}

/** How the model's last reply broke off; told only when nothing follows it. */
export interface Failure {
  kind: "error" | "aborted" | "length";
  message: string;
  /** True if the key is missing or was refused. */
  isAboutKey?: boolean;
}

/** Notices that came shortly after each other. Times are Unix ms. */
export interface NoticeRow {
  readonly lastAt: number;
  readonly count: number;
  /** The last one that stands on its own, and how often it came in a row. */
  readonly last: NoticeItem;
  readonly repeats: number;
  /** What the rest is folded into. */
  readonly rest: { readonly item: NoticeItem; readonly count: number; readonly listed: readonly string[] } | undefined;
}

/** An error of an extension and how often it came. */
export interface ToldError {
  readonly item: NoticeItem;
  readonly count: number;
}

/** The texts of the messages that wait, each queue in the order in which it is read. */
export interface WaitingTexts {
  readonly steering: readonly string[];
  readonly followUp: readonly string[];
}

/**
 * What the reducer remembers between two events: the open ends only. The items themselves live in the patch queue. Never
 * changed in place.
 */
export interface TranscriptState {
  /** Makes ids of this start differ from those of any other. */
  readonly idPrefix: string;
  readonly nextId: number;
  /** Absolute folder that relative paths of tool calls start from. */
  readonly cwd: string;
  readonly ui: PanelUi;
  /** The messages that wait as the agent lists them; `ui` has the user's words of them. */
  readonly waiting: WaitingTexts;
  /** Blocks of the streaming reply by content index. */
  readonly blocks: ReadonlyMap<number, OpenBlock>;
  /** Items of the last reply, taken back when it failed and is asked for again. */
  readonly replyItems: readonly string[];
  /** Tool calls without a result, by tool call id. */
  readonly calls: ReadonlyMap<string, ToolItem>;
  readonly answer: Answer | undefined;
  /** What the answer has worked with so far. */
  readonly references: References;
  readonly failure: Failure | undefined;
  /** The notice of the last failure, which offers to go on until the user does. */
  readonly offer: NoticeItem | undefined;
  /** Whether this run has already said that it was stopped. */
  readonly isStopShown: boolean;
  readonly runStartedAt: number | undefined;
  /** Pending questions by request id. */
  readonly questions: ReadonlyMap<string, QuestionItem>;
  readonly retry: ActivityItem | undefined;
  readonly compaction: ActivityItem | undefined;
  /** The shell command of the user's that runs. */
  readonly shell: ToolItem | undefined;
  readonly noticeRow: NoticeRow | undefined;
  /** Errors of extensions that have been told, and under `rest` what was too much. */
  readonly toldErrors: ReadonlyMap<string, ToldError>;
}

/** Tells the reducer what only the host knows. */
export type HostAction =
  | { type: "host_status"; status: AgentStatus }
  | { type: "host_ui"; ui: Partial<Omit<PanelUi, "status" | "steering" | "followUp" | "queueChips">> }
  /** Nothing waits any more. */
  | { type: "host_queue_gone" }
  /** A dialog has been answered, given up or left unanswered; `answer` is for people. */
  | { type: "host_dialog_settled"; requestId: string; state: "answered" | "cancelled" | "timedOut"; answer?: string }
  /** The user has edited the change that a question is about, or taken that back. */
  | { type: "host_proposal_edited"; requestId: string; isEdited: boolean }
  | {
      type: "host_notice";
      level: NoticeItem["level"];
      text: string;
      detail?: string | undefined;
      action?: NoticeItem["action"] | undefined;
    }
  | { type: "host_shell_start"; command: string; isExcluded: boolean }
  /** Without `result` the command could not be run. */
  | { type: "host_shell_end"; result?: BashResult }
  /** The agent process is gone without having been asked: everything open ends, and a notice offers a restart. */
  | { type: "host_crashed"; text: string; detail?: string | undefined };

/** A state and what changed on the way to it. */
export interface Reduction {
  state: TranscriptState;
  ops: PatchOp[];
}

/** What everything around the conversation looks like before anything is known. */
export const INITIAL_UI: PanelUi = {
  status: "stopped",
  modelLabel: "",
  thinkingLevel: "off",
  hasThinking: false,
  mode: { label: "", icon: "", hint: "" },
  steering: [],
  followUp: [],
  widgets: [],
  statuses: [],
  sendOnEnter: true,
  whileRunning: "steer",
};

/**
 * The state before the first event.
 * @param options.idPrefix differs from one start to the next, such as a random word.
 */
export function initialTranscript(options: { idPrefix: string; cwd: string; ui?: PanelUi }): TranscriptState {
  return {
    idPrefix: options.idPrefix,
    nextId: 1,
    cwd: options.cwd,
    ui: options.ui ?? INITIAL_UI,
    waiting: { steering: [], followUp: [] },
    blocks: new Map(),
    replyItems: [],
    calls: new Map(),
    answer: undefined,
    references: NO_REFERENCES,
    failure: undefined,
    offer: undefined,
    isStopShown: false,
    runStartedAt: undefined,
    questions: new Map(),
    retry: undefined,
    compaction: undefined,
    shell: undefined,
    noticeRow: undefined,
    toldErrors: new Map(),
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** One step of the reducer on its way: a copy of the state to write to, and the changes so far. */
export interface Fold {
  readonly state: Mutable<TranscriptState>;
  readonly ops: PatchOp[];
  readonly now: number;
}

export function startFold(state: TranscriptState, now: number): Fold {
  return { state: { ...state }, ops: [], now };
}

/** A fresh item id. A tool call's id carries the model's id for it, so that the host can find the whole of it later. */
export function takeId(fold: Fold, toolCallId?: string): string {
  const id = `${fold.state.idPrefix}-${fold.state.nextId}`;
  fold.state.nextId += 1;
  return toolCallId === undefined ? id : `${id}:${toolCallId}`;
}

/** The model's id of the tool call that a tool item stands for; undefined for other items. */
export function toolCallIdOf(itemId: string): string | undefined {
  const colon = itemId.indexOf(":");
  return colon === -1 ? undefined : itemId.slice(colon + 1);
}

export function upsert(fold: Fold, item: TranscriptItem): void {
  fold.ops.push({ op: "upsert", item });
}

export function remove(fold: Fold, ids: readonly string[]): void {
  if (ids.length > 0) fold.ops.push({ op: "remove", ids: [...ids] });
}

/** Adds a line that nobody said. */
export function addNotice(fold: Fold, notice: Omit<NoticeItem, "id" | "kind">): NoticeItem {
  const item: NoticeItem = {
    id: takeId(fold),
    kind: "notice",
    level: notice.level,
    text: notice.text,
    ...(notice.detail ? { detail: notice.detail } : {}),
    ...(notice.action ? { action: notice.action } : {}),
    ...(notice.secondAction ? { secondAction: notice.secondAction } : {}),
  };
  upsert(fold, item);
  return item;
}

/** A copy of `map` with one entry set. */
export function withEntry<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}

/** A copy of `map` without one entry. */
export function withoutEntry<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}
