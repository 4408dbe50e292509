import { closeSync, readSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { AgentError } from "../protocol/errors.ts";
import { LineSplitter } from "../protocol/line-splitter.ts";
import {
  KnownSessionEntry,
  OpaqueEntry,
  SESSION_VERSION,
  type SessionEntry,
  type SessionHeader,
} from "../protocol/session-entries.ts";
import { clipNesting, MAX_NESTING } from "../util/nesting.ts";
import { judgeStart, recoverRanges, standInHeader } from "./damaged-lines.ts";
import { EntryChain, type Link } from "./entry-chain.ts";
import { keepAsFound } from "./kept-copies.ts";
import { readSessionHeader, realPath } from "./locate.ts";
import { migrateEntries, type RawEntry } from "./migrate.ts";
import { notASession, openRegular } from "./regular-file.ts";
import type { FileEnd } from "./store.ts";

const LF = 0x0a;
/** An entry adds a few levels around the values of models and tools. */
const MAX_ENTRY_NESTING = MAX_NESTING + 20;
const PIECE_BYTES = 256 * 1024;

/** An entry as it is in the file, and its known form. */
export interface LoadedEntry {
  entry: SessionEntry;
  /** Undefined for an unknown kind or form. */
  known: KnownSessionEntry | undefined;
}

/** A session file as it was read. */
export interface LoadedSession extends FileEnd {
  header: SessionHeader;
  entries: LoadedEntry[];
  /**
   * The number of unreadable lines, and of missing lines that others refer to; an incomplete last line doesn't count.
   */
  lostLines: number;
}

/**
 * Reads a session file of any version. Skips lines that aren't entries, and attaches their children to the entry before
 * them; keeps entries of an unknown kind unchanged. Rewrites a file of an older version, completely or not at all, and
 * copies a damaged one. Reads the file in pieces and never keeps all of it in memory.
 * @returns undefined when the file is empty or not there.
 * @throws AgentError session_corrupt when it holds something else than a session, or one of a newer version, start_failed when it cannot be
 * kept as it was found.
 */
export function loadSessionFile(path: string): LoadedSession | undefined {
  const loaded = readSession(path);
  if (loaded !== undefined) requireKnownVersion(loaded.header, path);
  if (loaded === undefined || (loaded.header.version ?? 1) >= SESSION_VERSION) return loaded;
  if (loaded.lostLines > 0 && keepAsFound(path) === undefined) {
    throw new AgentError("start_failed", `Couldn't copy the damaged session file: ${path}. Copy it elsewhere first.`);
  }
  const header = { ...loaded.header, version: SESSION_VERSION };
  const rewritten = [header, ...loaded.entries.map(({ entry }) => entry)]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
  replaceFile(path, rewritten);
  return { ...loaded, header, validBytes: Buffer.byteLength(rewritten), needsNewline: false };
}

/**
 * Checks that `loadSessionFile` can read a file, without reading all of it. @throws AgentError session_corrupt if it
 * can't.
 */
export function checkSessionFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.isFile() && stats.size === 0)) return;
  const header = readSessionHeader(path);
  if (header === undefined) throw notASession(path);
  requireKnownVersion(header, path);
}

/** A file of a newer version may be read, but what this one would add to it could break it. */
function requireKnownVersion({ version = 1 }: Pick<SessionHeader, "version">, path: string): void {
  if (version <= SESSION_VERSION) return;
  throw new AgentError(
    "session_corrupt",
    `A newer version of Tiller wrote this session: ${path}. Its format is ${version}, and this version knows ${SESSION_VERSION}. Update Tiller to open it, or fork it: the copy has what this version knows.`,
  );
}

