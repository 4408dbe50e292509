import type { CommandResult } from "../../protocol/commands.ts";
import { AgentError } from "../../protocol/errors.ts";
import type { AgentMessage } from "../../protocol/messages.ts";
import type { CompactionEntry, KnownSessionEntry, SessionHeader } from "../../protocol/session-entries.ts";
import { entryMessages, pathTo } from "../context.ts";
import { Conversation } from "../conversation.ts";
import { isRawEntry, readEntry, readSession } from "../load.ts";
import { readAt } from "./file-lines.ts";
import { parseLine } from "./line-kind.ts";
import { type IndexedEntry, readIndex, type SessionIndex } from "./session-index.ts";
import type { Slices } from "./slices.ts";

const MAX_BYTES = 16 * 1024 * 1024;
/** The kinds of entries in a context. */
const SHOWN = new Set(["message", "custom_message", "branch_summary", "compaction"]);

type Preview = CommandResult<"read_session">;

/**
 * Reads the end of a session as `get_messages` would show it, without opening it; the file stays as it is.
 * @param limit messages at most. Of very long ones fewer are read, but one at least.
 * @throws AgentError not_found or session_corrupt; the reason of the slices' signal once it is aborted.
 */
export async function readPreview(path: string, limit: number, slices: Slices): Promise<Preview> {
  const index = await readIndex(path, slices);
  if (index.entries === undefined) return readOld(path, limit);
  const tail = new Tail(path, limit);
  await collect(index, tail, slices);
  const messages = tail.messages.toReversed();
  return { ...headerFields(path, index.header, index.name), messages, hasMore: tail.isCut };
}

/** Goes back from the newest entry to the last compaction, then through the entries that it kept. */
async function collect({ entries, leafId, present }: SessionIndex, tail: Tail, slices: Slices): Promise<void> {
  const path = pathTo(leafId, entries);
  let compaction: CompactionEntry | undefined;
  let keptFrom = 0;
  for (let at = path.length - 1; at >= keptFrom && !tail.isCut; at--) {
    const entry = tail.read(path[at]);
    if (entry?.type !== "compaction") {
      tail.add(entry);
    } else if (compaction === undefined) {
      compaction = entry;
      const firstKept = present(entry.firstKeptEntryId);
      const found = path.findIndex(({ id }) => id === firstKept);
      keptFrom = found === -1 ? at : found;
    }
    await slices.rest();
  }
  tail.add(compaction);
}

/** Messages from the newest back, up to a limit. */
class Tail {
  readonly messages: AgentMessage[] = [];
  /** True if there are earlier messages. */
  isCut = false;
  readonly #path: string;
  readonly #limit: number;
  #bytes = 0;

  constructor(path: string, limit: number) {
    this.#path = path;
    this.#limit = limit;
  }

  /** @returns undefined for an entry without a message. */
  read(indexed: IndexedEntry | undefined): KnownSessionEntry | undefined {
    if (indexed === undefined || !SHOWN.has(indexed.type)) return undefined;
    const { offset, length } = indexed;
    this.#bytes += length;
    const value = parseLine({ offset, length, bytes: readAt(this.#path, offset, length), isEnded: true });
    return isRawEntry(value) ? readEntry(value)?.known : undefined;
  }

  add(entry: KnownSessionEntry | undefined): void {
    if (entry === undefined || this.isCut) return;
    const messages = entryMessages(entry);
    const isFull = this.messages.length >= this.#limit || (this.messages.length > 0 && this.#bytes > MAX_BYTES);
    if (messages.length > 0 && isFull) this.isCut = true;
    else this.messages.push(...messages);
  }
}

/** Reads a file of an older version, whose entries can only be updated together. */
function readOld(path: string, limit: number): Preview {
  const loaded = readSession(path);
  if (loaded === undefined) throw new AgentError("not_found", `No session found matching '${path}'`);
  const { header, messages, name } = Conversation.view(
    { cwd: loaded.header.cwd, file: path, onWriteError: () => undefined },
    loaded,
  );
  const fields = headerFields(path, header, name);
  return { ...fields, messages: messages.slice(-limit), hasMore: messages.length > limit };
}

function headerFields(path: string, { id, cwd, timestamp, parentSession }: SessionHeader, name: string | undefined) {
  const createdAt = Date.parse(timestamp);
  return {
    path,
    id,
    cwd,
    ...(name === undefined ? {} : { name }),
    ...(Number.isNaN(createdAt) ? {} : { createdAt }),
    ...(parentSession === undefined ? {} : { parentSession }),
  };
}
