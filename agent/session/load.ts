import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { AgentError } from "../protocol/errors.ts";
import {
  KnownSessionEntry,
  OpaqueEntry,
  SESSION_VERSION,
  type SessionEntry,
  SessionHeader,
} from "../protocol/session-entries.ts";
import { readSessionHeader } from "./locate.ts";
import { migrateEntries, type RawEntry } from "./migrate.ts";

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
 * it is. A file of an older version is rewritten, whole or not at all.
 * @returns undefined when the file is empty or not there.
 * @throws AgentError session_corrupt when it holds something else than a session.
 */
export function loadSessionFile(path: string): LoadedSession | undefined {
  const bytes = readIfThere(path);
  if (bytes === undefined || bytes.toString("utf8", 0, 1024).trim() === "") return undefined;
  const loaded = parseSession(bytes, path);
  if ((loaded.header.version ?? 1) >= SESSION_VERSION) return loaded;
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

function parseSession(bytes: Buffer, path: string): LoadedSession {
  const lines = bytes.toString("utf8").split("\n");
  const tail = lines.pop() ?? "";
  const [first = tail, ...rest] = lines;
  const header = SessionHeader.safeParse(parseJson(first));
  if (!header.success) throw corrupt(path);
  const isHeaderOnly = lines.length === 0;
  const tailEntry = isHeaderOnly ? undefined : parseObject(tail);
  const isTailTorn = !isHeaderOnly && tail.trim() !== "" && tailEntry === undefined;
  const written = rest.filter((line) => line.trim() !== "");
  const raw = written.map(parseObject).filter((entry) => entry !== undefined);
  if (tailEntry !== undefined) raw.push(tailEntry);
  const entries = migrateEntries(header.data.version ?? 1, raw)
    .map(readEntry)
    .filter((entry) => entry !== undefined);
  const lineCount = written.length + (tail.trim() === "" || isHeaderOnly ? 0 : 1);
  return {
    header: header.data,
    entries,
    skippedLines: lineCount - entries.length,
    validBytes: isTailTorn ? bytes.lastIndexOf(0x0a) + 1 : bytes.length,
    needsNewline: tail !== "" && !isTailTorn,
  };
}

function readEntry(raw: RawEntry): LoadedEntry | undefined {
  const known = KnownSessionEntry.safeParse(raw);
  if (known.success) return { entry: known.data, known: known.data };
  const opaque = OpaqueEntry.safeParse(raw);
  return opaque.success ? { entry: opaque.data, known: undefined } : undefined;
}

function parseObject(line: string): RawEntry | undefined {
  const value = parseJson(line);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // the caller counts the line as skipped
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function replaceFile(path: string, text: string): void {
  const aside = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(aside, text, { mode: 0o600 });
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}
