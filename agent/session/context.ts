import type { AgentMessage } from "../protocol/messages.ts";
import { ThinkingLevel } from "../protocol/model.ts";
import type { KnownSessionEntry, SessionEntry } from "../protocol/session-entries.ts";
import { editedMessage, editsOf, type MessageEdits } from "./context-edits.ts";
import { isPruning, type PrunedNotes, prunedNotes } from "./pruned-results.ts";

/** The messages of a path of entries, as the model would see them. */
export interface SessionContext {
  messages: AgentMessage[];
  /** The position of the first message after the last compaction, pruning, or edit; 0 without one. */
  freshFrom: number;
  pruned: PrunedNotes;
  edits: MessageEdits;
}

/** The model and level at the end of a path of entries. */
export interface SessionChoices {
  model: { provider: string; modelId: string } | undefined;
  thinkingLevel: ThinkingLevel | undefined;
  /** The model of the latest response. */
  answered: { provider: string; modelId: string } | undefined;
}

/** Returns the entries from the root to `leafId`, in order. A missing parent or a loop ends the path. */
export function pathTo<Entry extends Pick<SessionEntry, "parentId">>(
  leafId: string | null,
  byId: ReadonlyMap<string, Entry>,
): Entry[] {
  const path: Entry[] = [];
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

/** Builds the context of a path: after a compaction, its summary, the entries that it kept, and later ones. */
export function buildContext(path: readonly KnownSessionEntry[]): SessionContext {
  const { entries, oldCount } = contextEntries(path);
  const isChange = (entry: KnownSessionEntry) => isPruning(entry) || entry.type === "context_edit";
  const freshAt = Math.max(oldCount, entries.findLastIndex(isChange) + 1);
  const replacements = editsOf(path);
  const edits = new Map<AgentMessage, AgentMessage | undefined>();
  const messagesOf = (entry: KnownSessionEntry) => {
    const said = entryMessages(entry);
    const replacement = replacements.get(entry.id);
    if (replacement !== undefined) for (const message of said) edits.set(message, editedMessage(message, replacement));
    return said;
  };
  const old = entries.slice(0, freshAt).flatMap(messagesOf);
  const messages = [...old, ...entries.slice(freshAt).flatMap(messagesOf)];
  return { messages, freshFrom: old.length, pruned: prunedNotes(path), edits };
}

/** Returns the entries of a path that the model sees, each with its messages in the model's view. */
export function projectedEntries(
  path: readonly KnownSessionEntry[],
): { sourceEntry: KnownSessionEntry; messages: AgentMessage[] }[] {
  const replacements = editsOf(path);
  return contextEntries(path).entries.map((sourceEntry) => {
    const replacement = replacements.get(sourceEntry.id);
    const messages = entryMessages(sourceEntry);
    if (replacement === undefined) return { sourceEntry, messages };
    return { sourceEntry, messages: messages.flatMap((message) => editedMessage(message, replacement) ?? []) };
  });
}

/**
 * Returns the entries of a path that the model sees, in the order in which it sees them.
 * @returns also how many of them are a compaction and what it kept; 0 without one.
 */
export function contextEntries(path: readonly KnownSessionEntry[]): { entries: KnownSessionEntry[]; oldCount: number } {
  const cut = path.findLastIndex((entry) => entry.type === "compaction");
  const compaction = path[cut];
  if (compaction?.type !== "compaction") return { entries: [...path], oldCount: 0 };
  const keptFrom = path.findIndex((entry) => entry.id === compaction.firstKeptEntryId);
  const kept = keptFrom === -1 || keptFrom >= cut ? [] : path.slice(keptFrom, cut);
  const old = [compaction, ...kept.filter((entry) => entry.type !== "compaction")];
  return { entries: [...old, ...path.slice(cut + 1)], oldCount: old.length };
}

/** Returns the messages that an entry adds to the context; none for most kinds. */
export function entryMessages(entry: KnownSessionEntry): AgentMessage[] {
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
          timestamp: timeOf(entry),
        },
      ];
    case "branch_summary":
      return [{ role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp: timeOf(entry) }];
    case "compaction":
      return [
        {
          role: "compactionSummary",
          summary: entry.summary,
          ...(entry.shortSummary === undefined ? {} : { shortSummary: entry.shortSummary }),
          tokensBefore: entry.tokensBefore,
          timestamp: timeOf(entry),
        },
      ];
    default:
      return [];
  }
}

function timeOf({ timestamp }: KnownSessionEntry): number {
  return Date.parse(timestamp) || 0;
}

/** Returns the choices at the end of a path; without a recorded model, the model that responded last. */
export function choicesOf(path: readonly KnownSessionEntry[]): SessionChoices {
  const level = path.findLast((entry) => entry.type === "thinking_level_change");
  const change = path.findLast((entry) => entry.type === "model_change");
  const answered = answeredBy(path);
  return {
    model: change === undefined ? answered : modelReference(change),
    thinkingLevel: level === undefined ? undefined : ThinkingLevel.safeParse(level.thinkingLevel).data,
    answered,
  };
}

function answeredBy(path: readonly KnownSessionEntry[]): SessionChoices["answered"] {
  const answer = path.findLast((entry) => entry.type === "message" && entry.message.role === "assistant");
  if (answer?.type !== "message" || answer.message.role !== "assistant") return undefined;
  return { provider: answer.message.provider, modelId: answer.message.model };
}

function modelReference(entry: Extract<KnownSessionEntry, { type: "model_change" }>): SessionChoices["model"] {
  if (entry.provider !== undefined && entry.modelId !== undefined) {
    return { provider: entry.provider, modelId: entry.modelId };
  }
  const slash = entry.model?.indexOf("/") ?? -1;
  if (entry.model === undefined || slash === -1) return undefined;
  return { provider: entry.model.slice(0, slash), modelId: entry.model.slice(slash + 1) };
}
