import * as z from "zod";
import { parsePartialObject } from "../../util/partial-json.ts";
import { recoverRanges } from "../damaged-lines.ts";
import { type FileLine, isWhole } from "./file-lines.ts";

/** The number of bytes that determine the kind of a line. */
export const HEAD_BYTES = 1024;
const MAX_PARTIAL_BYTES = 256 * 1024;
/** Within a line, it occurs only where another line begins: texts have escaped quotes. */
const MESSAGE_START = '{"type":"message"';
const TYPE = /^\s*\{\s*"type"\s*:\s*"(\w+)"/;
const ROLE = /"message"\s*:\s*\{\s*"role"\s*:\s*"(\w+)"/;

/** The kind of a line's entry; `role` belongs to messages. */
export interface LineKind {
  type: string | undefined;
  role: string | undefined;
}

const Kind = z.object({ type: z.string(), message: z.object({ role: z.string() }).optional().catch(undefined) });

/**
 * Determines the kind of a line from its first bytes, because programs that write sessions put the type first, and most
 * lines are long and irrelevant. Parses a line that begins in another way, as far as it is kept.
 */
export function kindOf(line: FileLine): LineKind {
  const kind = headKind(line.bytes);
  if (kind.type !== undefined && (kind.type !== "message" || kind.role !== undefined)) return kind;
  const { data } = Kind.safeParse(parseLine(line));
  return { type: data?.type, role: data?.message?.role };
}

/** Returns the kind of a line from its first bytes. */
export function headKind(bytes: Buffer): LineKind {
  const head = bytes.toString("latin1", 0, HEAD_BYTES);
  const type = TYPE.exec(head)?.[1];
  return { type, role: type === "message" ? ROLE.exec(head)?.[1] : undefined };
}

/**
 * Returns the value of a line, or, for a line that is cut off, the value of its first 256 KiB. Undefined when it isn't
 * JSON.
 */
export function parseLine(line: FileLine): unknown {
  if (!isWhole(line)) return parsePartialObject(line.bytes.toString("utf8", 0, MAX_PARTIAL_BYTES));
  const text = line.bytes.toString("utf8");
  try {
    return JSON.parse(line.offset === 0 && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    return undefined; // a broken line: the caller passes it over
  }
}

/** Returns the line, or the readable parts of it when it begins with another line that lost its end. */
export function partsOf(line: FileLine): FileLine[] {
  const isMerged = isWhole(line) && line.bytes.indexOf(MESSAGE_START, 1) !== -1 && parseLine(line) === undefined;
  return isMerged ? recoverParts(line) : [line];
}

/** Returns the entries that a damaged line still contains, each as a separate line. */
export function recoverParts(line: FileLine): FileLine[] {
  if (!isWhole(line)) return [];
  // One unit for each byte, so positions in the text are positions in the file.
  return recoverRanges(line.bytes.toString("latin1")).map(([from, to]) => ({
    ...line,
    offset: line.offset + from,
    length: to - from,
    bytes: line.bytes.subarray(from, to),
  }));
}

/** True when a line is empty. */
export function isBlank({ bytes, length }: FileLine): boolean {
  return length === 0 || (length === bytes.length && bytes.length < 64 && bytes.toString().trim() === "");
}

/** Part of a message's content, as much as can be shown or searched. */
const Block = z.object({
  type: z.string().catch(""),
  text: z.string().optional().catch(undefined),
  arguments: z
    .object({ command: z.string().optional().catch(undefined), path: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** A line with a message, reduced to the fields that people see. */
export const MessageLine = z.object({
  id: z.string().optional().catch(undefined),
  message: z.object({
    role: z.string(),
    content: z
      .union([z.string(), z.array(Block.catch({ type: "" }))])
      .optional()
      .catch(undefined),
    command: z.string().optional().catch(undefined),
    synthetic: z.boolean().optional().catch(undefined),
    provider: z.string().optional().catch(undefined),
    model: z.string().optional().catch(undefined),
  }),
});
export type MessageLine = z.infer<typeof MessageLine>;

/** The texts of a message. */
export function textsOf(content: MessageLine["message"]["content"]): string[] {
  if (typeof content === "string") return [content];
  return (content ?? []).flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : []));
}
