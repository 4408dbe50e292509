import { open } from "node:fs/promises";
import type { AgentMessage } from "../../agent/protocol/messages.ts";
import { MessageEntry, OpaqueEntry } from "../../agent/protocol/session-entries.ts";

/** How much of the end of a file is read. */
const MAX_BYTES = 2 * 1024 * 1024;
/** How many messages are shown before the agent tells the rest. */
const MAX_MESSAGES = 200;

/**
 * Reads the end of the conversation of a session file, to be shown before an agent has opened it. Lines that cannot be read are passed over;
 * it ends where a compaction begins.
 * @throws what reading a file does.
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
    // Only what is shown is looked at closely.
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
    return from === 0 ? lines : lines.slice(1); // the first one is cut
  } finally {
    await file.close();
  }
}

function readEntry(line: string): OpaqueEntry | undefined {
  try {
    return OpaqueEntry.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined; // empty, or torn while it was written
  }
}

/** Half a turn at the beginning would look like a whole one. */
function startingWithPrompt(messages: AgentMessage[], isWhole: boolean): AgentMessage[] {
  if (isWhole) return messages;
  const first = messages.findIndex(({ role }) => role === "user");
  return first === -1 ? messages : messages.slice(first);
}
