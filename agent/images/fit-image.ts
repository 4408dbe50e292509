import type { ImageContent, TextContent } from "../protocol/content.ts";
import { formatSize } from "../util/truncate.ts";
import { type ImageHeader, isShownType, readImageHeader } from "./image-header.ts";

/** Pixels of the longer side of an image that is sent: services refuse more in a request with more than 20 images, and show models less. */
const MAX_SIDE = 2000;
/** Services take 5 MB of base64 an image, which is this many bytes. */
const MAX_IMAGE_BYTES = 3_932_160;
/** Pixels of an image that is decoded: four bytes each are held, however small the file is. */
const MAX_PIXELS = 64_000_000;

/** An image as a model gets it, or words in its place. */
export type FittedImage =
  | {
      image: ImageContent /** Tells the model about the change; undefined if the image is as it was. */;
      note?: TextContent;
    }
  | { image: undefined; note: TextContent };

const known = new WeakMap<ImageContent, Promise<FittedImage>>();

/**
 * Returns an image that model APIs take: one of their types, named truly, at most 2,000 pixels at the longer side and below 5 MB of base64.
 * An image that is so already stays the same object. The answer for an object is kept as long as the object.
 */
export function fitImage(image: ImageContent): Promise<FittedImage> {
  const fitted = known.get(image) ?? prepare(image);
  known.set(image, fitted);
  return fitted;
}

async function prepare(image: ImageContent): Promise<FittedImage> {
  const bytes = Buffer.from(image.data, "base64");
  const header = readImageHeader(bytes);
  if (header === undefined) return leftOut(`it isn't a readable image (${image.mimeType})`);
  const { type, size } = header;
  if (size === undefined && !isShownType(type)) {
    return leftOut(`models don't support the format ${formatName(type)}. Convert it to PNG or JPEG first`);
  }
  if (size === undefined || size.width === 0 || size.height === 0) return leftOut("it can't be decoded");
  if (fitsAsItIs(header, bytes)) return { image: named(image, type, bytes) };
  if (size.width * size.height > MAX_PIXELS) {
    return leftOut(`it has ${size.width}x${size.height} pixels. Scale it down first`);
  }
  const { scaleImage } = await import("./scale-image.ts");
  const limits = { maxSide: MAX_SIDE, maxBytes: MAX_IMAGE_BYTES };
  const scaled = await scaleImage({
    bytes,
    isPhoto: type === "image/jpeg",
    orientation: header.orientation,
    ...limits,
  });
  if (scaled === undefined) return leftOut("it can't be decoded");
  const { width, height, before, mimeType } = scaled;
  const factor = before.width / width;
  const change =
    factor === 1
      ? `Image: converted from ${formatName(type)}, ${formatSize(bytes.length)}, to ${formatName(mimeType)}.`
      : `Image: scaled from ${before.width}x${before.height} to ${width}x${height} pixels. Multiply coordinates by ${factor.toFixed(2)} to map them to the original.`;
  return {
    image: { type: "image", data: Buffer.from(scaled.bytes).toString("base64"), mimeType },
    note: { type: "text", text: `[${change}]` },
  };
}

function fitsAsItIs({ type, size }: ImageHeader, bytes: Buffer): boolean {
  if (size === undefined || !isShownType(type) || bytes.length > MAX_IMAGE_BYTES) return false;
  return Math.max(size.width, size.height) <= MAX_SIDE;
}

/** The image with its true type and plain base64, which services insist on. */
function named(image: ImageContent, mimeType: string, bytes: Buffer): ImageContent {
  const data = bytes.toString("base64");
  return image.mimeType === mimeType && image.data === data ? image : { type: "image", data, mimeType };
}

function formatName(type: string): string {
  return type.slice("image/".length).toUpperCase();
}

function leftOut(reason: string): FittedImage {
  return { image: undefined, note: { type: "text", text: `[Image left out: ${reason}.]` } };
}
