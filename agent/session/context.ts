import type { AgentMessage } from "../protocol/messages.ts";
import { type ThinkingLevel, ThinkingLevelInput } from "../protocol/model.ts";
import type { KnownSessionEntry, SessionEntry } from "../protocol/session-entries.ts";

/** What a path of entries says about where the conversation stands. */
export interface SessionContext {
  messages: AgentMessage[];
  model: { provider: string; modelId: string } | undefined;
  thinkingLevel: ThinkingLevel | undefined;
}

/** The entries from the root to `leafId`, in order. A missing parent ends the path; so does a loop. */
export function pathTo(leafId: string | null, byId: ReadonlyMap<string, SessionEntry>): SessionEntry[] {
  const path: SessionEntry[] = [];
  const seen = new Set<string>();
  for (let id = leafId; id !== null && !seen.has(id); ) {
    seen.add(id);
    const entry = byId.get(id);
    if (entry === undefined) break;
    path.push(entry);
    id = entry.parentId;
  }
  return path.reverse();
}

/** Builds the context of a path: after a compaction its summary, what it kept, and what came later. */
export function buildContext(path: readonly KnownSessionEntry[]): SessionContext {
  return { messages: contextMessages(path), model: modelOf(path), thinkingLevel: levelOf(path) };
}

function contextMessages(path: readonly KnownSessionEntry[]): AgentMessage[] {
  const cut = path.findLastIndex((entry) => entry.type === "compaction");
  const compaction = path[cut];
  if (compaction?.type !== "compaction") return path.flatMap(toMessages);
  const keptFrom = path.findIndex((entry) => entry.id === compaction.firstKeptEntryId);
  const kept = keptFrom === -1 || keptFrom >= cut ? [] : path.slice(keptFrom, cut);
  return [compaction, ...kept.filter((entry) => entry.type !== "compaction"), ...path.slice(cut + 1)].flatMap(
    toMessages,
  );
}

function toMessages(entry: KnownSessionEntry): AgentMessage[] {
  const timestamp = Date.parse(entry.timestamp) || 0;
  switch (entry.type) {
    case "message":
      return [entry.message];
    case "custom_message":
      return [
        {
          role: "custom",
          customType: entry.customType,
          content: entry.content,
          display: entry.display,
          ...(entry.details === undefined ? {} : { details: entry.details }),
          timestamp,
        },
      ];
    case "branch_summary":
      return [{ role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp }];
    case "compaction":
      return [
        {
          role: "compactionSummary",
          summary: entry.summary,
          ...(entry.shortSummary === undefined ? {} : { shortSummary: entry.shortSummary }),
          tokensBefore: entry.tokensBefore,
          timestamp,
        },
      ];
    default:
      return [];
  }
}

function modelOf(path: readonly KnownSessionEntry[]): SessionContext["model"] {
  for (const entry of path.toReversed()) {
    if (entry.type === "model_change") return modelReference(entry);
  }
  for (const entry of path.toReversed()) {
    if (entry.type !== "message" || entry.message.role !== "assistant") continue;
    return { provider: entry.message.provider, modelId: entry.message.model };
  }
  return undefined;
}

function modelReference(entry: Extract<KnownSessionEntry, { type: "model_change" }>): SessionContext["model"] {
  if (entry.provider !== undefined && entry.modelId !== undefined) {
    return { provider: entry.provider, modelId: entry.modelId };
  }
  const slash = entry.model?.indexOf("/") ?? -1;
  if (entry.model === undefined || slash === -1) return undefined;
  return { provider: entry.model.slice(0, slash), modelId: entry.model.slice(slash + 1) };
}

function levelOf(path: readonly KnownSessionEntry[]): ThinkingLevel | undefined {
  const change = path.findLast((entry) => entry.type === "thinking_level_change");
  return change === undefined ? undefined : ThinkingLevelInput.safeParse(change.thinkingLevel).data;
}
