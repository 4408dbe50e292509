import { z } from "zod";
import { parsePartialObject } from "../../util/partial-json.ts";
import { type FileLine, isWhole } from "./file-lines.ts";

const HEAD_BYTES = 1024;
const MAX_UNUSUAL_BYTES = 1024 * 1024;
const TYPE = /^\s*\{\s*"type"\s*:\s*"(\w+)"/;
const ROLE = /"message"\s*:\s*\{\s*"role"\s*:\s*"(\w+)"/;

/** What kind of entry a line holds; `role` belongs to messages. */
export interface LineKind {
  type: string | undefined;
  role: string | undefined;
}

const Kind = z.object({ type: z.string(), message: z.object({ role: z.string() }).optional().catch(undefined) });

/**
 * Tells what a line holds by its first bytes, as programs that write sessions put the type first: most lines are long and of no
 * interest. A line that begins in another way is parsed.
 */
export function kindOf(line: FileLine): LineKind {
  const head = line.bytes.toString("latin1", 0, HEAD_BYTES);
  const type = TYPE.exec(head)?.[1];
  const role = type === "message" ? ROLE.exec(head)?.[1] : undefined;
  if (type !== undefined && (type !== "message" || role !== undefined)) return { type, role };
  if (line.length > MAX_UNUSUAL_BYTES || !isWhole(line)) return { type, role: undefined };
  const { data } = Kind.safeParse(parseLine(line));
  return { type: data?.type, role: data?.message?.role };
}

/** The value of a line; of one that was cut off what can be read. Undefined when it is no JSON. */
export function parseLine(line: FileLine): unknown {
  const text = line.bytes.toString("utf8");
  if (!isWhole(line)) return parsePartialObject(text);
  try {
    return JSON.parse(line.offset === 0 && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    return undefined; // a broken line: the caller passes it over
  }
}

/** Whether a line holds nothing. */
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

/** A line that holds a message, read as far as people see it. */
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
