import * as z from "zod";
import { ContextAttachment } from "./context.ts";

const id = z.string();

/** The kinds of images that models take. */
export const ImageType = z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]);
export type ImageType = z.infer<typeof ImageType>;
/** Most things that one message carries. */
export const MAX_ATTACHMENTS = 20;
/** An image for the next message; `data` is base64, `note` says what was done to it. */
export const ImageAttachment = z.object({
  kind: z.literal("image"),
  id,
  name: z.string(),
  mimeType: ImageType,
  data: z.string(),
  note: z.string(),
});
export type ImageAttachment = z.infer<typeof ImageAttachment>;
/** Pasted text of the next message; `mark` stands for it in the message. */
export const PastedText = z.object({ kind: z.literal("text"), id, mark: z.string(), text: z.string() });
export type PastedText = z.infer<typeof PastedText>;
/** An attachment of the next message. */
export const Attachment = z.discriminatedUnion("kind", [ImageAttachment, PastedText, ContextAttachment]);
export type Attachment = z.infer<typeof Attachment>;
/** Returns the message as it is sent: the first place of each mark becomes the pasted text. */
export function expandMarks(text: string, attachments: readonly Attachment[]): string {
  // In one pass: a pasted text may itself hold what looks like a mark.
  const texts = new Map<string, string>();
  for (const one of attachments) if (one.kind === "text") texts.set(one.mark, one.text);
  return text.replace(/\[\p{L}[\p{L} ]{1,40} \d+: [\p{L}\d ]{1,40}\]/gu, (mark) => {
    const pasted = texts.get(mark);
    texts.delete(mark);
    return pasted ?? mark;
  });
}

/** Returns the chip with which a pasted text is sent; its mark stays in the message. */
export function sentPasted({ id: chip, mark, text }: PastedText): ContextAttachment {
  const name = /^\[(.+):/.exec(mark)?.[1] ?? mark;
  const fixed = { meta: { kind: "pasted" as const, name }, content: text };
  return { kind: "context", id: chip, mark, source: { kind: "sent" }, label: name, detail: "", note: "", fixed };
}

/** The inverse of `sentPasted`; any other chip stays as it is. */
export function draftOfSent(chip: ContextAttachment): Attachment {
  const { fixed, mark } = chip;
  if (fixed?.meta.kind !== "pasted" || mark === "") return chip;
  return { kind: "text", id: chip.id, mark, text: fixed.content };
}

/** How a prompt is delivered during a run: after the current step, or at the end. */
export const Delivery = z.enum(["steer", "followUp"]);
export type Delivery = z.infer<typeof Delivery>;

/** A message of the user on its way from the composer to the agent. */
export const Prompt = z.object({
  text: z.string(),
  images: z.array(ImageAttachment).max(MAX_ATTACHMENTS).optional(),
  /** Content of the editor that is read when the prompt is sent. */
  contexts: z.array(ContextAttachment).max(MAX_ATTACHMENTS).optional(),
  delivery: Delivery,
});
export type Prompt = z.infer<typeof Prompt>;

/** The attachments of a draft, including ones that may not be sent. */
export const attachments = z.array(Attachment).max(2 * MAX_ATTACHMENTS);

/** The caret or selection in a text, in UTF-16 units, and its scroll position, in CSS pixels. */
export const DraftPlace = z.object({ start: z.int().nonnegative(), end: z.int().nonnegative(), top: z.number() });
export type DraftPlace = z.infer<typeof DraftPlace>;

/**
 * The content of the composer, kept on both sides; `at` is the Unix time in ms of the last change, so that the newer one wins. `chat` says
 * whose draft it is: a page may be given another conversation. It is empty where the page does not know yet. `was` is what the same
 * conversation was called when the page was last told, where that was something else: an agent that is ready has named its session.
 */
export const DraftCopy = z.object({
  chat: z.string().default(""),
  was: z.string().optional(),
  text: z.string(),
  at: z.number(),
  place: DraftPlace.optional(),
  attachments: attachments.optional(),
});
export type DraftCopy = z.infer<typeof DraftCopy>;
