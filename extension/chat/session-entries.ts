import { splitAttached } from "../../agent/protocol/attached.ts";
import type { SessionEntry } from "../../agent/protocol/session-entries.ts";
import { MessageEntry } from "../../agent/protocol/session-entries.ts";
import { textOf } from "../core/transcript/fold-tools.ts";

/** A message of the user in a session. */
export interface PromptEntry {
  readonly entryId: string;
  /** The id of the parent entry; null for the first. */
  readonly parentId: string | null;
  /** The user's text, without attachments. */
  readonly text: string;
}

/** Returns the entries from the root to `leafId`, in order. A missing parent or a cycle ends the path. */
export function pathOf(entries: readonly SessionEntry[], leafId: string | null): SessionEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
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

/** Returns the user's messages from the root to `leafId`, which a conversation shows as prompts. */
export function promptsOnPath(entries: readonly SessionEntry[], leafId: string | null): PromptEntry[] {
  return pathOf(entries, leafId).flatMap((entry) => {
    const prompt = promptOf(entry);
    return prompt === undefined ? [] : [prompt];
  });
}

/** Returns the user's message in an entry, if it is one. */
export function promptOf(entry: SessionEntry): PromptEntry | undefined {
  if (entry.type !== "message") return undefined;
  const message = MessageEntry.safeParse(entry).data?.message;
  if (message?.role !== "user" || message.synthetic) return undefined;
  return { entryId: entry.id, parentId: entry.parentId, text: splitAttached(textOf(message.content)).text };
}

/** A tool call of a conversation. Models that number their calls use the same ids in other conversations. */
export interface MadeCall {
  /** The model's id of the call. */
  readonly id: string;
  /** The start and end of the call, as Unix time in ms; Infinity while no end is known. */
  readonly from: number;
  readonly to: number;
}

/** Returns the tool calls on a path, starting at an entry. */
export function callsFrom(path: readonly SessionEntry[], entryId: string): MadeCall[] {
  const at = path.findIndex(({ id }) => id === entryId);
  const messages = path.slice(at === -1 ? path.length : at).flatMap((entry) => {
    const message = entry.type === "message" ? MessageEntry.safeParse(entry).data?.message : undefined;
    return message === undefined ? [] : [message];
  });
  return messages.flatMap((message, index) => {
    if (message.role !== "assistant") return [];
    return message.content.flatMap((block) => {
      if (block.type !== "toolCall") return [];
      const { id } = block;
      const result = messages.slice(index).find((later) => later.role === "toolResult" && later.toolCallId === id);
      return [{ id, from: message.timestamp, to: result?.timestamp ?? Number.POSITIVE_INFINITY }];
    });
  });
}
