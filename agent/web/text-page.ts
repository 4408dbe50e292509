import { MAX_BYTES } from "../util/truncate.ts";

/** The text is cut at the end of a line if one is in this last part of it. */
const LINE_SHARE = 0.8;

/** A part of a text. */
export interface TextPage {
  text: string;
  /** The start and end of the part, in UTF-16 units. */
  start: number;
  end: number;
}

/** Returns as much of a text from `offset` on as a tool may show. @throws Error if the text is shorter. */
export function textPage(text: string, offset: number): TextPage {
  if (offset > 0 && offset >= text.length)
    throw new Error(`offset ${offset} is beyond the end (${text.length} characters).`);
  const start = isHalf(text, offset) ? offset - 1 : offset;
  const end = start + fitting(text.slice(start, start + MAX_BYTES));
  if (end === text.length) return { text: text.slice(start), start, end };
  const feed = text.lastIndexOf("\n", end - 1) + 1;
  const cut = feed > start + (end - start) * LINE_SHARE ? feed : isHalf(text, end) ? end - 1 : end;
  return { text: text.slice(start, cut), start, end: cut };
}

/** Returns the length of the beginning that fits, in UTF-16 units. */
function fitting(text: string): number {
  let bytes = Buffer.byteLength(text);
  let length = text.length;
  while (bytes > MAX_BYTES) {
    length = Math.floor((length * MAX_BYTES) / bytes);
    bytes = Buffer.byteLength(text.slice(0, length));
  }
  return length;
}

/** True if a position is in the middle of a character. */
function isHalf(text: string, at: number): boolean {
  return /^[\uDC00-\uDFFF]/.test(text.slice(at, at + 1)) && at > 0;
}
