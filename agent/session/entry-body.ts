import type { AgentMessage } from "../protocol/messages.ts";
import type {
  BranchSummaryEntry,
  CompactionEntry,
  KnownSessionEntry,
  SessionInfoEntry,
} from "../protocol/session-entries.ts";

/** An entry without the fields that the conversation adds. */
export type EntryBody = KnownSessionEntry extends infer Entry
  ? Entry extends KnownSessionEntry
    ? Omit<Entry, "id" | "parentId" | "timestamp">
    : never
  : never;

/** The data of a compaction that is added to the conversation. */
export type CompactionBody = Omit<CompactionEntry, "type" | "id" | "parentId" | "timestamp">;

/** The data of a branch summary that is added to the conversation. */
export type BranchSummaryBody = Omit<BranchSummaryEntry, "type" | "id" | "parentId" | "timestamp" | "fromId">;

/** The usage of the request that named the session, if a model did. */
export type NameCost = Pick<SessionInfoEntry, "usage" | "model">;

/** Returns the entry for a message; undefined for a message that an entry of another kind produces. */
export function messageBody(message: AgentMessage): EntryBody | undefined {
  switch (message.role) {
    case "custom":
      return {
        type: "custom_message",
        customType: message.customType,
        content: message.content,
        display: message.display,
        ...(message.details === undefined ? {} : { details: message.details }),
      };
    case "compactionSummary":
    case "branchSummary":
      return undefined;
    default:
      return { type: "message", message };
  }
}

/** The fields by which an entry says that an extension made it, in both dialects. */
export const MADE_BY_EXTENSION = { fromHook: true, fromExtension: true };
