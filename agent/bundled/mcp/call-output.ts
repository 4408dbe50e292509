import * as z from "zod";
import type { ToolResult } from "../../extensions/author.ts";
import type { InputContent } from "../../protocol/content.ts";
import { characterStart, DEFAULT_LIMITS, formatSize, type Limits, truncateHead } from "../../util/truncate.ts";
import type { CallResult } from "./connection.ts";

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** Base64 characters; what model APIs take. */
const MAX_IMAGE_CHARACTERS = 5_242_880;
const MAX_IMAGES = 10;

const Media = { data: z.string(), mimeType: z.string() };
const Resource = z.object({
  uri: z.string(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
});
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
  z.object({ type: z.literal("resource"), resource: Resource }),
]);

/**
 * Returns a result for the model: text within the limits of all tools, images, and a line of text for other content.
 * @throws Error with the text, when the tool says that it failed.
 */
export function callOutput({ content, structuredContent, isError }: CallResult): ToolResult {
  const blocks = content.map(toContent);
  const hasText = blocks.some(({ type }) => type === "text");
  if (!hasText && structuredContent !== undefined) blocks.push(text(JSON.stringify(structuredContent)));
  const kept = withinLimits(blocks);
  if (isError === true) throw new Error(textOf(kept) || "The tool failed and did not say why.");
  return {
    content: kept.length === 0 ? [text("(no output)")] : kept,
    details: isSmall(structuredContent) ? { structuredContent } : undefined,
  };
}

function toContent(value: unknown): InputContent {
  const read = Block.safeParse(value);
  if (!read.success) return text("[Something that cannot be shown is left out.]");
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

function toImage(data: string, mimeType: string): InputContent {
  const isShown = IMAGE_TYPES.includes(mimeType) && data.length <= MAX_IMAGE_CHARACTERS;
  return isShown ? { type: "image", data, mimeType } : leftOut("Image", mimeType, data.length);
}

function leftOut(what: string, mimeType: string, base64Characters: number): InputContent {
  return text(`[${what} (${mimeType}, ${formatSize(Math.floor((base64Characters * 3) / 4))}) is not shown.]`);
}

function withinLimits(blocks: readonly InputContent[]): InputContent[] {
  const kept: InputContent[] = [];
  let left = DEFAULT_LIMITS;
  let images = 0;
  for (const block of blocks) {
    if (block.type === "image") {
      if (++images <= MAX_IMAGES) kept.push(block);
      continue;
    }
    const { shown, lines, bytes, isCut } = cut(block.text, left);
    left = { maxLines: left.maxLines - lines, maxBytes: left.maxBytes - bytes };
    if (shown !== "" || !isCut) kept.push(text(shown));
    if (!isCut) continue;
    kept.push(text(limitNotice(blocks)));
    break;
  }
  return kept;
}

function limitNotice(blocks: readonly InputContent[]): string {
  const total = blocks.reduce((sum, block) => sum + (block.type === "text" ? Buffer.byteLength(block.text) : 0), 0);
  return `[The result is ${formatSize(total)} of text; the rest is left out. Ask for less.]`;
}

/** Whole lines, or the start of the first line when that alone is too long. */
function cut(whole: string, limits: Limits): { shown: string; lines: number; bytes: number; isCut: boolean } {
  const { content, truncation } = truncateHead(whole, limits);
  if (!truncation.firstLineExceedsLimit) {
    return {
      shown: content,
      lines: truncation.outputLines,
      bytes: truncation.outputBytes,
      isCut: truncation.truncated,
    };
  }
  const bytes = Buffer.from(whole.slice(0, limits.maxBytes));
  let end = Math.min(bytes.length, limits.maxBytes);
  if (end < bytes.length) while (end > 0 && characterStart(bytes, end) !== end) end--;
  return { shown: bytes.toString("utf8", 0, end), lines: 1, bytes: end, isCut: true };
}

function isSmall(value: unknown): boolean {
  return value !== undefined && JSON.stringify(value).length <= DEFAULT_LIMITS.maxBytes;
}

function textOf(blocks: readonly InputContent[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function text(words: string): InputContent {
  return { type: "text", text: words };
}
