import { splitAttached } from "../../agent/protocol/attached.ts";
import type { SessionEntry } from "../../agent/protocol/session-entries.ts";
import { MessageEntry } from "../../agent/protocol/session-entries.ts";
import { callsIn, type MadeCall } from "../../agent/util/made-calls.ts";
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

/** Returns the tool calls on a path, starting at an entry. */
export function callsFrom(path: readonly SessionEntry[], entryId: string): MadeCall[] {
  const at = path.findIndex(({ id }) => id === entryId);
  const messages = path.slice(at === -1 ? path.length : at).flatMap((entry) => {
    const message = entry.type === "message" ? MessageEntry.safeParse(entry).data?.message : undefined;
    return message === undefined ? [] : [message];
  });
  return callsIn(messages);
}
