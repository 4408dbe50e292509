import { closeSync, openSync, readSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { AgentError } from "../protocol/errors.ts";
import { LineSplitter } from "../protocol/line-splitter.ts";
import {
  KnownSessionEntry,
  OpaqueEntry,
  SESSION_VERSION,
  type SessionEntry,
  SessionHeader,
} from "../protocol/session-entries.ts";
import { clipNesting, MAX_NESTING } from "../util/nesting.ts";
import { readSessionHeader, realPath } from "./locate.ts";
import { migrateEntries, type RawEntry } from "./migrate.ts";

const LF = 0x0a;
/** An entry has a few levels of its own around the values of models and tools. */
const MAX_ENTRY_NESTING = MAX_NESTING + 20;
const PIECE_BYTES = 256 * 1024;

/** An entry as it stands in the file, and what we understand of it. */
export interface LoadedEntry {
  entry: SessionEntry;
  /** Undefined for a kind, or a shape, that we do not know. */
  known: KnownSessionEntry | undefined;
}

/** A session file as it was read. */
export interface LoadedSession {
  header: SessionHeader;
  entries: LoadedEntry[];
  /** Lines that could not be read and were passed over. */
  skippedLines: number;
  /** Bytes up to the end of the last readable line; a torn line behind it is cut off before the first append. */
  validBytes: number;
  /** The last line is whole but has no LF. */
  needsNewline: boolean;
}

/**
 * Reads a session file, whatever its version. A line that is no entry is skipped; an entry of a kind that we do not know is kept as
 * it is. A file of an older version is rewritten, whole or not at all. The file is read in pieces: it never is in memory as a whole.
 * @returns undefined when the file is empty or not there.
 * @throws AgentError session_corrupt when it holds something else than a session.
 */
export function loadSessionFile(path: string): LoadedSession | undefined {
  const loaded = readSession(path);
  if (loaded === undefined || (loaded.header.version ?? 1) >= SESSION_VERSION) return loaded;
  const header = { ...loaded.header, version: SESSION_VERSION };
  const rewritten = [header, ...loaded.entries.map(({ entry }) => entry)]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
  replaceFile(path, rewritten);
  return { ...loaded, header, validBytes: Buffer.byteLength(rewritten), needsNewline: false };
}

/**
 * Looks whether `loadSessionFile` could read a file, without reading all of it.
 * @throws AgentError session_corrupt when it could not.
 */
export function checkSessionFile(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0 && readSessionHeader(path) === undefined) throw corrupt(path);
}

function corrupt(path: string): AgentError {
  return new AgentError("session_corrupt", `Session file is not a valid tiller session: ${path}`);
}

/** Takes the lines of a session file one after the other. */
class SessionReader {
  readonly #path: string;
  #header: SessionHeader | undefined;
  readonly entries: LoadedEntry[] = [];
  /** Entries of an older version, which can be brought up to date only together. */
  readonly #old: RawEntry[] = [];
  #lineCount = 0;
  #isLastReadable = true;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws AgentError session_corrupt when the first line is no header. */
  line(text: string): void {
    if (text.trim() === "") return;
    if (this.#header === undefined) {
      this.#header = SessionHeader.safeParse(parseJson(text)).data;
      if (this.#header === undefined) throw corrupt(this.#path);
      return;
    }
    this.#lineCount++;
    const raw = parseObject(text);
    this.#isLastReadable = raw !== undefined;
    if (raw === undefined) return;
    if ((this.#header.version ?? 1) < SESSION_VERSION) this.#old.push(raw);
    else this.#add(raw);
  }

  overflow(): void {
    if (this.#header === undefined) throw corrupt(this.#path);
    this.#lineCount++;
    this.#isLastReadable = false;
  }

  /** @param lineEnd bytes up to the last LF. @param size bytes in all. */
  finish(lineEnd: number, size: number): LoadedSession | undefined {
    const header = this.#header;
    if (header === undefined) return undefined;
    for (const raw of migrateEntries(header.version ?? 1, this.#old)) this.#add(raw);
    const isTailTorn = lineEnd < size && !this.#isLastReadable;
    return {
      header,
      entries: this.entries,
      skippedLines: this.#lineCount - this.entries.length,
      validBytes: isTailTorn ? lineEnd : size,
      needsNewline: lineEnd < size && !isTailTorn,
    };
  }

  #add(raw: RawEntry): void {
    const entry = readEntry(raw);
    if (entry !== undefined) this.entries.push(entry);
  }
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
      // A line keeps the piece that it began in, so each piece is a buffer of its own.
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

/** An entry as a line has it; undefined when it is none. What is nested too deeply to be copied and written is cut. */
export function readEntry(line: RawEntry): LoadedEntry | undefined {
  const raw = clipNesting(line, MAX_ENTRY_NESTING);
  // Compiled at the first entry: long sessions open twice as fast, and a start without one costs nothing.
  compiledEntry ??= z.compile(KnownSessionEntry);
  const known = compiledEntry.safeParse(raw);
  if (known.success) return { entry: known.data, known: known.data };
  const opaque = OpaqueEntry.safeParse(raw);
  return opaque.success ? { entry: opaque.data, known: undefined } : undefined;
}

function parseObject(line: string): RawEntry | undefined {
  const value = parseJson(line);
  return isRawEntry(value) ? value : undefined;
}

/** Whether a value can be an entry: it is an object. */
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
    return openSync(path, "r");
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
