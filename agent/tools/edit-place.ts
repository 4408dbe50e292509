import { nearestLines } from "./nearest-lines.ts";
import { numberedLines } from "./numbered-lines.ts";
import { cleanedWants, type Want } from "./wanted-lines.ts";

/** Most places that are shown when a text occurs more than once. */
const MAX_PLACES = 6;
const MAX_OTHER_PLACES = 2;
const MAX_QUOTED_LENGTH = 160;
const CONTEXT_LINES = 2;
/** A longer text is not searched for near lines, which takes many times its length of memory. In UTF-16 units. */
const MAX_COMPARED_LENGTH = 2_000_000;

/** A stretch of lines, from 0, the last one included. */
export interface LineSpan {
  first: number;
  last: number;
}

/** Returns the lines of a stretch of a text. Positions are UTF-16 units. */
export function linesOf(text: string, start: number, end: number): LineSpan {
  const first = countFeeds(text, 0, start);
  return { first, last: first + countFeeds(text, start, Math.max(start, end - 1)) };
}

/** Shows each place of a text, with the lines around it and their numbers. @param text with LF at the ends of lines. */
export function showPlaces(text: string, places: readonly LineSpan[]): string {
  const lines = text.split("\n");
  const different = [...new Map(places.map((place) => [`${place.first}-${place.last}`, place])).values()];
  const shown = different.slice(0, MAX_PLACES).map((place) => numberedLines(lines, place, { around: CONTEXT_LINES }));
  const more = different.length > MAX_PLACES ? [`… and ${different.length - MAX_PLACES} more`] : [];
  return [...shown, ...more].join("\n  …\n");
}

/** Shows the beginning of a text. */
export function showBeginning(text: string): string {
  const lines = text.split("\n");
  const count = text.endsWith("\n") ? lines.length - 1 : lines.length;
  if (text === "") return "The file is empty; use write.";
  return `The file has ${count} ${count === 1 ? "line" : "lines"} and begins:\n${numberedLines(lines, { first: 0, last: Math.min(2, count - 1) })}`;
}

/**
 * Shows the lines that are most like a text that is not there, the first difference, and what is wrong with the whole text, such as line
 * numbers in it.
 * @param text with LF at the ends of lines.
 */
export function showNearest(text: string, wanted: string): string {
  if (text.length > MAX_COMPARED_LENGTH) return showBeginning(text);
  const lines = text.split("\n");
  const found = cleanedWants(wanted)
    .map((want) => ({ want, near: nearestLines(lines, want.lines) }))
    .reduce((best, next) => {
      const gain = (next.near?.score ?? 0) - (best.near?.score ?? 0);
      return gain > 0 || (gain === 0 && next.want.isSure === true) ? next : best;
    });
  const { want, near } = found;
  const hints = want.hint === undefined ? [] : [want.hint];
  if (near === undefined) return ["No line of the file resembles it.", showBeginning(text), ...hints].join("\n");
  const difference = firstDifference(lines, near.start, want);
  const spanAt = (start: number): LineSpan => {
    const first = Math.max(0, start);
    return { first, last: Math.max(first, Math.min(lines.length - 1, start + want.lines.length - 1)) };
  };
  const others = near.others.slice(0, MAX_OTHER_PLACES).map((start) => numberedLines(lines, spanAt(start)));
  return [
    "The nearest lines of the file:",
    numberedLines(lines, spanAt(near.start), { around: 1, marked: difference?.line }),
    ...(difference === undefined ? [] : [difference.text]),
    ...hints,
    ...(others.length === 0 ? [] : ["As near are:", others.join("\n  …\n")]),
  ].join("\n");
}

/** The first line that is not the wanted one. The text may begin and end within a line. */
function firstDifference(
  lines: readonly string[],
  start: number,
  { lines: wanted }: Want,
): { line: number; text: string } | undefined {
  for (const [index, want] of wanted.entries()) {
    const line = start + index;
    const there = lines[line];
    if (line < 0) return { line: 0, text: `First difference: oldText has ${quote(want)} before line 1 of the file.` };
    if (there === undefined) {
      return {
        line: lines.length - 1,
        text: `First difference: the file ends after line ${lines.length}, oldText goes on with ${quote(want)}.`,
      };
    }
    const isFirst = index === 0;
    const isLast = index === wanted.length - 1;
    const isThere =
      isFirst && isLast
        ? there.includes(want)
        : isFirst
          ? there.endsWith(want)
          : isLast
            ? there.startsWith(want)
            : there === want;
    if (isThere) continue;
    const text = `First difference, line ${line + 1}: the file has ${quote(there)}, oldText has ${quote(want)}${kindOfDifference(there, want)}.`;
    return { line, text };
  }
  return undefined;
}

function kindOfDifference(there: string, want: string): string {
  const squash = (text: string) => text.replace(/\s+/g, "");
  if (squash(there) === squash(want)) return " (only blanks differ)";
  return squash(there).toLowerCase() === squash(want).toLowerCase() ? " (upper and lower case differ)" : "";
}

/** A line in quotes, with escapes for what cannot be told apart when it is read. */
function quote(line: string): string {
  const text = line.length > MAX_QUOTED_LENGTH ? `${line.slice(0, MAX_QUOTED_LENGTH)}…` : line;
  return JSON.stringify(text).replace(
    /[^\S ]|[\u200b-\u200f\u2060\ufeff\u2010-\u201f\u2212]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function countFeeds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
