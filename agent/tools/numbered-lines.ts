const MAX_LINE_LENGTH = 200;
/** Of a longer stretch the lines in the middle are left out. */
const MAX_SHOWN_LINES = 16;

interface Options {
  /** How many lines to show before and after the stretch. */
  around?: number;
  /** The line that is pointed at, from 0; by default the whole stretch is. */
  marked?: number | undefined;
}

/** Shows lines with their numbers, counted from 1, as `> 12| text`; the lines are numbered from 0 here, the last one included. */
export function numberedLines(
  lines: readonly string[],
  { first, last }: { first: number; last: number },
  { around = 0, marked }: Options = {},
): string {
  const from = Math.max(0, first - around);
  const to = Math.min(lastLine(lines), last + around);
  const width = String(to + 1).length;
  const isMarked = (line: number) =>
    marked === undefined ? around > 0 && line >= first && line <= last : line === marked;
  const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  const near = (line: number) => Math.min(line - from, to - line, Math.abs(line - (marked ?? from)));
  const kept = numbers.length <= MAX_SHOWN_LINES ? numbers : numbers.filter((line) => near(line) < MAX_SHOWN_LINES / 4);
  return kept
    .map((line, index) => {
      const text = lines[line] ?? "";
      const shown = text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)}…` : text;
      const gap = index > 0 && kept[index - 1] !== line - 1 ? "  …\n" : "";
      return `${gap}${isMarked(line) ? ">" : " "} ${String(line + 1).padStart(width)}| ${shown}`;
    })
    .join("\n");
}

/** The feed at the end of a text begins no line. */
function lastLine(lines: readonly string[]): number {
  return lines.length > 1 && lines.at(-1) === "" ? lines.length - 2 : lines.length - 1;
}
