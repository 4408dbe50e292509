const ESC = 0x1b;
const CR = 0x0d;
const BEL = 0x07;
const BACKSPACE = 0x08;
const NUL = 0x00;

/** An escape sequence longer than this is thrown away unfinished. */
const MAX_SEQUENCE_BYTES = 4096;

const SEQUENCE = new RegExp(
  [
    "\\x1b\\[[0-?]*[ -/]*[@-~]",
    "\\x1b\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)",
    "\\x1b[PX^_][^\\x1b]*\\x1b\\\\",
    "\\x1b[ -/]*[0-OQ-WYZ`-~\\\\]",
  ].join("|"),
  "g",
);
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const UNFINISHED = /\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[PX^_][^\x1b]*\x1b?|[ -/]*)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/**
 * Turns what a program wrote for a terminal into plain text, chunk by chunk: escape sequences and control characters go, CR LF becomes LF,
 * and of a line that is drawn over and over the first and the last drawing stay, each on its own line.
 * It works on bytes; all it looks for is ASCII, so characters may be split across chunks.
 */
export class TerminalText {
  /** Bytes as Latin-1: the start of a sequence whose end has not come. */
  #unfinished = "";
  /** The newest drawing of the line that is being redrawn, or undefined outside of one. */
  #drawing: string | undefined;
  #hasPendingReturn = false;
  #isLineEmpty = true;

  /** @returns the plain bytes that are final. A chunk without anything to change is returned as it is. */
  write(chunk: Buffer): Buffer {
    const isClean = this.#unfinished === "" && this.#drawing === undefined && !this.#hasPendingReturn;
    if (isClean && !needsWork(chunk)) {
      if (chunk.length > 0) this.#isLineEmpty = chunk[chunk.length - 1] === 0x0a;
      return chunk;
    }
    return Buffer.from(this.#clean(chunk.toString("latin1")), "latin1");
  }

  /** The drawing that would be final if nothing else came. */
  get pending(): Buffer {
    if (this.#drawing === undefined || this.#drawing === "") return Buffer.alloc(0);
    return Buffer.from(`${this.#isLineEmpty ? "" : "\n"}${this.#drawing}`, "latin1");
  }

  /** @returns what was held back. */
  end(): Buffer {
    const rest = this.pending;
    this.#drawing = undefined;
    this.#hasPendingReturn = false;
    this.#unfinished = "";
    return rest;
  }

  #clean(latin1: string): string {
    let text = (this.#unfinished + latin1).replace(SEQUENCE, "");
    const unfinishedAt = text.search(UNFINISHED);
    this.#unfinished = unfinishedAt === -1 ? "" : text.slice(unfinishedAt);
    if (unfinishedAt !== -1) text = text.slice(0, unfinishedAt);
    if (this.#unfinished.length > MAX_SEQUENCE_BYTES) this.#unfinished = "";
    return this.#redraw(text.replace(CONTROLS, ""));
  }

  #redraw(text: string): string {
    let out = "";
    for (const part of text.split(/(\r|\n)/)) {
      if (part === "") continue;
      if (part === "\n") {
        out += this.#takeDrawing();
        this.#isLineEmpty = true;
        out += "\n";
      } else if (part === "\r") {
        this.#hasPendingReturn = true;
      } else if (this.#hasPendingReturn) {
        this.#hasPendingReturn = false;
        this.#drawing = part;
      } else if (this.#drawing !== undefined) {
        this.#drawing += part;
      } else {
        out += part;
        this.#isLineEmpty = false;
      }
    }
    return out;
  }

  #takeDrawing(): string {
    const drawing = this.pending.toString("latin1");
    this.#drawing = undefined;
    this.#hasPendingReturn = false;
    return drawing;
  }
}

function needsWork(chunk: Buffer): boolean {
  return [ESC, CR, BEL, BACKSPACE, NUL].some((byte) => chunk.includes(byte));
}
