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
  /** Number of UTF-16 units sent to the page. */
  sentChars: number;
  isFinished: boolean;
}

/** A block of the streaming reply. */
export type OpenBlock = OpenText | { kind: "toolCall"; itemId: string; callId: string; receivedChars: number };

/** The data of an answer, from its prompt to the end of the model's last reply. */
export interface Answer {
  model: string;
  startedAt: number | undefined;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  costUsd: number;
  /** The reasons why the cache was rewritten. */
  cacheNotes: readonly string[];
}

/** The failure of the model's last reply; reported only when nothing follows it. */
export interface Failure {
  kind: "error" | "aborted" | "length";
  message: string;
  /** True if the key is missing or was refused. */
  isAboutKey?: boolean;
}

/** Notices in quick succession. Times are Unix ms. */
export interface NoticeRow {
  readonly lastAt: number;
  readonly count: number;
  /** The last one shown on its own, and its number of repetitions. */
  readonly last: NoticeItem;
  readonly repeats: number;
  /** The notice that the rest is folded into. */
  readonly rest: { readonly item: NoticeItem; readonly count: number; readonly listed: readonly string[] } | undefined;
}

/** A crash of the agent that has not been followed by a restart yet. */
export interface Crash {
  readonly item: NoticeItem;
  /** How the process ended; absent when it did not even start. */
  readonly reason: string | undefined;
  /** The end of its output. */
  readonly detail: string | undefined;
  /** True when a run, or an offer to continue one, ended with it. */
  readonly hasCutRun: boolean;
}

/** An error of an extension and its number of occurrences. */
export interface ToldError {
  readonly item: NoticeItem;
  readonly count: number;
}

/** The texts of the queued messages, each queue in reading order. */
export interface WaitingTexts {
  readonly steering: readonly string[];
  readonly followUp: readonly string[];
}

/**
 * The state of the reducer between two events: only what is unfinished. The items themselves are in the patch queue. Never
 * mutated.
 */
export interface TranscriptState {
  /** Distinguishes the ids of this start from those of any other. */
  readonly idPrefix: string;
  readonly nextId: number;
  /** Absolute base folder of relative paths in tool calls. */
  readonly cwd: string;
  readonly ui: PanelUi;
  /** The queued messages as the agent lists them; `ui` has the user's words of them. */
  readonly waiting: WaitingTexts;
  /** Blocks of the streaming reply by content index. */
  readonly blocks: ReadonlyMap<number, OpenBlock>;
  /** Items of the last reply, removed when it failed and is retried. */
  readonly replyItems: readonly string[];
  /** Tool calls without a result, by tool call id. */
  readonly calls: ReadonlyMap<string, ToolItem>;
  readonly answer: Answer | undefined;
  /** The references of the answer so far. */
  readonly references: References;
  readonly failure: Failure | undefined;
  /** The notice of the last failure, which offers to go on until the user does. */
  readonly offer: NoticeItem | undefined;
  readonly crash: Crash | undefined;
  /** True when this run was already reported as stopped. */
  readonly isStopShown: boolean;
  readonly runStartedAt: number | undefined;
  /** For how long questions of the answer have waited for the user, and since when one does. */
  readonly waitedMs: number;
  readonly waitsSince: number | undefined;
  /** Pending questions by request id. */
  readonly questions: ReadonlyMap<string, QuestionItem>;
  readonly retry: ActivityItem | undefined;
  readonly compaction: ActivityItem | undefined;
  /** The user's running shell command. */
  readonly shell: ToolItem | undefined;
  readonly noticeRow: NoticeRow | undefined;
  /** Reported errors of extensions; those beyond the limit under `rest`. */
  readonly toldErrors: ReadonlyMap<string, ToldError>;
}

/** Actions by which the host tells the reducer what only it knows. */
export type HostAction =
  | { type: "host_status"; status: AgentStatus }
  | { type: "host_ui"; ui: Partial<Omit<PanelUi, "status" | "steering" | "followUp" | "queueChips">> }
  /** The queues are empty. */
  | { type: "host_queue_gone" }
  /** A dialog was answered, cancelled or timed out; `answer` is for people. */
  | { type: "host_dialog_settled"; requestId: string; state: "answered" | "cancelled" | "timedOut"; answer?: string }
  /** The user has edited the change that a question is about, or reverted the edit. */
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
  /** The agent process exited unexpectedly: everything open ends, and a notice offers a restart. `reason` is absent if it did not start. */
  | { type: "host_crashed"; text: string; reason?: string | undefined; detail?: string | undefined }
  /** The agent runs again after a crash, with the same session. */
  | { type: "host_restarted" };

/** A state and the changes that led to it. */
export interface Reduction {
  state: TranscriptState;
  ops: PatchOp[];
}

/** The UI state before anything is known. */
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
 * Returns the state before the first event.
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
    crash: undefined,
    isStopShown: false,
    runStartedAt: undefined,
    waitedMs: 0,
    waitsSince: undefined,
    questions: new Map(),
    retry: undefined,
    compaction: undefined,
    shell: undefined,
    noticeRow: undefined,
    toldErrors: new Map(),
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** One step of the reducer: a copy of the state to write to, and the changes so far. */
export interface Fold {
  readonly state: Mutable<TranscriptState>;
  readonly ops: PatchOp[];
  readonly now: number;
}

export function startFold(state: TranscriptState, now: number): Fold {
  return { state: { ...state }, ops: [], now };
}

/** Returns a new item id. That of a tool call contains the model's id for it, so that the host can find the complete call later. */
export function takeId(fold: Fold, toolCallId?: string): string {
  const id = `${fold.state.idPrefix}-${fold.state.nextId}`;
  fold.state.nextId += 1;
  return toolCallId === undefined ? id : `${id}:${toolCallId}`;
}

/** Returns the model's tool call id from the id of a tool item; undefined for other items. */
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

/** Adds a notice. */
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

/** Returns a copy of `map` with one entry set. */
export function withEntry<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}

/** Returns a copy of `map` without one entry. */
export function withoutEntry<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}
