import * as z from "zod";
import { type FindSecrets, withoutSecrets } from "../../../agent/util/secrets.ts";
import { t } from "../../../webview/l10n.ts";
import type { TraceDirection, TraceEntry } from "../../core/trace/wire-trace.ts";
import { redactFrame } from "./redact-frames.ts";
import { redactPieces } from "./redact-pieces.ts";

/** The version of the file format. Files of a later version are refused. */
const TRACE_VERSION = 1;
/** Limits: larger files, longer lines and more entries are refused. */
export const MAX_TRACE_BYTES = 128 * 1024 * 1024;
const MAX_LINE_CHARS = 32 * 1024 * 1024;
const MAX_ENTRIES = 500_000;

/** The first line of a file. */
const Header = z.object({
  format: z.literal("tillertrace"),
  version: z.int().positive(),
  /** Unix ms. */
  savedAt: z.number(),
  tiller: z.string(),
  title: z.string(),
  /** The prefix of the conversation's item ids. */
  idPrefix: z.string().max(100),
  cwd: z.string(),
  /** Number of entries dropped before the first. */
  dropped: z.int().nonnegative(),
});
export type TraceHeader = z.infer<typeof Header>;

/** An entry line. `f` is the frame; `x` is one that is not JSON. Both are absent when it was too large to be kept. */
const Line = z.object({
  n: z.int().positive(),
  t: z.number(),
  d: z.enum(["in", "out", "host"]),
  s: z.int().nonnegative(),
  f: z.unknown().optional(),
  x: z.string().optional(),
});

/** The contents of a file. */
export interface SavedTrace {
  readonly header: TraceHeader;
  readonly entries: readonly TraceEntry[];
  /** Number of unreadable lines, which were skipped. */
  readonly skipped: number;
}

/** Thrown when a file cannot be read as a trace; `message` is for people. */
export class NoTrace extends Error {}

/** Number of entries written or read between two turns of the event loop. */
const SLICE = 2_000;
const otherWork = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Yields the lines of a `.tillertrace` file: a header, then one entry each, all without secrets. A secret that came in pieces, such as a key in a
 * streamed answer, is removed, too, if its pieces are among the entries.
 */
export function* traceLines(
  header: Omit<TraceHeader, "format" | "version">,
  entries: readonly TraceEntry[],
  find: FindSecrets,
): Generator<string> {
  const title = withoutSecrets(header.title, find);
  const cwd = withoutSecrets(header.cwd, find);
  yield `${JSON.stringify({ format: "tillertrace", version: TRACE_VERSION, ...header, title, cwd })}\n`;
  const changed = redactPieces(entries, find);
  for (const { seq, at, direction, size, text } of entries) {
    const frame = redactFrame(changed.get(seq) ?? text, find);
    const body = text === "" ? {} : frame.kind === "json" ? { f: frame.value } : { x: frame.text };
    yield `${JSON.stringify({ n: seq, t: at, d: direction, s: size, ...body })}\n`;
  }
}

/** Writes the whole file in slices, so that the editor can do other work in between. */
export async function traceFile(
  header: Omit<TraceHeader, "format" | "version">,
  entries: readonly TraceEntry[],
  find: FindSecrets,
): Promise<string> {
  const parts: string[] = [];
  let count = 0;
  for (const line of traceLines(header, entries, find)) {
    parts.push(line);
    count += 1;
    if (count % SLICE === 0) await otherWork();
  }
  return parts.join("");
}

/**
 * Reads a file with any contents. Rejects with `NoTrace`. Unreadable lines, such as an incomplete last one, are counted. The editor can do other
 * work meanwhile.
 */
export async function readTrace(bytes: Uint8Array): Promise<SavedTrace> {
  if (bytes.length > MAX_TRACE_BYTES) throw new NoTrace(t("The trace file is too large."));
  const text = new TextDecoder().decode(bytes);
  const end = text.indexOf("\n");
  const header = Header.safeParse(parsed(text.slice(0, end === -1 ? undefined : end)));
  if (!header.success) throw new NoTrace(t("This isn't a Tiller trace file."));
  if (header.data.version > TRACE_VERSION)
    throw new NoTrace(t("This trace was saved by a newer version of Tiller. Update Tiller to open it."));
  const entries: TraceEntry[] = [];
  let skipped = 0;
  for (let start = end + 1; end !== -1 && start < text.length; ) {
    const next = text.indexOf("\n", start);
    const line = text.slice(start, next === -1 ? undefined : next);
    start = next === -1 ? text.length : next + 1;
    if (line.trim() === "") continue;
    const entry = entries.length < MAX_ENTRIES ? readLine(line, entries.length + 1) : undefined;
    if (entry === undefined) skipped += 1;
    else entries.push(entry);
    if ((entries.length + skipped) % SLICE === 0) await otherWork();
  }
  return { header: header.data, entries, skipped };
}

/** Parses an entry. Entries are renumbered, since those of a file may be out of order. */
function readLine(line: string, seq: number): TraceEntry | undefined {
  if (line.length > MAX_LINE_CHARS) return undefined;
  const { data } = Line.safeParse(parsed(line));
  if (data === undefined) return undefined;
  const direction: TraceDirection = data.d;
  const text = data.f === undefined ? (data.x ?? "") : JSON.stringify(data.f);
  return { seq, at: data.t, direction, text, size: data.s };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the schema rejects it
  }
}
