import * as z from "zod";
import { type FindSecrets, withoutSecrets } from "../../../agent/util/secrets.ts";
import { t } from "../../../webview/l10n.ts";
import type { TraceDirection, TraceEntry } from "../../core/trace/wire-trace.ts";
import { redactFrame } from "./redact-frames.ts";
import { redactPieces } from "./redact-pieces.ts";

/** The form of the file. A reader refuses files of a later form. */
const TRACE_VERSION = 1;
/** Larger files, longer lines and more entries than these are refused. */
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
  /** What ids and paths of the conversation begin with. */
  idPrefix: z.string().max(100),
  cwd: z.string(),
  /** How many entries had been dropped before the first. */
  dropped: z.int().nonnegative(),
});
export type TraceHeader = z.infer<typeof Header>;

/** One of the other lines. `f` is the frame; `x` is one that is no JSON. Neither is there when it was too large to be kept. */
const Line = z.object({
  n: z.int().positive(),
  t: z.number(),
  d: z.enum(["in", "out", "host"]),
  s: z.int().nonnegative(),
  f: z.unknown().optional(),
  x: z.string().optional(),
});

/** What a file holds. */
export interface SavedTrace {
  readonly header: TraceHeader;
  readonly entries: readonly TraceEntry[];
  /** Lines that could not be read and were left out. */
  readonly skipped: number;
}

/** The file cannot be read as a trace; `message` is for people. */
export class NoTrace extends Error {}

/** How many entries are written or read between two turns of the event loop. */
const SLICE = 2_000;
const otherWork = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * The lines of a `.tillertrace` file: a header, then an entry each, all without secrets. One that came in pieces,
 * such as a key in a streamed answer, is found too, as far as the pieces are among the entries.
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

/** The whole file, written in slices so that the editor can do other things between. */
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
 * Reads a file, which may be anything. Rejects with `NoTrace`. Lines that cannot be read, such as a last one that is cut, are counted. The
 * editor can do other things meanwhile.
 */
export async function readTrace(bytes: Uint8Array): Promise<SavedTrace> {
  if (bytes.length > MAX_TRACE_BYTES) throw new NoTrace(t("The file is too large for a trace."));
  const text = new TextDecoder().decode(bytes);
  const end = text.indexOf("\n");
  const header = Header.safeParse(parsed(text.slice(0, end === -1 ? undefined : end)));
  if (!header.success) throw new NoTrace(t("The file is not a trace of Tiller."));
  if (header.data.version > TRACE_VERSION) throw new NoTrace(t("The trace was saved by a later version of Tiller."));
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

/** Entries are numbered anew: what a file says may not be in order. */
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
    return undefined; // the schema says no to it
  }
}