/** Reads the lines of a session file one after another. */
class SessionReader {
  readonly #path: string;
  #header: SessionHeader | undefined;
  readonly #entries: LoadedEntry[] = [];
  readonly #chain = new EntryChain<SessionEntry>();
  /** Entries of an older version, which can only be updated together; undefined for a lost line. */
  readonly #old: (RawEntry | undefined)[] = [];
  #unreadable = 0;
  #isHeaderLost = false;
  #isLastReadable = true;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws AgentError session_corrupt when the file does not begin as a session. */
  line(text: string): void {
    if (text.trim() === "") return;
    if (this.#header === undefined && !this.#begin(text)) return;
    const value = parseJson(text);
    const isReadable = isRawEntry(value) && this.#take(value);
    if (!isReadable) this.#lose();
    // The readable part of a damaged line must not be cut off with it.
    this.#isLastReadable = isReadable || this.#recover(text) > 0;
  }

  overflow(): void {
    if (this.#header === undefined) throw notASession(this.#path);
    this.#lose();
    this.#isLastReadable = false;
  }

  /** @param lineEnd bytes up to the last LF. @param size bytes in all. */
  finish(lineEnd: number, size: number): LoadedSession | undefined {
    const header = this.#header;
    if (header === undefined) {
      if (this.#unreadable > 0) throw notASession(this.#path);
      return undefined;
    }
    for (const raw of migrateEntries(header.version ?? 1, this.#old)) {
      if (!this.#add(raw)) this.#unreadable++;
    }
    const isTailTorn = lineEnd < size && !this.#isLastReadable;
    return {
      header,
      entries: this.#entries,
      lostLines: Math.max(this.#unreadable - (isTailTorn ? 1 : 0), this.#chain.lostCount, this.#isHeaderLost ? 1 : 0),
      validBytes: isTailTorn ? lineEnd : size,
      needsNewline: lineEnd < size && !isTailTorn,
    };
  }

  /** @returns whether the line contains more than the header. */
  #begin(text: string): boolean {
    const start = judgeStart(text, { isWhole: true, damagedBefore: this.#unreadable });
    switch (start.kind) {
      case "header":
        this.#header = start.header;
        return false;
      case "entry":
        this.#header = standInHeader(this.#path);
        this.#isHeaderLost = true;
        return true;
      case "damaged":
        this.#unreadable++;
        return false;
      case "foreign":
        throw notASession(this.#path);
    }
  }

  #take(raw: RawEntry): boolean {
    if (!this.#isOld) return this.#add(raw);
    this.#old.push(raw);
    return true;
  }

  get #isOld(): boolean {
    return (this.#header?.version ?? 1) < SESSION_VERSION;
  }

  #lose(): void {
    this.#unreadable++;
    if (this.#isOld) this.#old.push(undefined);
  }

  /** @returns the number of entries that a damaged line still contains. */
  #recover(text: string): number {
    const values = recoverRanges(text).map(([from, to]) => parseJson(text.slice(from, to)));
    return values.filter((value) => isRawEntry(value) && value.type !== "session" && this.#take(value)).length;
  }

  /** @returns false if it isn't an entry. */
  #add(raw: RawEntry): boolean {
    const read = readEntry(raw);
    if (read === undefined) return false;
    const twin = this.#chain.entry(read.entry.id);
    if (twin !== undefined && JSON.stringify(twin) === JSON.stringify(read.entry)) return true;
    this.#entries.push(relink(read, this.#chain.add(read.entry, read.entry), this.#chain));
    return true;
  }
}

/** Returns an entry with its id and parent here. */
function relink({ entry, known }: LoadedEntry, link: Link, chain: EntryChain<SessionEntry>): LoadedEntry {
  if (known?.type === "compaction") {
    const linked = { ...known, ...link, firstKeptEntryId: chain.present(known.firstKeptEntryId) };
    return { entry: linked, known: linked };
  }
  if (entry.id === link.id && entry.parentId === link.parentId) return { entry, known };
  return { entry: { ...entry, ...link }, known: known === undefined ? undefined : { ...known, ...link } };
}

/** Reads a session file as `loadSessionFile` does, but leaves a file of an older version as it is. */
export function readSession(path: string): LoadedSession | undefined {
  const fd = openIfThere(path);
  if (fd === undefined) return undefined;
  try {
    const reader = new SessionReader(path);
    const splitter = new LineSplitter(reader);
    let size = 0;
    let lineEnd = 0;
    for (;;) {
      // A line keeps the piece in which it begins in memory, so each piece has its own buffer.
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const length = readSync(fd, piece, 0, piece.length, null);
      if (length === 0) break;
      const bytes = piece.subarray(0, length);
      const lastLf = bytes.lastIndexOf(LF);
      if (lastLf !== -1) lineEnd = size + lastLf + 1;
      size += length;
      splitter.push(bytes);
    }
    splitter.end();
    return reader.finish(lineEnd, size);
  } finally {
    closeSync(fd);
  }
}

let compiledEntry: typeof KnownSessionEntry | undefined;

/**
 * Returns the entry of a line; undefined if the line has none. Cuts data that is nested too deeply to be copied and
 * written.
 */
export function readEntry(line: RawEntry): LoadedEntry | undefined {
  const raw = clipNesting(line, MAX_ENTRY_NESTING);
  // Compiled at the first entry: long sessions open twice as fast, and a start without one costs nothing.
  compiledEntry ??= z.compile(KnownSessionEntry);
  const known = compiledEntry.safeParse(raw);
  if (known.success) return { entry: known.data, known: known.data };
  const opaque = OpaqueEntry.safeParse(raw);
  return opaque.success ? { entry: opaque.data, known: undefined } : undefined;
}

/** True when a value can be an entry: it is an object. */
export function isRawEntry(value: unknown): value is RawEntry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // the caller counts the line as skipped
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openRegular(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function replaceFile(path: string, text: string): void {
  const aside = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(aside, text, { mode: 0o600, flush: true });
    renameSync(aside, realPath(path));
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}
