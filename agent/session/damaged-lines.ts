import { statSync } from "node:fs";
import { basename } from "node:path";
import { KnownSessionEntry, OpaqueEntry, SESSION_VERSION, SessionHeader } from "../protocol/session-entries.ts";

const BYTE_ORDER_MARK = "\uFEFF";
const ENTRY_TYPES: readonly string[] = KnownSessionEntry.options.map(({ shape }) => shape.type.value);
const ENTRY_START = new RegExp(`\\{\\s*"type"\\s*:\\s*"(?:${ENTRY_TYPES.join("|")})"`, "g");
/** The maximum number of possible entries to try in a line. */
const MAX_STARTS = 20;
/** The maximum number of damaged lines at the start of a session file. */
const MAX_DAMAGED_STARTS = 10;
/** The file name of a session: its start time and its id. */
const FILE_NAME = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)_(.+)\.jsonl$/;

/** Kinds of a line at the start of a session file. */
export type StartOfFile =
  | { kind: "header"; header: SessionHeader }
  /** The first entry: the header before it was lost. */
  | { kind: "entry" }
  | { kind: "damaged" }
  | { kind: "foreign" };

/**
 * Returns the kind of a line without a header before it. @param line all of it, or its beginning when it is long; a
 * byte order mark is ignored.
 * @param damagedBefore how many lines before it could not be read.
 */
export function judgeStart(
  line: string,
  { isWhole, damagedBefore }: { isWhole: boolean; damagedBefore: number },
): StartOfFile {
  const text = line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
  const value = isWhole ? parseJson(text) : undefined;
  const header = SessionHeader.safeParse(value);
  if (header.success) return { kind: "header", header: header.data };
  if (isWhole ? isEntry(value) : text.search(ENTRY_START) === 0) return { kind: "entry" };
  if (isWhole && value === undefined && recoverRanges(text).length > 0) return { kind: "entry" };
  return damagedBefore < MAX_DAMAGED_STARTS ? { kind: "damaged" } : { kind: "foreign" };
}

/** The start and the end of a part of a text. */
type Range = [from: number, to: number];

/** Returns a replacement for a lost header, made from the name of the file. */
export function standInHeader(path: string): SessionHeader {
  const [, day, minute, second, rest, id] = FILE_NAME.exec(basename(path)) ?? [];
  const timestamp = day === undefined ? statSync(path).mtime.toISOString() : `${day}:${minute}:${second}.${rest}`;
  return { type: "session", version: SESSION_VERSION, id: id ?? basename(path, ".jsonl"), timestamp, cwd: "" };
}

/**
 * Finds complete values in a line that isn't valid JSON: the value after a line that lost its end, and the value before
 * it. Ignores zero bytes around a value, which a crash of the machine leaves. @returns their positions, at most two.
 */
export function recoverRanges(text: string): Range[] {
  const starts = [...text.matchAll(ENTRY_START)].map(({ index }) => index).slice(0, MAX_STARTS);
  const tails = starts.map((start) => withoutZeros(text, start, text.length));
  const tail = tails.find((range) => isJson(text, range));
  const heads = (tail === undefined ? starts : [tail[0]]).map((end) => withoutZeros(text, 0, end));
  const head = heads.find((range) => isJson(text, range));
  return [head, tail].filter((range) => range !== undefined);
}

function isJson(text: string, [from, to]: Range): boolean {
  return parseJson(text.slice(from, to)) !== undefined;
}

/** Returns the start and end of a part of a text without the zeros around it. */
function withoutZeros(text: string, from: number, to: number): Range {
  let [start, end] = [from, to];
  while (start < end && text.charCodeAt(start) === 0) start++;
  while (end > start && text.charCodeAt(end - 1) === 0) end--;
  return [start, end];
}

function isEntry(value: unknown): boolean {
  return OpaqueEntry.safeParse(value).success;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the text is not JSON
  }
}
