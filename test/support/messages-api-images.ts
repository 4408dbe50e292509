import type { RequestBlock } from "./messages-api.ts";

type ImageBlock = Extract<RequestBlock, { type: "image" }>;

const MAX_CHARACTERS = 5 * 1024 * 1024;
const MAX_SIDE = 8000;
/** In a request with more than this many images, a side has less. */
const MANY_IMAGES = 20;
const MAX_SIDE_OF_MANY = 2000;
const MAX_IMAGES = 100;

interface Facts {
  type: string;
  width: number;
  height: number;
}

/** A block and its place, as errors name it. */
export interface PlacedBlock {
  place: string;
  block: RequestBlock;
}

/** Returns the problem that the real service would have with the images of a request, or undefined. */
export function checkImages(blocks: readonly PlacedBlock[]): string | undefined {
  const images = blocks.flatMap(({ place, block }) => (block.type === "image" ? [{ place, block }] : []));
  if (images.length > MAX_IMAGES) return `messages: too many images and documents: ${images.length} > ${MAX_IMAGES}`;
  const isMany = images.length > MANY_IMAGES;
  for (const { place, block } of images) {
    const problem = checkImage(block, isMany);
    if (problem !== undefined) return `${place}.image.source.base64${problem}`;
  }
  return undefined;
}

function checkImage({ source }: ImageBlock, isMany: boolean): string | undefined {
  const { data, media_type: named } = source;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return ": invalid base64 data";
  if (data.length > MAX_CHARACTERS)
    return `: image exceeds 5 MB maximum: ${data.length} bytes > ${MAX_CHARACTERS} bytes`;
  const facts = factsOf(Buffer.from(data, "base64"));
  if (facts === undefined) return ".data: Could not process image";
  if (facts.type !== named) {
    return `.media_type: The image was specified using the ${named} media type, but the image appears to be a ${facts.type} image`;
  }
  const longest = Math.max(facts.width, facts.height);
  if (longest > MAX_SIDE)
    return `.data: At least one of the image dimensions exceed max allowed size: ${MAX_SIDE} pixels`;
  if (isMany && longest > MAX_SIDE_OF_MANY) {
    return `.data: At least one of the image dimensions exceed max allowed size for many-image requests: ${MAX_SIDE_OF_MANY} pixels`;
  }
  return undefined;
}

/** Reads as much as the tests' images need: a whole PNG, the frame of a JPEG, the start of a GIF or WebP. */
function factsOf(bytes: Buffer): Facts | undefined {
  const start = bytes.toString("latin1", 0, 16);
  if (start.startsWith("\x89PNG\r\n\x1a\n")) {
    const isWhole = bytes.toString("latin1", bytes.length - 8, bytes.length - 4) === "IEND";
    return isWhole ? { type: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : undefined;
  }
  if (start.startsWith("GIF8"))
    return { type: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (start.startsWith("RIFF") && start.slice(8, 12) === "WEBP") return { type: "image/webp", width: 1, height: 1 };
  const frame = start.startsWith("\xff\xd8")
    ? bytes.findIndex((byte, at) => byte === 0xff && isFrame(bytes[at + 1]))
    : -1;
  if (frame === -1) return undefined;
  return { type: "image/jpeg", width: bytes.readUInt16BE(frame + 7), height: bytes.readUInt16BE(frame + 5) };
}

function isFrame(marker: number | undefined): boolean {
  return marker === 0xc0 || marker === 0xc1 || marker === 0xc2;
}
