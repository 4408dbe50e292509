import { open } from "node:fs/promises";
import type { AgentMessage } from "../../agent/protocol/messages.ts";
import { MessageEntry, OpaqueEntry } from "../../agent/protocol/session-entries.ts";

/** Length of the end of a file that is read, in bytes. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Maximum number of messages shown before the agent sends the rest. */
const MAX_MESSAGES = 200;

/**
 * Reads the end of the conversation in a session file, to show it before an agent has opened it. Skips lines that cannot be read, and stops at
 * a compaction.
 * @throws Error of the file system.
 */
export async function savedMessages(path: string): Promise<AgentMessage[]> {
  const messages: AgentMessage[] = [];
  const byId = new Map<string, OpaqueEntry>();
  let last: OpaqueEntry | undefined;
  for (const line of await lastLines(path)) {
    last = readEntry(line) ?? last;
    if (last !== undefined) byId.set(last.id, last);
  }
  const seen = new Set<string>();
  for (let entry = last; entry !== undefined && !seen.has(entry.id) && messages.length < MAX_MESSAGES; ) {
    seen.add(entry.id);
    if (entry.type === "compaction") break;
    // Only messages that are shown are validated.
    const message = MessageEntry.safeParse(entry).data?.message;
    if (message !== undefined) messages.push(message);
    entry = entry.parentId === null ? undefined : byId.get(entry.parentId);
  }
  return startingWithPrompt(messages.reverse(), last !== undefined && seen.size === byId.size);
}

async function lastLines(path: string): Promise<string[]> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - MAX_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const lines = buffer.toString("utf8", 0, bytesRead).split("\n");
    return from === 0 ? lines : lines.slice(1); // the first one is incomplete
  } finally {
    await file.close();
  }
}

function readEntry(line: string): OpaqueEntry | undefined {
  try {
    return OpaqueEntry.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined; // empty, or incomplete
  }
}

/** Drops an incomplete turn at the beginning, which would look like a complete one. */
function startingWithPrompt(messages: AgentMessage[], isWhole: boolean): AgentMessage[] {
  if (isWhole) return messages;
  const first = messages.findIndex(({ role }) => role === "user");
  return first === -1 ? messages : messages.slice(first);
}
