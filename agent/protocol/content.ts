import * as z from "zod";

/** Base64 data with its type; `data` carries no `data:` prefix. */
export const ImageContent = z.object({
  type: z.literal("image"),
  data: z.string(),
  mimeType: z.string(),
});
export type ImageContent = z.infer<typeof ImageContent>;

/** What a note tells: what the provider searched or read on the web, or the sources of the answer. */
export const NoteKind = z.enum(["search", "sources"]);
export type NoteKind = z.infer<typeof NoteKind>;

/** A run of text. `textSignature` is opaque and belongs to the provider that sent it. A text with `note` was not written by the model. */
export const TextContent = z.object({
  type: z.literal("text"),
  text: z.string(),
  textSignature: z.string().optional(),
  note: NoteKind.optional().catch(undefined),
});
export type TextContent = z.infer<typeof TextContent>;

/** A model's reasoning. The signature is replayed only to the provider and model that made it. */
export const ThinkingContent = z.object({
  type: z.literal("thinking"),
  thinking: z.string(),
  thinkingSignature: z.string().optional(),
  redacted: z.boolean().optional(),
});
export type ThinkingContent = z.infer<typeof ThinkingContent>;

/** A tool that the model asks to run; `arguments` are unchecked until the tool's schema has seen them. */
export const ToolCall = z.object({
  type: z.literal("toolCall"),
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  thoughtSignature: z.string().optional(),
  intent: z.string().optional(),
});
export type ToolCall = z.infer<typeof ToolCall>;

/** The content of users' messages and of tool results. */
export const InputContent = z.discriminatedUnion("type", [TextContent, ImageContent]);
export type InputContent = z.infer<typeof InputContent>;

/** The content of a model's messages. */
export const AssistantContent = z.discriminatedUnion("type", [TextContent, ThinkingContent, ToolCall]);
export type AssistantContent = z.infer<typeof AssistantContent>;

const DATA_URL_PREFIX = /^data:[^,]*;base64,/;

/**
 * An image as hosts send it: `content` is accepted for `data`, and a `data:<mime>;base64,` prefix is taken off.
 */
export const ImageInput = z
  .object({
    type: z.literal("image"),
    data: z.string().optional(),
    content: z.string().optional(),
    mimeType: z.string(),
  })
  .refine((image) => (image.data ?? image.content) !== undefined)
  .transform(
    (image): ImageContent => ({
      type: "image",
      data: (image.data ?? image.content ?? "").replace(DATA_URL_PREFIX, ""),
      mimeType: image.mimeType,
    }),
  );
