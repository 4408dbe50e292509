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
/** A sequence that sets colors and the like, of a length that programs write. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character
const COLORS = /\x1b\[[\d;:]{0,60}m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const CONTROLS = /[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const CONTROLS_BUT_COLORS = /\x1b\[[\d;:]{0,60}m|[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL separates what some programs list
const NULS = /\x00/g;
/** The sign for NUL, U+2400, as bytes of UTF-8: some models refuse the character itself. */
const NUL_SIGN = "\xe2\x90\x80";

/** The signs of progress: a share, a speed, a time that is not known yet, a bar, or something that turns, in ASCII, blocks or Braille. */
const PROGRESS =
  /\d\s?%|[kMGT]i?(?:b|B|bits)\/s|--:--|[#=]{3}|^[|/\\-]\s|\s[|/\\-]$|\xe2(?:\x96[\x80-\x9f]|[\xa0-\xa3])/;

/**
 * Turns what a program wrote for a terminal into plain text, chunk by chunk: escape sequences and control characters go, NUL becomes `␀`,
 * CR LF becomes LF, and what a lone CR separates gets lines of its own. Of drawings in a row that differ only in how far something has
 * come, the first and the last stay.
 * It works on bytes; all it looks for is ASCII, so characters may be split across chunks.
 */
export class TerminalText {
  /** Bytes as Latin-1: the start of a sequence whose end has not come. */
  #unfinished = "";
  /** The newest whole drawing of the line that is being redrawn; another may still take its place. */
  #drawn: string | undefined;
  /** The drawing that is coming in, or undefined outside of a redrawn line. */
  #drawing: string | undefined;
  #hasPendingReturn = false;
  #isLineEmpty = true;
  readonly #keepsColors: boolean;

  /** @param keepsColors true to leave the sequences that set colors in the text. */
  constructor(keepsColors = false) {
    this.#keepsColors = keepsColors;
  }

  /** @returns the plain bytes that are final. A chunk without anything to change is returned as it is. */
  write(chunk: Buffer): Buffer {
    const isClean = this.#unfinished === "" && this.#drawing === undefined && !this.#hasPendingReturn;
    if (isClean && !needsWork(chunk)) {
      if (chunk.length > 0) this.#isLineEmpty = chunk[chunk.length - 1] === 0x0a;
      return chunk;
    }
    return Buffer.from(this.#clean(chunk.toString("latin1")), "latin1");
  }

  /** The drawings that would be final if nothing else came. */
  get pending(): Buffer {
    const isReplaced = this.#drawing !== undefined && isSameProgress(this.#drawn, this.#drawing);
    const lines = [isReplaced ? undefined : this.#drawn, this.#drawing].filter((line) => !isBlank(line));
    if (lines.length === 0) return Buffer.alloc(0);
    return Buffer.from(`${this.#isLineEmpty ? "" : "\n"}${lines.join("\n")}`, "latin1");
  }

  /** @returns what was held back. */
  end(): Buffer {
    const rest = this.pending;
    this.#forgetDrawings();
    this.#unfinished = "";
    return rest;
  }

  #clean(latin1: string): string {
    const keep = this.#keepsColors ? colorsOf : () => "";
    let text = (this.#unfinished + latin1).replace(SEQUENCE, keep);
    const unfinishedAt = text.search(UNFINISHED);
    this.#unfinished = unfinishedAt === -1 ? "" : text.slice(unfinishedAt);
    if (unfinishedAt !== -1) text = text.slice(0, unfinishedAt);
    if (this.#unfinished.length > MAX_SEQUENCE_BYTES) this.#unfinished = "";
    const plain = this.#keepsColors ? text.replace(CONTROLS_BUT_COLORS, colorsOf) : text.replace(CONTROLS, "");
    return this.#redraw(plain.replace(NULS, NUL_SIGN));
  }

  #redraw(text: string): string {
    let out = "";
    for (const part of text.split(/(\r|\n)/)) {
      if (part === "") continue;
      if (part === "\n") {
        out += `${this.pending.toString("latin1")}\n`;
        this.#forgetDrawings();
        this.#isLineEmpty = true;
      } else if (part === "\r") {
        this.#hasPendingReturn = true;
      } else if (this.#hasPendingReturn) {
        this.#hasPendingReturn = false;
        out += this.#settleDrawing();
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

  /** Ends the drawing that is coming in. @returns the one before it, unless it takes its place. */
  #settleDrawing(): string {
    const before = this.#drawn;
    const drawing = this.#drawing;
    if (drawing === undefined || isBlank(drawing)) return "";
    this.#drawn = drawing;
    if (before === undefined || isSameProgress(before, drawing)) return "";
    const line = `${this.#isLineEmpty ? "" : "\n"}${before}`;
    this.#isLineEmpty = false;
    return line;
  }

  #forgetDrawings(): void {
    this.#drawn = undefined;
    this.#drawing = undefined;
    this.#hasPendingReturn = false;
  }
}

/** Returns a text without the sequences that set colors. */
export function withoutColors(text: string): string {
  return text.replace(COLORS, "");
}

/** Returns a sequence if it sets colors, and nothing for any other one. */
function colorsOf(sequence: string): string {
  return withoutColors(sequence) === "" ? sequence : "";
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || withoutColors(line).trim() === "";
}

/** True when two drawings say the same but for numbers and signs, and tell of progress. */
function isSameProgress(before: string | undefined, after: string): boolean {
  if (before === undefined) return false;
  const plain = withoutColors(after);
  return PROGRESS.test(plain) && wordsOf(withoutColors(before)) === wordsOf(plain);
}

function wordsOf(drawing: string): string {
  return drawing.replace(/\d[\w.,:]*( ?[kMGT]?i?B\b)?|[^A-Za-z\d]+/g, " ").replace(/ +/g, " ");
}

function needsWork(chunk: Buffer): boolean {
  return [ESC, CR, BEL, BACKSPACE, NUL].some((byte) => chunk.includes(byte));
}
