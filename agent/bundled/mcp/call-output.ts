import * as z from "zod";
import type { ToolResult } from "../../extensions/author.ts";
import type { InputContent } from "../../protocol/content.ts";
import { formatSize, MAX_BYTES } from "../../util/truncate.ts";
import type { CallResult } from "./connection.ts";

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"];
const MAX_IMAGES = 10;

const Media = { data: z.string(), mimeType: z.string() };
/** The content of a resource, or a part of it. */
export const ResourceBlock = z.object({
  uri: z.string(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
});
export type ResourceBlock = z.infer<typeof ResourceBlock>;
const Block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), ...Media }),
  z.object({ type: z.literal("audio"), ...Media }),
  z.object({
    type: z.literal("resource_link"),
    uri: z.string(),
    name: z.string().optional(),
    description: z.string().optional(),
    mimeType: z.string().optional(),
  }),
  z.object({ type: z.literal("resource"), resource: ResourceBlock }),
]);

/**
 * Returns a result for the model: text, images, and a line of text for other content.
 * @throws Error with the text, when the tool says that it failed.
 */
export function callOutput({ content, structuredContent, isError }: CallResult): ToolResult {
  const blocks = content.map(toContent);
  const hasText = blocks.some(({ type }) => type === "text");
  if (!hasText && structuredContent !== undefined) blocks.push(text(JSON.stringify(structuredContent)));
  const kept = withFewImages(blocks);
  if (isError === true) throw new Error(textOf(kept) || "The tool failed without giving a reason.");
  return {
    content: kept.length === 0 ? [text("(no output)")] : kept,
    details: isSmall(structuredContent) ? { structuredContent } : undefined,
    structuredContent,
  };
}

/** Returns a server's content block as the model sees it. @param value unchecked. */
export function toContent(value: unknown): InputContent {
  const read = Block.safeParse(value);
  if (!read.success) return text("[Content that can't be shown is left out.]");
  const block = read.data;
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return toImage(block.data, block.mimeType);
    case "audio":
      return leftOut("Audio", block.mimeType, block.data.length);
    case "resource_link": {
      const { name, uri, mimeType, description } = block;
      const about = [name, uri, mimeType && `(${mimeType})`, description].filter(Boolean).join(" ");
      return text(`[Resource: ${about}]`);
    }
    case "resource": {
      const { uri, mimeType = "", text: words, blob = "" } = block.resource;
      if (words !== undefined) return text(`[Resource: ${uri}]\n${words}`);
      if (IMAGE_TYPES.includes(mimeType)) return toImage(blob, mimeType);
      return leftOut(`Resource ${uri}`, mimeType || "unknown type", blob.length);
    }
  }
}

/** Returns an image, or a line of text if models don't take it. */
export function toImage(data: string, mimeType: string): InputContent {
  return IMAGE_TYPES.includes(mimeType) ? { type: "image", data, mimeType } : leftOut("Image", mimeType, data.length);
}

function leftOut(what: string, mimeType: string, base64Characters: number): InputContent {
  return text(`[${what} (${mimeType}, ${formatSize(Math.floor((base64Characters * 3) / 4))}) is not shown.]`);
}

function withFewImages(blocks: readonly InputContent[]): InputContent[] {
  let images = 0;
  return blocks.filter(({ type }) => type !== "image" || ++images <= MAX_IMAGES);
}

function isSmall(value: unknown): boolean {
  return value !== undefined && JSON.stringify(value).length <= MAX_BYTES;
}

function textOf(blocks: readonly InputContent[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function text(words: string): InputContent {
  return { type: "text", text: words };
}
