import * as z from "zod";

const path = z.string();
const line = z.int().positive();
/** A sentence about what is left out, when something is. */
const cut = { cut: z.string().optional() };
const lines = { startLine: line, endLine: line };

/** Facts about an attachment besides its content. Lines are 1-based and inclusive; `bytes` is the size of the whole file. */
export const ContextMeta = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("file"),
    path,
    ...lines,
    totalLines: z.int().nonnegative(),
    language: z.string().optional(),
    ...cut,
  }),
  z.object({ kind: z.literal("selection"), path, ...lines, language: z.string().optional(), ...cut }),
  z.object({ kind: z.literal("symbol"), name: z.string(), path, ...lines, language: z.string().optional(), ...cut }),
  z.object({ kind: z.literal("problems"), count: z.int().nonnegative(), ...cut }),
  z.object({ kind: z.literal("terminal"), name: z.string(), ...cut }),
  z.object({ kind: z.literal("git"), ...cut }),
  z.object({ kind: z.literal("task"), name: z.string(), ...cut }),
  z.object({ kind: z.literal("debug"), name: z.string(), ...cut }),
  /** A resource of an MCP server, which the agent reads and attaches. */
  z.object({
    kind: z.literal("resource"),
    name: z.string(),
    server: z.string(),
    uri: z.string(),
    mimeType: z.string().optional(),
    ...cut,
  }),
  /** Text that the user pasted; its mark in the message begins with `name`. It is never cut. */
  z.object({ kind: z.literal("pasted"), name: z.string(), ...cut }),
  /** The requested content isn't available; `name` is its name. */
  z.object({ kind: z.literal("missing"), name: z.string(), reason: z.string() }),
]);
export type ContextMeta = z.infer<typeof ContextMeta>;

/** Something that a message carries. `content` is what the model reads, to the byte; empty where there is nothing to be read. */
export const ContextBlock = z.object({ meta: ContextMeta, content: z.string() });
export type ContextBlock = z.infer<typeof ContextBlock>;

/** A word in the message that stands for content of the editor. */
export const ContextWord = z.enum(["problems", "selection", "terminal", "git", "task", "debug"]);
export type ContextWord = z.infer<typeof ContextWord>;

/** The source of a chip's content when the message is sent. `uri` is the URI of a document. */
export const ContextSource = z.discriminatedUnion("kind", [
  /** All problems, or those of one document, or of some of its lines. */
  z.object({
    kind: z.literal("problems"),
    uri: z.string().optional(),
    startLine: line.optional(),
    endLine: line.optional(),
  }),
  z.object({ kind: z.literal("selection") }),
  z.object({ kind: z.literal("terminal") }),
  z.object({ kind: z.literal("git") }),
  z.object({ kind: z.literal("task") }),
  z.object({ kind: z.literal("debug") }),
  /** A symbol that begins near a line. */
  z.object({ kind: z.literal("symbol"), name: z.string(), uri: z.string(), ...lines }),
  /** Some lines of a document, as they are by then. */
  z.object({ kind: z.literal("lines"), uri: z.string(), ...lines }),
  z.object({ kind: z.literal("file"), uri: z.string() }),
  /** A resource of an MCP server. The agent finds its mention in the message and attaches it. */
  z.object({ kind: z.literal("resource"), server: z.string(), uri: z.string(), name: z.string() }),
  /** Content of an earlier message: it can't be read again. */
  z.object({ kind: z.literal("sent") }),
]);
export type ContextSource = z.infer<typeof ContextSource>;

/**
 * A chip of the next message. It is read from its source when the message is sent, unless the user has `fixed` it. With a `mark` it belongs to the
 * message while the mark stands in its text; without one, until it is removed. `label` and `detail` tell of it as it was last looked at, `note` where it is
 * from and what was cut.
 */
export const ContextAttachment = z.object({
  kind: z.literal("context"),
  id: z.string(),
  mark: z.string(),
  source: ContextSource,
  label: z.string(),
  detail: z.string(),
  note: z.string(),
  fixed: ContextBlock.optional(),
});
export type ContextAttachment = z.infer<typeof ContextAttachment>;
