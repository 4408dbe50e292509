import type { AgentMessage } from "../../agent/protocol/messages.ts";
import { KnownSessionEntry, type SessionEntry } from "../../agent/protocol/session-entries.ts";

/** Returns the message that a conversation shows for an entry; undefined for most kinds. */
export function messageOf(entry: SessionEntry): AgentMessage | undefined {
  const known = KnownSessionEntry.safeParse(entry).data;
  const timestamp = Date.parse(entry.timestamp) || 0;
  switch (known?.type) {
    case "message":
      return known.message;
    case "custom_message": {
      const { customType, content, display, details } = known;
      return { role: "custom", customType, content, display, timestamp, ...(details === undefined ? {} : { details }) };
    }
    case "branch_summary":
      return { role: "branchSummary", summary: known.summary, fromId: known.fromId, timestamp };
    case "compaction":
      return {
        role: "compactionSummary",
        summary: known.summary,
        tokensBefore: known.tokensBefore,
        timestamp,
      };
    default:
      return undefined;
  }
}
