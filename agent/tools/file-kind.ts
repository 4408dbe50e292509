import { open } from "node:fs/promises";
import { imageTypeOf } from "../images/image-header.ts";

const SNIFF_BYTES = 8192;
const PDF_START = "%PDF-";

/** The kind of a file, according to its first bytes. */
export type FileKind =
  | { kind: "text" }
  | { kind: "image"; mimeType: string }
  | { kind: "pdf" }
  | { kind: "utf16" }
  | { kind: "binary" };

/** Tells images, PDFs, and other binary files from text by their content; the name does not count. */
export async function detectFileKind(path: string): Promise<FileKind> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.alloc(SNIFF_BYTES);
    const { bytesRead } = await file.read(buffer, 0, SNIFF_BYTES, 0);
    return kindOf(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** The same of a file whose first bytes are there already. */
export function kindOf(bytes: Buffer): FileKind {
  const start = bytes.subarray(0, SNIFF_BYTES);
  const mimeType = imageTypeOf(start);
  if (mimeType !== undefined) return { kind: "image", mimeType };
  if (start.toString("latin1", 0, PDF_START.length) === PDF_START) return { kind: "pdf" };
  if ((start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff)) return { kind: "utf16" };
  return start.includes(0) ? { kind: "binary" } : { kind: "text" };
}
