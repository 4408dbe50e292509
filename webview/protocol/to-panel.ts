import * as z from "zod";
import { ContextAttachment, ContextBlock, ContextWord } from "./context.ts";
import { attachments, DraftCopy } from "./draft.ts";
import { TranscriptItem } from "./items.ts";
import { PanelCommand, PanelUi } from "./ui.ts";

/**
 * The messages between the extension host and the chat page. The host owns the transcript; the page only draws it. The page says
 * `ready`, gets a snapshot, then patches with consecutive revisions; after a gap it asks again. Both sides parse every message.
 */
export const PANEL_PROTOCOL_VERSION = 1;

const id = z.string();

/** One change of the transcript. */
export const PatchOp = z.discriminatedUnion("op", [
  /** Adds to the `text` of a text or thinking item, or to the `input` of a tool call that is still being prepared. */
  z.object({ op: z.literal("append"), id, text: z.string() }),
  /** The text or thinking item has all its text and streams no more. */
  z.object({ op: z.literal("finish"), id, durationMs: z.number().optional() }),
  /** Replaces the item with that id, or adds it at the end. */
  z.object({ op: z.literal("upsert"), item: TranscriptItem }),
  /** `isTooOld`: they are part of the conversation still, but not among the latest, which alone are kept. */
  z.object({ op: z.literal("remove"), ids: z.array(id), isTooOld: z.boolean().optional() }),
]);
export type PatchOp = z.infer<typeof PatchOp>;

/** The content of the context window; the numbers are tokens, and the first two are estimates. Unknown values are absent. */
export const ContextParts = z.object({
  systemPrompt: z.int().optional(),
  tools: z.int().optional(),
  conversation: z.int().optional(),
  free: z.int().optional(),
  /** Files of instructions, by the path that people know. */
  instructions: z
    .array(z.object({ name: z.string(), path: z.string(), state: z.enum(["sent", "matching", "described"]) }))
    .optional(),
});
export type ContextParts = z.infer<typeof ContextParts>;

/** A message that was sent earlier, with the chips that have a mark in it. */
export const EarlierPrompt = z.object({ text: z.string(), contexts: z.array(ContextAttachment) });
export type EarlierPrompt = z.infer<typeof EarlierPrompt>;

/** Something to be mentioned: `insert` is its text. A `word` is asked for by `takeContext` besides; an `attachment` becomes a chip. */
export const PanelMention = z.object({
  insert: z.string(),
  label: z.string(),
  detail: z.string(),
  isFolder: z.boolean(),
  /** True for a resource of an MCP server, and for the beginning of its URI. */
  isResource: z.boolean().optional(),
  word: ContextWord.optional(),
  attachment: ContextAttachment.optional(),
});
export type PanelMention = z.infer<typeof PanelMention>;

/** Host → page. */
export const ToPanel = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("snapshot"),
    version: z.int(),
    revision: z.int(),
    items: z.array(TranscriptItem),
    ui: PanelUi,
    draft: DraftCopy,
    /** Unix time in ms at the host, whose machine may have another clock. */
    now: z.number(),
  }),
  /** Applies to revision `revision - 1` only. */
  z.object({ type: z.literal("patch"), revision: z.int(), ops: z.array(PatchOp), ui: PanelUi.optional() }),
  /** Puts text into the composer, in place of what is there or behind it; and attachments, in the same way. */
  z.object({
    type: z.literal("setDraft"),
    text: z.string(),
    mode: z.enum(["replace", "append"]),
    attachments: attachments.optional(),
  }),
  /** Moves the keyboard into the composer: only after the user asked for it. */
  z.object({ type: z.literal("focusComposer") }),
  /** Plays the short sound of an event that the user does not see. */
  z.object({ type: z.literal("chime"), event: z.enum(["done", "needsYou", "failed"]) }),
  /** Moves the keyboard to the next or previous part of the page. */
  z.object({ type: z.literal("moveToPart"), by: z.literal([-1, 1]) }),
  /** Goes to the message of the user's before or after the place where the keyboard is. */
  z.object({ type: z.literal("jump"), by: z.literal([-1, 1]) }),
  /** Opens the bar that searches the conversation. */
  z.object({ type: z.literal("find") }),
  /** Puts the keyboard on an item, and the item into sight. */
  z.object({ type: z.literal("reveal"), id }),
  /** Puts what the user said into the composer, to be sent again in another form. */
  z.object({ type: z.literal("editPrompt"), id }),
  /** Copies an item as it reads on the page. */
  z.object({ type: z.literal("copyItem"), id }),
  /** The answer to `findFiles`; `target` is the file for people, or null when there is none. */
  z.object({ type: z.literal("files"), files: z.array(z.object({ path: z.string(), target: z.string().nullable() })) }),
  /** The answer to `readEarlier`: items in order, and what stands for those before them; null when these are the first. */
  z.object({
    type: z.literal("earlier"),
    request: z.int(),
    items: z.array(TranscriptItem),
    next: z.string().nullable(),
  }),
  /** The other answer to `readEarlier`; `reason` is for people. */
  z.object({ type: z.literal("noEarlier"), request: z.int(), reason: z.string() }),
  /** The answer to `readContext`. */
  z.object({ type: z.literal("contextParts"), parts: ContextParts }),
  /** The answer to `listCommands`. */
  z.object({ type: z.literal("commands"), commands: z.array(PanelCommand) }),
  /** The answer to `listHistory`: what was sent in this workspace, the latest first. */
  z.object({ type: z.literal("history"), entries: z.array(EarlierPrompt) }),
  /** The answer to `listMentions`. What is picked takes the place of the text from `start` to `end`; empty when the caret is in no mention. */
  z.object({
    type: z.literal("mentions"),
    request: z.int(),
    start: z.int(),
    end: z.int(),
    matches: z.array(PanelMention),
  }),
  /** The answer to a drop: goes into the message where the caret is. */
  z.object({ type: z.literal("insert"), text: z.string() }),
  /** Chips for the message. */
  z.object({ type: z.literal("addContexts"), contexts: z.array(ContextAttachment) }),
  /** The answer to `previewContext`: what would be sent, and words for the chip. */
  z.object({
    type: z.literal("contextPreview"),
    id,
    block: ContextBlock,
    label: z.string(),
    detail: z.string(),
    note: z.string(),
  }),
]);
export type ToPanel = z.infer<typeof ToPanel>;
