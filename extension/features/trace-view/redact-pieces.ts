import * as z from "zod";
import { type FindSecrets, REDACTED, type TextRange } from "../../../agent/util/secrets.ts";
import type { TraceEntry } from "../../core/trace/wire-trace.ts";

/** Frames with a piece of a streamed text. */
const Piece = z.union([
  z.looseObject({
    type: z.literal("message_update"),
    assistantMessageEvent: z.looseObject({ type: z.string(), contentIndex: z.int(), delta: z.string() }),
  }),
  z.looseObject({ type: z.literal("bash_execution_update"), delta: z.string() }),
]);
type Piece = z.infer<typeof Piece>;

interface Part {
  readonly seq: number;
  readonly frame: Piece;
  readonly text: string;
}

/** The start or end of a message, which ends its streams. */
const MESSAGE_BORDER = /"type":"message_(?:start|end)"/;
/** Maximum number of pieces that are searched together; a secret across the border of two such runs is not found. */
const MAX_PARTS = 20_000;

/**
 * Finds secrets that span several pieces of a streamed text. The first piece that held a part of one has `[redacted]` in its place.
 * @returns the changed frames as JSON, by their number.
 */
export function redactPieces(entries: readonly TraceEntry[], find: FindSecrets): Map<number, string> {
  const changed = new Map<number, string>();
  const streams = new Map<string, Part[]>();
  const close = (name: string) => {
    const parts = streams.get(name);
    streams.delete(name);
    if (parts !== undefined) redactStream(parts, find, changed);
  };
  for (const { direction, seq, text } of entries) {
    if (direction !== "in") continue;
    const frame = pieceOf(text);
    if (frame === undefined) {
      if (MESSAGE_BORDER.test(text)) for (const name of [...streams.keys()]) close(name);
      continue;
    }
    const [name, piece] = streamOf(frame);
    const parts = streams.get(name) ?? [];
    parts.push({ seq, frame, text: piece });
    streams.set(name, parts);
    if (parts.length >= MAX_PARTS) close(name);
  }
  for (const name of [...streams.keys()]) close(name);
  return changed;
}

function pieceOf(text: string): Piece | undefined {
  if (!text.includes('"delta"')) return undefined;
  try {
    return Piece.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // not JSON
  }
}

function streamOf(frame: Piece): [name: string, text: string] {
  if (frame.type === "bash_execution_update") return ["shell", frame.delta];
  const { type, contentIndex, delta } = frame.assistantMessageEvent;
  return [`${type} ${contentIndex}`, delta];
}

function redactStream(parts: readonly Part[], find: FindSecrets, changed: Map<number, string>): void {
  const secrets = find(parts.map(({ text }) => text).join(""));
  if (secrets.length === 0) return;
  let start = 0;
  let next = 0;
  for (const { seq, frame, text } of parts) {
    const end = start + text.length;
    // Skip the secrets that end before this piece.
    for (let secret = secrets[next]; secret !== undefined && secret.end <= start; secret = secrets[next]) next += 1;
    const cut = withoutParts(text, start, secrets.slice(next, next + text.length));
    if (cut !== text) changed.set(seq, JSON.stringify(withText(frame, cut)));
    start = end;
  }
}

/** Removes the parts of secrets from a piece that begins at `start` of the whole; marks the place where one begins. */
function withoutParts(piece: string, start: number, secrets: readonly TextRange[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const secret of secrets) {
    const from = secret.start - start;
    if (from >= piece.length) break;
    parts.push(piece.slice(done, Math.max(from, 0)), from >= 0 ? REDACTED : "");
    done = Math.min(secret.end - start, piece.length);
  }
  return parts.join("") + piece.slice(done);
}

function withText(frame: Piece, delta: string): Piece {
  if (frame.type === "bash_execution_update") return { ...frame, delta };
  return { ...frame, assistantMessageEvent: { ...frame.assistantMessageEvent, delta } };
}
