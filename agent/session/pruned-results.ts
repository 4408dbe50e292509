import type { AgentMessage } from "../protocol/messages.ts";
import { type KnownSessionEntry, PRUNING_ENTRY_TYPE, Pruning } from "../protocol/session-entries.ts";

/** A tool result that is no longer sent. */
export type PrunedResult = Pruning["results"][number];

/** The notes in place of results, by the message of the result. */
export type PrunedNotes = ReadonlyMap<AgentMessage, string>;

/** Returns which messages of a path are pruned. The notes are those of the file, so that every request has the same bytes. */
export function prunedNotes(path: readonly KnownSessionEntry[]): PrunedNotes {
  const results = path.filter(isPruning).flatMap(({ data }) => Pruning.safeParse(data).data?.results ?? []);
  const notes = new Map(results.map(({ entryId, note }) => [entryId, note]));
  const pruned = new Map<AgentMessage, string>();
  if (notes.size === 0) return pruned;
  for (const entry of path) {
    const note = notes.get(entry.id);
    if (note !== undefined && entry.type === "message") pruned.set(entry.message, note);
  }
  return pruned;
}

/** True for an entry that prunes results. */
export function isPruning(entry: KnownSessionEntry): entry is Extract<KnownSessionEntry, { type: "custom" }> {
  return entry.type === "custom" && entry.customType === PRUNING_ENTRY_TYPE;
}

/** Returns the messages as they are sent: with a note in place of each pruned result. */
export function withNotes(messages: readonly AgentMessage[], pruned: PrunedNotes): readonly AgentMessage[] {
  if (pruned.size === 0) return messages;
  return messages.map((message) => {
    const note = pruned.get(message);
    if (note === undefined || message.role !== "toolResult") return message;
    return { ...message, content: [{ type: "text", text: note }] };
  });
}
