import { orientationOf } from "./orientation.ts";

/** The formats that are told apart. Model APIs take the first four. */
export type ImageType =
  | "image/png"
  | "image/jpeg"
  | "image/gif"
  | "image/webp"
  | "image/bmp"
  | "image/tiff"
  | "image/heic"
  | "image/avif";

/** The facts at the start of an image file. */
export interface ImageHeader {
  type: ImageType;
  /** Pixels, as stored; undefined where they are not read. */
  size: { width: number; height: number } | undefined;
  /** How a viewer turns the stored pixels: 1 to 8, as in EXIF; 1 leaves them. */
  orientation: number;
}

/** The formats that model APIs take. */
const SHOWN_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Sizes of the header that follows the file header of a BMP. */
const BMP_HEADER_SIZES: ReadonlySet<number> = new Set([12, 40, 52, 56, 64, 108, 124]);
const HEIC_BRANDS: ReadonlySet<string> = new Set(["heic", "heix", "hevc", "heim", "heis", "mif1", "msf1"]);
const AVIF_BRANDS: ReadonlySet<string> = new Set(["avif", "avis"]);

/** Returns the format of an image by its first bytes, of which 18 are enough; undefined for anything else. */
export function imageTypeOf(bytes: Buffer): ImageType | undefined {
  const ascii = bytes.toString("latin1", 0, 12);
  if (ascii.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (ascii.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (ascii.startsWith("GIF87a") || ascii.startsWith("GIF89a")) return "image/gif";
  if (ascii.startsWith("RIFF") && ascii.endsWith("WEBP")) return "image/webp";
  if (ascii.startsWith("II*\0") || ascii.startsWith("MM\0*")) return "image/tiff";
  if (ascii.startsWith("BM") && isBmp(bytes)) return "image/bmp";
  const brand = ascii.slice(8);
  if (ascii.slice(4, 8) !== "ftyp") return undefined;
  if (HEIC_BRANDS.has(brand)) return "image/heic";
  return AVIF_BRANDS.has(brand) ? "image/avif" : undefined;
}

/** True if model APIs take images of this type. */
export function isShownType(mimeType: string): boolean {
  return SHOWN_TYPES.has(mimeType);
}

/** Reads the start of an image without decoding it; undefined when the bytes are no image. */
export function readImageHeader(bytes: Buffer): ImageHeader | undefined {
  const type = imageTypeOf(bytes);
  if (type === undefined) return undefined;
  return { type, size: sizeOf(type, bytes), orientation: type === "image/jpeg" ? orientationOf(bytes) : 1 };
}

function isBmp(bytes: Buffer): boolean {
  return bytes.length >= 26 && bytes.readUInt32LE(6) === 0 && BMP_HEADER_SIZES.has(bytes.readUInt32LE(14));
}

function sizeOf(type: ImageType, bytes: Buffer): ImageHeader["size"] {
  switch (type) {
    case "image/png":
      return bytes.length < 24 ? undefined : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
    case "image/gif":
      return bytes.length < 10 ? undefined : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
    case "image/bmp":
      return bmpSize(bytes);
    case "image/jpeg":
      return jpegSize(bytes);
    case "image/webp":
      return webpSize(bytes);
    default:
      return undefined;
  }
}

function bmpSize(bytes: Buffer): ImageHeader["size"] {
  if (bytes.readUInt32LE(14) === 12) return { width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20) };
  // A negative height says that the rows run from top to bottom.
  return { width: Math.abs(bytes.readInt32LE(18)), height: Math.abs(bytes.readInt32LE(22)) };
}

/** Looks for the frame header among the segments. */
function jpegSize(bytes: Buffer): ImageHeader["size"] {
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Buffer): ImageHeader["size"] {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
