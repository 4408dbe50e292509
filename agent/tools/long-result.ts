import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InputContent } from "../protocol/content.ts";
import { crypto } from "../util/late-node.ts";
import {
  characterStart,
  countLines,
  formatSize,
  type Limits,
  MAX_BYTES,
  MAX_LINES,
  truncateHead,
  truncateTail,
} from "../util/truncate.ts";

/** A tool that cuts its own text adds a notice to it; that is no reason to cut it again. */
const NOTICE_BYTES = 2048;
const NOTICE_LINES = 20;
const HALF: Limits = { maxLines: MAX_LINES / 2, maxBytes: MAX_BYTES / 2 };

/**
 * Returns a result with at most as much text as the built-in tools show: its beginning and its end, and between them a line that names a
 * file with all of it. A shorter result stays the same.
 */
export async function cutLongResult(content: InputContent[]): Promise<InputContent[]> {
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const lines = countLines(text);
  if (Buffer.byteLength(text) <= MAX_BYTES + NOTICE_BYTES && lines <= MAX_LINES + NOTICE_LINES) return content;
  const head = beginningOf(text);
  const tail = truncateTail(text, HALF).content;
  const size = `${formatSize(Buffer.byteLength(text))}, ${lines === 1 ? "1 line" : `${lines} lines`}`;
  const place = await keep(text);
  const advice = place === undefined ? "Ask for less." : `Full result: ${place}`;
  const notice = `[The middle of the result is left out: it has ${size}. ${advice}]`;
  const images = content.filter(({ type }) => type !== "text");
  return [{ type: "text", text: `${head}\n\n${notice}\n\n${tail}` }, ...images];
}

/** Whole lines, or a part of the first one if that alone is too long. */
function beginningOf(text: string): string {
  const { content, truncation } = truncateHead(text, HALF);
  if (!truncation.firstLineExceedsLimit) return content;
  const bytes = Buffer.from(text.slice(0, HALF.maxBytes));
  let end = Math.min(bytes.length, HALF.maxBytes);
  while (end > 0 && end < bytes.length && characterStart(bytes, end) !== end) end--;
  return bytes.toString("utf8", 0, end);
}

/** @returns the path of a private file with the text; undefined when it could not be written. */
async function keep(text: string): Promise<string | undefined> {
  const path = join(tmpdir(), `tiller-result-${crypto().randomBytes(8).toString("hex")}.txt`);
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
    return path;
  } catch {
    return undefined; // a full disk must not fail the call
  }
}
