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
const OBJECT_STREAM = "/ObjStm";
const STREAM = /^(?:(?!endobj)[\s\S]){0,500}?stream\r?\n/;
const STREAM_HEAD_CHARS = 520;
/** Limits for the work on one file: anybody can write one that inflates without end. A file of 100 pages has a few dozen streams. */
const MAX_STREAMS = 2_000;
const MAX_STREAM_BYTES = 16 * 1024 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;

/** Counts the pages of a PDF and says if it is encrypted. A file with an edit history may count changed pages twice. */
export function readPdfFacts(bytes: Buffer): PdfFacts {
  const text = bytes.toString("latin1");
  const pages = countPages(text) + (pagesInStreams(text, bytes) ?? Number.NaN);
  return { pages: pages > 0 ? pages : undefined, isEncrypted: ENCRYPTED.test(text) };
}

/** @returns undefined if the file has more streams than anybody needs. */
function pagesInStreams(text: string, bytes: Buffer): number | undefined {
  let pages = 0;
  let work = 0;
  let count = 0;
  let end = -1;
  for (let at = text.indexOf(OBJECT_STREAM); at !== -1; at = text.indexOf(OBJECT_STREAM, at + 1)) {
    count += 1;
    if (count > MAX_STREAMS || work > MAX_BYTES) return undefined;
    const head = STREAM.exec(text.slice(at, at + STREAM_HEAD_CHARS))?.[0];
    if (head === undefined) continue;
    const start = at + head.length;
    if (end < start) end = text.indexOf("endstream", start);
    if (end === -1) return pages;
    const objects = inflated(bytes.subarray(start, end));
    work += objects?.length ?? MAX_STREAM_BYTES;
    pages += countPages(objects ?? "");
  }
  return pages;
}

function countPages(text: string): number {
  return text.match(PAGE)?.length ?? 0;
}

/** @returns undefined for a stream that is compressed in another way, encrypted, damaged, or too large. */
function inflated(bytes: Buffer): string | undefined {
  try {
    const limits = { maxOutputLength: MAX_STREAM_BYTES, finishFlush: constants.Z_SYNC_FLUSH };
    return inflateSync(bytes, limits).toString("latin1");
  } catch {
    return undefined;
  }
}
