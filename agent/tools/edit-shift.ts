import { toLoose } from "./text-view.ts";

/** A stretch of a text, in UTF-16 units, and what takes its place. */
interface Shifted {
  start: number;
  end: number;
  newText: string;
}

/** Texts of an edit, with LF at the ends of lines. */
interface EditTexts {
  oldText: string;
  newText: string;
}

/** Nobody indents longer lines, and comparing them takes many times their length of memory. In UTF-16 units. */
const MAX_LINE_LENGTH = 10_000;

interface Shift {
  /** Blanks at the start of every line. */
  prefix: string;
  /** True if the file has them and the edit does not. */
  isAdded: boolean;
}

/**
 * Finds whole lines that differ from those of an edit by one prefix of blanks, the same for every line, and shifts the new text alike. Nothing
 * is found when the lines, whatever their indentation, occur more than once, when old and new text do not begin at the same indentation, or
 * when the shifted text would mix tabs and spaces anew.
 * @param text with LF at the ends of lines.
 */
export function findShifted(text: string, { oldText, newText }: EditTexts): Shifted | undefined {
  if (newText !== "" && firstIndent(newText) !== firstIndent(oldText)) return undefined;
  const hasFeed = oldText.endsWith("\n");
  const wanted = (hasFeed ? oldText.slice(0, -1) : oldText).split("\n");
  if (wanted.some(isTooLong) || !wanted.some((line) => /[\p{L}\p{N}]/u.test(line))) return undefined;
  const lines = text.split("\n");
  const place = onlyPlace(lines, wanted);
  if (place === undefined || (wanted.length === 1 && !occursOnce(text, oldText.trim()))) return undefined;
  const found = lines.slice(place, place + wanted.length);
  const isLast = place + wanted.length === lines.length;
  const shift = shiftBetween(wanted, found);
  if (shift === undefined || (hasFeed && isLast)) return undefined;
  const shifted = shiftText(newText, shift);
  if (shifted === undefined || mixesBlanks(newText, wanted, shift)) return undefined;
  const start = lines.slice(0, place).join("\n").length + (place === 0 ? 0 : 1);
  const end = start + found.join("\n").length + (hasFeed ? 1 : 0);
  return { start, end, newText: shifted };
}

/** The index of the only place where the lines are, whatever their indentation and however a reader would type them. */
function onlyPlace(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const plain = lines.map(plainLine);
  const plainWanted = wanted.map(plainLine);
  const places: number[] = [];
  for (let at = 0; at + wanted.length <= lines.length; at++) {
    if (plainWanted.every((line, index) => line === plain[at + index])) places.push(at);
  }
  return places.length === 1 ? places[0] : undefined;
}

/** A line that is too long stays as it is, which no wanted line equals. */
function plainLine(line: string): string {
  return isTooLong(line) ? line : toLoose(line).trim();
}

function isTooLong({ length }: string): boolean {
  return length > MAX_LINE_LENGTH;
}

function occursOnce(text: string, part: string): boolean {
  const first = text.indexOf(part);
  return first !== -1 && text.indexOf(part, first + 1) === -1;
}

function shiftBetween(wanted: readonly string[], found: readonly string[]): Shift | undefined {
  const pairs = wanted
    .map((line, index) => ({ line, there: found[index] ?? "" }))
    .filter(({ line }) => line.trim() !== "");
  const [first] = pairs;
  if (first === undefined) return undefined;
  const isAdded = first.there.length > first.line.length;
  const [long, short] = isAdded ? [first.there, first.line] : [first.line, first.there];
  const prefix = long.slice(0, long.length - short.length);
  if (!/^[ \t]+$/.test(prefix)) return undefined;
  const isUniform = pairs.every(({ line, there }) => (isAdded ? there === prefix + line : line === prefix + there));
  return isUniform ? { prefix, isAdded } : undefined;
}

/** @returns undefined when a line lacks the blanks that it is to lose. */
function shiftText(text: string, { prefix, isAdded }: Shift): string | undefined {
  const lines = text.split("\n");
  const isBlank = (line: string) => line.trim() === "";
  if (!isAdded && !lines.every((line) => isBlank(line) || line.startsWith(prefix))) return undefined;
  return lines.map((line) => (isBlank(line) ? line : isAdded ? prefix + line : line.slice(prefix.length))).join("\n");
}

/** True if the new text is indented with blanks that neither the shift nor the old text has. */
function mixesBlanks(newText: string, wanted: readonly string[], { prefix }: Shift): boolean {
  const known = prefix + wanted.map(indentOf).join("");
  return newText
    .split("\n")
    .some((line) => line.trim() !== "" && [...indentOf(line)].some((blank) => !known.includes(blank)));
}

function firstIndent(text: string): string {
  return indentOf(text.split("\n").find((line) => line.trim() !== "") ?? "");
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? "";
}
