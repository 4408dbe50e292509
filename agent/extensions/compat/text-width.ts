/** Sequences that style text in a terminal and have no width: CSI sequences, and OSC and APC strings such as hyperlinks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const SEQUENCE = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]_][^\x07\x1b]*(?:\x07|\x1b\\)/g;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}|^\p{Extended_Pictographic}\ufe0f|^[\u{20000}-\u{3fffd}]/u;
const INVISIBLE = /^[\p{Cc}\p{Cf}\p{M}]+$/u;
const TAB_COLUMNS = 3;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A piece of a line: a sequence, or a character with its columns. */
interface Piece {
  text: string;
  columns: number;
  isSequence: boolean;
}

/** Returns the number of terminal columns that a text occupies. */
export function visibleWidth(text: string): number {
  return pieces(text).reduce((sum, { columns }) => sum + columns, 0);
}

/** The text without what styles it. */
export function stripTerminalSequences(text: string): string {
  return text.replace(SEQUENCE, "");
}

/** The text within `maxWidth` columns; what is cut off is marked. @param pad fills up with blanks. */
export function truncateToWidth(text: string, maxWidth: number, ellipsis = "...", pad = false): string {
  const fill = (shown: string) => (pad ? shown + " ".repeat(Math.max(0, maxWidth - visibleWidth(shown))) : shown);
  if (visibleWidth(text) <= maxWidth) return fill(text);
  const room = maxWidth - visibleWidth(ellipsis);
  return fill(room < 0 ? sliceByColumn(ellipsis, 0, maxWidth) : sliceByColumn(text, 0, room) + ellipsis);
}

/** Columns `start` to `start + length` of a line. Sequences stay, so that the style is the same. */
export function sliceByColumn(line: string, start: number, length: number): string {
  let column = 0;
  let out = "";
  for (const piece of pieces(line)) {
    const isInside = column >= start && column + piece.columns <= start + length;
    if (piece.isSequence || (isInside && column < start + length)) out += piece.text;
    column += piece.columns;
  }
  return out;
}

/** The text in lines of at most `width` columns, broken between words where possible. */
export function wrapTextWithAnsi(text: string, width: number): string[] {
  return text.split(/\r?\n/).flatMap((line) => wrapLine(line, Math.max(1, width)));
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(/(?<=\s)(?=\S)/)) {
    if (current !== "" && visibleWidth(current + word.trimEnd()) > width) {
      lines.push(current.trimEnd());
      current = "";
    }
    current += word;
    for (let columns = visibleWidth(current.trimEnd()); columns > width; columns = visibleWidth(current.trimEnd())) {
      lines.push(sliceByColumn(current, 0, width));
      current = sliceByColumn(current, width, columns);
    }
  }
  return [...lines, current.trimEnd()];
}

function pieces(text: string): Piece[] {
  const all: Piece[] = [];
  let at = 0;
  for (const sequence of text.matchAll(SEQUENCE)) {
    all.push(...characters(text.slice(at, sequence.index)), { text: sequence[0], columns: 0, isSequence: true });
    at = sequence.index + sequence[0].length;
  }
  return [...all, ...characters(text.slice(at))];
}

function characters(text: string): Piece[] {
  return Array.from(graphemes.segment(text), ({ segment }) => ({
    text: segment,
    columns: columnsOf(segment),
    isSequence: false,
  }));
}

function columnsOf(grapheme: string): number {
  if (grapheme === "\t") return TAB_COLUMNS;
  if (INVISIBLE.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}
