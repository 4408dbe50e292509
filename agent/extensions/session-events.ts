import type { CompactionReason } from "../protocol/compaction.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { BranchSummaryEntry, CompactionEntry, SessionEntry } from "../protocol/session-entries.ts";

/** The files in messages, by operation. */
export interface FileOperations {
  read: Set<string>;
  written: Set<string>;
  edited: Set<string>;
}

/** The plan of a compaction. */
export interface CompactionPreparation {
  /** The oldest entry that stays as it is. */
  firstKeptEntryId: string;
  messagesToSummarize: AgentMessage[];
  /** The beginning of the turn that the cut goes through; it is summarised by itself. */
  turnPrefixMessages: AgentMessage[];
  isSplitTurn: boolean;
  tokensBefore: number;
  /** The summary of an earlier compaction. */
  previousSummary?: string;
  fileOps: FileOperations;
  settings: { enabled: boolean; reserveTokens: number; keepRecentTokens: number };
}

/** A compaction before it is made: `{cancel: true}` keeps the history as it is, `{compaction}` brings the summary. */
export interface BeforeCompactEvent {
  type: "session_before_compact";
  preparation: CompactionPreparation;
  /** From the root to the leaf. */
  branchEntries: SessionEntry[];
  reason: CompactionReason;
  /** True if the request that did not fit is made again afterwards. */
  willRetry: boolean;
  customInstructions?: string;
  signal: AbortSignal;
}

/** A way through the session's tree before it is gone. */
export interface TreePreparation {
  targetId: string;
  oldLeafId: string | null;
  /** The last entry that the way there and the way here share. */
  commonAncestorId: string | null;
  /** The entries of the abandoned branch, in order. */
  entriesToSummarize: SessionEntry[];
  userWantsSummary: boolean;
  customInstructions?: string;
  /** True if `customInstructions` stand in place of the usual ones. */
  replaceInstructions?: boolean;
  /** A name for the summary, or without one for the target. */
  label?: string;
}

/** Events about the session itself. */
export interface SessionEvents {
  session_start: {
    type: "session_start";
    reason: "startup" | "new" | "resume" | "fork" | "reload";
    previousSessionFile?: string;
  };
  session_shutdown: {
    type: "session_shutdown";
    reason: "quit" | "new" | "resume" | "fork" | "reload";
    /** The file with which the agent continues; absent if there is none. */
    targetSessionFile?: string;
  };
  /** `{cancel: true}` keeps the session. */
  session_before_switch: { type: "session_before_switch"; reason: "new" | "resume"; targetSessionFile?: string };
  session_switch: { type: "session_switch"; reason: "new" | "resume"; previousSessionFile?: string };
  /** `{cancel: true}` keeps the session, `{skipConversationRestore: true}` goes on with what the model has seen so far. */
  session_before_fork: { type: "session_before_fork"; entryId: string; position: "before" | "at" };
  session_fork: { type: "session_fork"; previousSessionFile?: string };
  /** The older name of `session_before_fork`; both are asked. */
  session_before_branch: { type: "session_before_branch"; entryId: string; position: "before" | "at" };
  session_branch: { type: "session_branch"; previousSessionFile?: string };
  session_before_compact: BeforeCompactEvent;
  session_compact: {
    type: "session_compact";
    compactionEntry: CompactionEntry;
    /** True if an extension brought the summary. */
    fromExtension: boolean;
    reason: CompactionReason;
    willRetry: boolean;
  };
  session_compact_failed: {
    type: "session_compact_failed";
    reason: CompactionReason;
    /** Absent when it was aborted or refused. */
    errorMessage?: string;
    aborted: boolean;
    willRetry: boolean;
    fromExtension: boolean;
  };
  /** `{cancel: true}` stays; `{summary: {summary, details}}` brings the summary; instructions and label may be given anew. */
  session_before_tree: { type: "session_before_tree"; preparation: TreePreparation; signal: AbortSignal };
  session_tree: {
    type: "session_tree";
    newLeafId: string | null;
    oldLeafId: string | null;
    summaryEntry?: BranchSummaryEntry;
    /** True if an extension brought the summary; absent without one. */
    fromExtension?: boolean;
  };
}
