import { constants, inflateSync } from "node:zlib";

/** The facts about a PDF that can be told without a library that reads it. */
export interface PdfFacts {
  /** Undefined if none is found, as in a damaged or encrypted file. */
  pages: number | undefined;
  /** True if it may need a password; services refuse it. */
  isEncrypted: boolean;
}

const PAGE = /\/Type\s*\/Page(?![A-Za-z])/g;
const ENCRYPTED = /\/Encrypt\s*(?:\d+\s+\d+\s+R|<<)/;
/** Dictionaries of pages may stand in compressed streams of objects. */
const OBJECT_STREAM = /\/Type\s*\/ObjStm(?:(?!endobj)[\s\S]){0,500}?stream\r?\n/g;
const MAX_STREAM_BYTES = 16 * 1024 * 1024;

/** Counts the pages of a PDF and says if it is encrypted. A file with an edit history may count changed pages twice. */
export function readPdfFacts(bytes: Buffer): PdfFacts {
  const text = bytes.toString("latin1");
  let pages = countPages(text);
  for (const match of text.matchAll(OBJECT_STREAM)) {
    const start = match.index + match[0].length;
    const end = text.indexOf("endstream", start);
    pages += countPages(inflated(bytes.subarray(start, end === -1 ? undefined : end)));
  }
  return { pages: pages === 0 ? undefined : pages, isEncrypted: ENCRYPTED.test(text) };
}

function countPages(text: string): number {
  return text.match(PAGE)?.length ?? 0;
}

function inflated(bytes: Buffer): string {
  try {
    const limits = { maxOutputLength: MAX_STREAM_BYTES, finishFlush: constants.Z_SYNC_FLUSH };
    return inflateSync(bytes, limits).toString("latin1");
  } catch {
    return ""; // compressed in another way, encrypted, or damaged
  }
}
