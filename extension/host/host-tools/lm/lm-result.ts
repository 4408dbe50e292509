import * as z from "zod";
import type { InputContent } from "../../../../agent/protocol/content.ts";
import type { ToolResultPayload } from "../../../../agent/protocol/host-tools.ts";
import { textResult } from "../host-tool.ts";

const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** Limits of model APIs. */
const MAX_IMAGE_BASE64_CHARS = 5_242_880;
const MAX_IMAGES = 10;
const TEXT_TYPE = /^text\/|[/+](?:json|xml|yaml)$/;
/** The type by which the editor passes on a resource link of an MCP server. */
const LINK_TYPE = "application/vnd.code.resource-link";

// Checked by shape, since an editor passes on parts of kinds that it does not know yet.
const DataPart = z.object({ mimeType: z.string(), data: z.instanceof(Uint8Array) });
const ValuePart = z.object({ value: z.unknown() });
const Link = z.object({
  uri: z.object({
    scheme: z.string(),
    authority: z.string().default(""),
    path: z.string().default(""),
    query: z.string().optional(),
  }),
  underlyingMimeType: z.string().optional(),
});
/** A piece of a prompt as `@vscode/prompt-tsx` serializes it. */
const PromptNode = z.object({
  node: z.unknown().optional(),
  text: z.string().optional().catch(undefined),
  lineBreakBefore: z.unknown().optional(),
  children: z.array(z.unknown()).catch([]),
});

/** Converts a result for the model: its texts as one, within the limit of our own tools, its images, and a line for each other part. */
export function lmResult(parts: readonly unknown[]): ToolResultPayload {
  const content = parts.map(readPart).filter((block) => block.type === "image" || block.text !== "");
  const images = content.filter(({ type }) => type === "image");
  const words = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (images.length > MAX_IMAGES) words.push(`[${images.length - MAX_IMAGES} more images are not shown.]`);
  if (content.length === 0) words.push("(no output)");
  const texts = words.length === 0 ? [] : textResult(words.join("\n")).content;
  return { content: [...texts, ...images.slice(0, MAX_IMAGES)] };
}

function readPart(part: unknown): InputContent {
  const data = DataPart.safeParse(part).data;
  if (data !== undefined) return readData(data);
  const value = ValuePart.safeParse(part).data?.value;
  if (value === undefined) return text("[Content that can't be shown is left out.]");
  return text(typeof value === "string" ? value : promptText(value) || JSON.stringify(value));
}

function readData({ mimeType, data }: z.infer<typeof DataPart>): InputContent {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (mimeType === LINK_TYPE) return text(describeLink(bytes.toString("utf8")));
  if (TEXT_TYPE.test(mimeType)) return text(bytes.toString("utf8"));
  const base64 = IMAGE_TYPES.has(mimeType) ? bytes.toString("base64") : "";
  if (base64 !== "" && base64.length <= MAX_IMAGE_BASE64_CHARS) return { type: "image", data: base64, mimeType };
  return text(`[Data (${mimeType}, ${bytes.length} bytes) is not shown.]`);
}

function describeLink(json: string): string {
  const link = Link.safeParse(readJson(json)).data;
  if (link === undefined) return "[A resource that can't be read is left out.]";
  const { scheme, authority, path, query } = link.uri;
  const type = link.underlyingMimeType === undefined ? "" : ` (${link.underlyingMimeType})`;
  return `[Resource: ${scheme}://${authority}${path}${query ? `?${query}` : ""}${type}]`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not a prompt
  }
}

function promptText(value: unknown): string {
  const piece = PromptNode.safeParse(value).data;
  if (piece === undefined) return "";
  const { node, text: own = "", lineBreakBefore, children } = piece;
  const inner = [...(node === undefined ? [] : [node]), ...children].map(promptText).join("");
  return (lineBreakBefore ? "\n" : "") + own + inner;
}

function text(words: string): InputContent {
  return { type: "text", text: words };
}
