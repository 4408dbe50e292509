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
  /** Another content for an earlier message of this branch; null leaves it out of what the model sees. */
  | { type: "context_edit"; targetId: string; replacement: { content: string | InputContent[] } | null }
  /** A summary in place of everything before an entry; null keeps nothing from before. */
  | { type: "compaction"; summary: string; firstKeptEntryId: string | null; details?: unknown; usage?: Usage };

/** What the model would see, with the proposed entries. Computed when it is read. */
export interface BoundaryContext {
  readonly contextEntries: { sourceEntry: SessionEntry; messages: AgentMessage[] }[];
  readonly contextMessages: AgentMessage[];
  /** The same in the roles that models know. */
  readonly llmMessages: AgentMessage[];
  /** Messages that wait in the queues. */
  readonly pendingMessages: AgentMessage[];
  /** True if the model could be asked now. */
  readonly canContinue: boolean;
}

/** The proposal so far, at the end of a turn or a run. */
export interface BoundaryState {
  /** The proposed entries, which a result replaces; a handler that adds some returns these as well. */
  entries: BoundaryEntry[];
  /** True if a handler wants another request. */
  continue: boolean;
  context: BoundaryContext;
  outcome: "completed" | "aborted" | "error";
}

/** The result of a handler; what is missing stays as proposed. */
export interface BoundaryResult {
  entries?: BoundaryEntry[];
  continue?: boolean;
}

/** A turn has ended: one response with the results of its tools. */
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

/** The run is about to end: nothing is queued, and nothing is retried. Runs that were aborted have no such event. */
export interface AgentBeforeSettleEvent extends BoundaryState {
  type: "agent_before_settle";
}
