import type { ImageContent } from "../../../protocol/content.ts";
import { characterStart, formatSize, MAX_BYTES } from "../../../util/truncate.ts";
import { ResourceBlock, toImage } from "../call-output.ts";

const MAX_PARTS = 20;
/** The maximum length of an image in base64. */
const MAX_IMAGE_CHARACTERS = 20 * 1024 * 1024;

/** The content of a resource, for the model. */
export interface ResourceContent {
  /** Text, and a line for everything that is neither text nor an image. */
  text: string;
  /** A sentence that says how much is left out. */
  cut?: string;
  mimeType?: string;
  images: ImageContent[];
}

/** Returns the content of a resource, at most 50 KiB of text. @param contents unchecked parts. */
export function readContents(contents: readonly unknown[]): ResourceContent {
  const texts: string[] = [];
  const images: ImageContent[] = [];
  let mimeType: string | undefined;
  for (const value of contents.slice(0, MAX_PARTS)) {
    const read = ResourceBlock.safeParse(value);
    const shown = read.success ? shownPart(read.data) : "[Content that can't be shown is left out.]";
    if (typeof shown === "string") texts.push(shown);
    else images.push(shown);
    mimeType ??= read.data?.mimeType;
  }
  if (contents.length > MAX_PARTS) texts.push(`[${contents.length - MAX_PARTS} more parts are left out.]`);
  return { ...keepStart(texts.join("\n")), ...(mimeType === undefined ? {} : { mimeType }), images };
}

function shownPart({ uri, mimeType = "", text, blob = "" }: ResourceBlock): string | ImageContent {
  if (text !== undefined) return text;
  if (blob.length > MAX_IMAGE_CHARACTERS) return leftOut(uri, mimeType, blob);
  const image = toImage(blob, mimeType);
  return image.type === "image" ? image : leftOut(uri, mimeType, blob);
}

function leftOut(uri: string, mimeType: string, blob: string): string {
  return `[${uri} is binary (${mimeType || "unknown type"}, ${formatSize(Math.floor((blob.length * 3) / 4))}) and isn't shown.]`;
}

/** Keeps the start of a text, cut at the end of a line if possible. */
function keepStart(text: string): { text: string; cut?: string } {
  const size = Buffer.byteLength(text);
  if (size <= MAX_BYTES) return { text };
  const bytes = Buffer.from(text).subarray(0, MAX_BYTES + 4);
  let start = MAX_BYTES;
  while (start > 0 && characterStart(bytes, start) !== start) start--;
  const kept = bytes.subarray(0, start).toString();
  const lineEnd = kept.lastIndexOf("\n");
  const whole = lineEnd > MAX_BYTES / 2 ? kept.slice(0, lineEnd) : kept;
  return { text: whole, cut: `Cut: the first ${Buffer.byteLength(whole)} of ${size} bytes.` };
}
