import type { InputContent } from "../protocol/content.ts";
import type { AgentMessage, AssistantMessage, ToolResultMessage } from "../protocol/messages.ts";
import type { Usage } from "../protocol/model.ts";
import type { SessionEntry } from "../protocol/session-entries.ts";

/** An entry that a handler adds to the session at the end of a turn or a run. */
export type BoundaryEntry =
  | { type: "custom"; customType: string; data?: unknown }
  | {
      type: "custom_message";
      customType: string;
      content: string | InputContent[];
      display: boolean;
      details?: unknown;
    }
  /** Replaces the content of an earlier message of this branch for the model; null hides the message from it. */
  | { type: "context_edit"; targetId: string; replacement: { content: string | InputContent[] } | null }
  /** Replaces everything before an entry with a summary; null keeps no entry. */
  | { type: "compaction"; summary: string; firstKeptEntryId: string | null; details?: unknown; usage?: Usage };

/** The model's view of the conversation with the proposed entries, computed when a field is read. */
export interface BoundaryContext {
  readonly contextEntries: { sourceEntry: SessionEntry; messages: AgentMessage[] }[];
  readonly contextMessages: AgentMessage[];
  /** The same messages, in the roles that models know. */
  readonly llmMessages: AgentMessage[];
  /** The queued messages. */
  readonly pendingMessages: AgentMessage[];
  /** True if a request could be sent now. */
  readonly canContinue: boolean;
}

/** The proposal so far, at the end of a turn or a run. */
export interface BoundaryState {
  /** The proposed entries. A handler's result replaces them, so a handler that adds entries also returns these. */
  entries: BoundaryEntry[];
  /** True if a handler asked for another request. */
  continue: boolean;
  context: BoundaryContext;
  outcome: "completed" | "aborted" | "error";
}

/** The result of a handler. A missing field leaves the proposal unchanged. */
export interface BoundaryResult {
  entries?: BoundaryEntry[];
  continue?: boolean;
}

/** Sent after a turn: one response with the results of its tool calls. */
export interface TurnEndEvent extends BoundaryState {
  type: "turn_end";
  turnIndex: number;
  timestamp: number;
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
  /** The entry of `message`; "" if it couldn't be written. */
  messageEntryId: string;
  toolResultEntryIds: string[];
}

/** Sent before a run ends, when nothing is queued or retried. Aborted runs don't send it. */
export interface AgentBeforeSettleEvent extends BoundaryState {
  type: "agent_before_settle";
}
