import { shownText } from "../../../core/mentions/context-blocks.ts";

/** The end of what a command prints, in bounded memory. */
export class OutputTail {
  readonly #maxBytes: number;
  #kept = "";
  #isCut = false;
  #printed = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(data: string): void {
    this.#printed += Buffer.byteLength(data);
    const all = this.#kept + data;
    // What is shown is less than what is printed: colours and what was written over are left out.
    this.#kept = all.slice(-4 * this.#maxBytes);
    this.#isCut ||= this.#kept.length < all.length;
  }

  /** What there is so far, with a line before it when that is only the end. */
  text(): string {
    const shown = shownText(this.#isCut ? wholeLines(this.#kept) : this.#kept).trimEnd();
    if (shown === "") return "(no output)";
    const end = lastBytes(shown, this.#maxBytes);
    return this.#isCut || end !== shown ? `[Only the end of ${this.#printed} bytes.]\n${end}` : shown;
  }
}

/** A text without its first line, which may begin within a code for a colour; of one very long line more is kept than is shown. */
function wholeLines(text: string): string {
  const end = text.indexOf("\n");
  return end < text.length / 2 ? text.slice(end + 1) : text;
}

/** The end of a text within `maxBytes` of UTF-8, without a part of a character. */
function lastBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  let from = Math.max(0, bytes.length - maxBytes);
  while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.toString("utf8", from);
}
