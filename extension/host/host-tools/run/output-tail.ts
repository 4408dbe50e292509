import { shownText } from "../../../core/mentions/context-blocks.ts";

/** The end of a command's output, in bounded memory. */
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
    // Less is shown than printed: colors and overwritten text are left out.
    this.#kept = all.slice(-4 * this.#maxBytes);
    this.#isCut ||= this.#kept.length < all.length;
  }

  /** Returns the output so far, preceded by a note when that is only its end. */
  text(): string {
    const shown = shownText(this.#isCut ? wholeLines(this.#kept) : this.#kept).trimEnd();
    if (shown === "") return "(no output)";
    const end = lastBytes(shown, this.#maxBytes);
    return this.#isCut || end !== shown ? `[Only the end of ${this.#printed} bytes.]\n${end}` : shown;
  }
}

/** Removes the first line, which may begin within an escape sequence, unless that would drop more than half of the text. */
function wholeLines(text: string): string {
  const end = text.indexOf("\n");
  return end < text.length / 2 ? text.slice(end + 1) : text;
}

/** Returns the end of a text within `maxBytes` of UTF-8, never starting within a character. */
function lastBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  let from = Math.max(0, bytes.length - maxBytes);
  while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.toString("utf8", from);
}
