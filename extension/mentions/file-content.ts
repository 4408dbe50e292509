/** What the bytes of a file are. */
export type FileContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly mimeType: string }
  | { readonly kind: "binary" };

/** A NUL so far into a file makes it binary. */
const LOOKED_AT_BYTES = 8_000;

const IMAGES: readonly { readonly mimeType: string; readonly start: readonly (number | undefined)[] }[] = [
  { mimeType: "image/png", start: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { mimeType: "image/jpeg", start: [0xff, 0xd8, 0xff] },
  { mimeType: "image/gif", start: [0x47, 0x49, 0x46, 0x38] },
  {
    mimeType: "image/webp",
    start: [0x52, 0x49, 0x46, 0x46, undefined, undefined, undefined, undefined, 0x57, 0x45, 0x42, 0x50],
  },
];

/** Tells by the bytes alone, not by the name, what a file holds: a picture that models can see, text in UTF-8, or something else. */
export function readContent(bytes: Uint8Array): FileContent {
  const image = IMAGES.find(({ start }) => start.every((byte, index) => byte === undefined || bytes[index] === byte));
  if (image !== undefined) return { kind: "image", mimeType: image.mimeType };
  if (bytes.subarray(0, LOOKED_AT_BYTES).includes(0)) return { kind: "binary" };
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { kind: "binary" }; // not UTF-8, so the letters would not be those of the file
  }
}
