import { formatBytes, t } from "../../l10n.ts";
import type { ImageType } from "../../protocol/draft.ts";

/** Larger files are not even looked at. */
const MAX_FILE_BYTES = 50_000_000;
/** Longest side that models take, in pixels. */
const MAX_SIDE_PX = 8_000;
/** The number of attempts to scale down an image. */
const MAX_TRIES = 6;
const JPEG_QUALITY = 0.85;
/** The share of the allowed size to aim for: estimates are never exact. */
const AIM = 0.85;

/** An image that can be sent, or why it cannot. `note` says what was done to it. */
export type ReadImage =
  | { readonly mimeType: ImageType; readonly data: string; readonly note: string }
  | { readonly refused: string };

/**
 * Reads an image and, when it is larger than allowed, makes it smaller.
 * @param maxBytes how large it may be, before it is written in base64.
 */
export async function readImage(file: Blob, name: string, maxBytes: number): Promise<ReadImage> {
  if (file.size > MAX_FILE_BYTES) return { refused: t("{0} is too large: {1}.", name, formatBytes(file.size)) };
  const mimeType = kindOf(new Uint8Array(await file.slice(0, 12).arrayBuffer()));
  if (mimeType === undefined) return { refused: t("{0} isn't a PNG, JPEG, GIF, or WebP image.", name) };
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) return { refused: t("Couldn't read {0} as an image.", name) };
  try {
    const isSmall = bitmap.width <= MAX_SIDE_PX && bitmap.height <= MAX_SIDE_PX;
    if (isSmall && file.size <= maxBytes) return { mimeType, data: await base64Of(file), note: "" };
    const smaller = await shrink(bitmap, { maxBytes, mimeType, size: file.size });
    if (smaller === undefined) return { refused: t("Couldn't scale {0} down to {1}.", name, formatBytes(maxBytes)) };
    const before = formatBytes(file.size);
    const note = mimeType === "image/gif" ? t("reduced from {0}, no animation", before) : t("reduced from {0}", before);
    return { mimeType: smaller.type === "image/png" ? "image/png" : "image/jpeg", data: await base64Of(smaller), note };
  } finally {
    bitmap.close();
  }
}

/** Returns the type according to the first bytes: names and declared types may be wrong. */
function kindOf(bytes: Uint8Array): ImageType | undefined {
  const head = String.fromCharCode(...bytes);
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(head)) return "image/gif";
  return /^RIFF[\s\S]{4}WEBP/.test(head) ? "image/webp" : undefined;
}

interface Limits {
  readonly maxBytes: number;
  readonly mimeType: ImageType;
  readonly size: number;
}

async function shrink(bitmap: ImageBitmap, { maxBytes, mimeType, size }: Limits): Promise<Blob | undefined> {
  let scale = Math.min(1, MAX_SIDE_PX / bitmap.width, MAX_SIDE_PX / bitmap.height, Math.sqrt((AIM * maxBytes) / size));
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const drawn = await draw(bitmap, scale, mimeType === "image/png" && tries < 2 ? "image/png" : "image/jpeg");
    if (drawn === undefined) return undefined;
    if (drawn.size <= maxBytes) return drawn;
    scale *= Math.min(AIM, Math.sqrt((AIM * maxBytes) / drawn.size));
  }
  return undefined;
}

async function draw(bitmap: ImageBitmap, scale: number, type: string): Promise<Blob | undefined> {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.floor(bitmap.width * scale));
  canvas.height = Math.max(1, Math.floor(bitmap.height * scale));
  const pen = canvas.getContext("2d");
  if (pen === null) return undefined;
  if (type === "image/jpeg") {
    // Transparent pixels would become black.
    pen.fillStyle = "white";
    pen.fillRect(0, 0, canvas.width, canvas.height);
  }
  pen.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined), type, JPEG_QUALITY));
}

function base64Of(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error(t("Couldn't read the image.")));
    reader.readAsDataURL(blob);
  });
}
