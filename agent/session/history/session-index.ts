import * as z from "zod";
import { SESSION_VERSION, type SessionHeader } from "../../protocol/session-entries.ts";
import { judgeStart, standInHeader } from "../damaged-lines.ts";
import { EntryChain } from "../entry-chain.ts";
import { notASession } from "../regular-file.ts";
import type { FileEnd } from "../store.ts";
import { nameOf } from "./facts.ts";
import { type FileLine, isWhole, readAt, readLines } from "./file-lines.ts";
import { isBlank, parseLine, recoverParts } from "./line-kind.ts";
import type { Slices } from "./slices.ts";

const KEEP_BYTES = 64 * 1024 * 1024;

const IndexedLine = z.object({
  type: z.string(),
  id: z.string(),
  parentId: z.string().nullable(),
  timestamp: z.string(),
  name: z.string().optional().catch(undefined),
});

/** The position of an entry in the file, and its parent. */
export interface IndexedEntry {
  type: string;
  id: string;
  parentId: string | null;
  offset: number;
  length: number;
}

/** A session file without the content of its entries: small for a file of any size. */
export interface SessionIndex extends FileEnd {
  header: SessionHeader;
  /** The name of the session. */
  name: string | undefined;
  /** In the order of the file, with the parents that `EntryChain` determines. */
  entries: ReadonlyMap<string, IndexedEntry>;
  /** The parent of the next entry. */
  leafId: string | null;
  /** Returns the id of an entry here, or, when the entry was lost, the id of its first child. */
  present(id: string): string;
  /** The same as in `LoadedSession`. */
  lostLines: number;
}

/** A file of an older version, whose entries can't be indexed. */
export interface OldSession {
  header: SessionHeader;
  entries?: never;
}

/**
 * Reads the positions of the entries in a session file. @throws AgentError session_corrupt when it isn't a session; the
 * reason of the slices' signal once it is aborted; an error of the file system.
 */
export async function readIndex(path: string, slices: Slices): Promise<SessionIndex | OldSession> {
  const lines = new IndexedLines(path);
  await readLines({ path, keepBytes: () => KEEP_BYTES, slices }, (line) => lines.add(line));
  const { header } = lines;
  if (header === undefined) throw notASession(path);
  return isOld(header) ? { header } : lines.finish(header);
}

function isOld({ version = 1 }: SessionHeader): boolean {
  return version < SESSION_VERSION;
}

/** Indexes the lines of a session file one after another. */
class IndexedLines {
  header: SessionHeader | undefined;
  readonly #path: string;
  readonly #entries = new Map<string, IndexedEntry>();
  readonly #chain = new EntryChain<IndexedEntry>();
  #leafId: string | null = null;
  #name: string | undefined;
  #unreadable = 0;
  #isHeaderLost = false;
  #validBytes = 0;
  #needsNewline = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** @returns whether the lines behind it do not count. */
  add(line: FileLine): boolean {
    if (isBlank(line)) return false;
    if (this.header === undefined) {
      const start = judgeStart(line.bytes.toString(), { isWhole: isWhole(line), damagedBefore: this.#unreadable });
      if (start.kind === "foreign") return true;
      if (start.kind === "header") this.header = start.header;
      if (start.kind === "entry") this.header = standInHeader(this.#path);
      this.#isHeaderLost = start.kind === "entry";
      if (start.kind === "damaged") this.#unreadable++;
      if (start.kind !== "entry") return this.#end(line, start.kind === "header");
    }
    const isReadable = isWhole(line) && this.#addEntry(line);
    const holdsSome = isReadable || recoverParts(line).filter((part) => this.#addEntry(part)).length > 0;
    if (!isReadable && (holdsSome || line.isEnded)) this.#unreadable++;
    return this.#end(line, holdsSome);
  }

  finish(header: SessionHeader): SessionIndex {
    return {
      header,
      name: nameOf({ header, name: this.#name }),
      entries: this.#entries,
      leafId: this.#leafId,
      present: (id) => this.#chain.present(id),
      lostLines: Math.max(this.#unreadable, this.#chain.lostCount, this.#isHeaderLost ? 1 : 0),
      validBytes: this.#validBytes,
      needsNewline: this.#needsNewline,
    };
  }

  /** @returns whether the lines behind it do not count. */
  #end({ offset, length, isEnded }: FileLine, isReadable: boolean): boolean {
    if (isEnded) this.#validBytes = offset + length + 1;
    else if (isReadable) this.#validBytes = offset + length;
    this.#needsNewline = !isEnded && isReadable;
    return this.header !== undefined && isOld(this.header);
  }

  /** @returns false for a line without an entry. */
  #addEntry(line: FileLine): boolean {
    const { data } = IndexedLine.safeParse(parseLine(line));
    if (data === undefined) return false;
    const { offset, length } = line;
    const { type, id, parentId, name } = data;
    const twin = this.#chain.entry(id);
    if (twin !== undefined && this.#isSame(twin, line)) return true;
    const entry = { type, id, parentId, offset, length };
    const link = this.#chain.add(entry, entry);
    this.#entries.set(link.id, { ...entry, ...link });
    this.#leafId = link.id;
    if (type === "session_info") this.#name = name ?? "";
    return true;
  }

  #isSame({ offset, length }: IndexedEntry, line: FileLine): boolean {
    const bytes = readAt(this.#path, offset, length);
    return bytes.toString().trimEnd() === line.bytes.toString().trimEnd();
  }
}
