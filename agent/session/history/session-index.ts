import * as z from "zod";
import { AgentError } from "../../protocol/errors.ts";
import { SESSION_VERSION, SessionHeader } from "../../protocol/session-entries.ts";
import { nameOf } from "./facts.ts";
import { type FileLine, isWhole, readLines } from "./file-lines.ts";
import { isBlank, parseLine } from "./line-kind.ts";
import type { Slices } from "./slices.ts";

const KEEP_BYTES = 64 * 1024 * 1024;

const IndexedLine = z.object({
  type: z.string(),
  id: z.string(),
  parentId: z.string().nullable(),
  timestamp: z.string(),
  name: z.string().optional().catch(undefined),
});

/** Where an entry stands in the file, and on which it hangs. */
export interface IndexedEntry {
  type: string;
  id: string;
  parentId: string | null;
  offset: number;
  length: number;
}

/** A session file without what its entries say: small, however large the file is. */
export interface SessionIndex {
  header: SessionHeader;
  /** The name that the session has. */
  name: string | undefined;
  /** In the order of the file; when an id stands twice the later entry counts. */
  entries: ReadonlyMap<string, IndexedEntry>;
  /** The entry that the next one hangs on. */
  leafId: string | null;
  /** Bytes up to the end of the last readable line; what is torn stands behind them. */
  validBytes: number;
  /** The last line is whole but has no LF. */
  needsNewline: boolean;
}

/** A file of a version before entries had the form that is indexed. */
export interface OldSession {
  header: SessionHeader;
  entries?: never;
}

/**
 * Reads where the entries of a session file stand.
 * @throws AgentError session_corrupt when it is no session; the reason of the slices' signal once it is aborted; an error of the file system.
 */
export async function readIndex(path: string, slices: Slices): Promise<SessionIndex | OldSession> {
  const lines = new IndexedLines();
  await readLines({ path, keepBytes: () => KEEP_BYTES, slices }, (line) => lines.add(line));
  const { header } = lines;
  if (header === undefined) {
    throw new AgentError("session_corrupt", `Session file is not a valid tiller session: ${path}`);
  }
  return isOld(header) ? { header } : lines.finish(header);
}

function isOld({ version = 1 }: SessionHeader): boolean {
  return version < SESSION_VERSION;
}

/** Takes the lines of a session file one after the other. */
class IndexedLines {
  header: SessionHeader | undefined;
  readonly #entries = new Map<string, IndexedEntry>();
  #leafId: string | null = null;
  #name: string | undefined;
  #validBytes = 0;
  #needsNewline = false;

  /** @returns whether the lines behind it do not count. */
  add(line: FileLine): boolean {
    if (isBlank(line)) return false;
    const value = isWhole(line) ? parseLine(line) : undefined;
    if (this.header === undefined) {
      this.header = SessionHeader.safeParse(value).data;
      if (this.header === undefined || isOld(this.header)) return true;
    } else {
      this.#addEntry(line, value);
    }
    if (line.isEnded) this.#validBytes = line.offset + line.length + 1;
    else if (value !== undefined) this.#validBytes = line.offset + line.length;
    this.#needsNewline = !line.isEnded && value !== undefined;
    return false;
  }

  finish(header: SessionHeader): SessionIndex {
    return {
      header,
      name: nameOf({ header, name: this.#name }),
      entries: this.#entries,
      leafId: this.#leafId,
      validBytes: this.#validBytes,
      needsNewline: this.#needsNewline,
    };
  }

  #addEntry({ offset, length }: FileLine, value: unknown): void {
    const { data } = IndexedLine.safeParse(value);
    if (data === undefined) return;
    const { type, id, parentId } = data;
    this.#entries.delete(id);
    this.#entries.set(id, { type, id, parentId, offset, length });
    this.#leafId = id;
    if (type === "session_info") this.#name = data.name ?? "";
  }
}
