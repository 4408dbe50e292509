/** A range of a text in UTF-16 units; `end` is exclusive. */
export interface Region {
  readonly start: number;
  readonly end: number;
}

const FENCE = /^[ \t>]*(`{3,}|~{3,})(.*)$/;

/**
 * Finds the code in a Markdown text: fenced blocks, with their fences, and `inline code`. An open block extends to the end of the text;
 * inline code must be closed before the next empty line. In ascending order.
 */
export function codeRegions(text: string): Region[] {
  const regions: Region[] = [];
  let fence: { start: number; mark: string } | undefined;
  let proseStart = 0;
  let lineStart = 0;
  while (lineStart <= text.length) {
    const newline = text.indexOf("\n", lineStart);
    const lineEnd = newline === -1 ? text.length : newline;
    const line = text.slice(lineStart, lineEnd).replace(/\r$/, "");
    const [, mark = "", info = ""] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark.startsWith(fence.mark) && info.trim() === "") {
        regions.push({ start: fence.start, end: lineEnd });
        fence = undefined;
        proseStart = lineEnd;
      }
    } else if (mark !== "" && !(mark.startsWith("`") && info.includes("`"))) {
      addInlineCode(text, proseStart, lineStart, regions);
      fence = { start: lineStart, mark };
    } else if (line.trim() === "") {
      addInlineCode(text, proseStart, lineStart, regions);
      proseStart = lineEnd;
    }
    lineStart = lineEnd + 1;
  }
  if (fence === undefined) addInlineCode(text, proseStart, text.length, regions);
  else regions.push({ start: fence.start, end: text.length });
  return regions;
}

/** Adds the ranges between a run of backticks and the next run of the same length. */
function addInlineCode(text: string, start: number, end: number, regions: Region[]): void {
  const runs = [...text.slice(start, end).matchAll(/(?<!\\)`+/g)].map((run) => ({
    at: start + run.index,
    size: run[0].length,
  }));
  // The next run of each size, so that open runs need no search of their own.
  const closers = new Map<number, number>();
  const closerOf = new Array<number | undefined>(runs.length);
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const size = runs[index]?.size ?? 0;
    closerOf[index] = closers.get(size);
    closers.set(size, index);
  }
  for (let index = 0; index < runs.length; index += 1) {
    const opener = runs[index];
    const closing = closerOf[index];
    const closer = closing === undefined ? undefined : runs[closing];
    if (opener === undefined || closing === undefined || closer === undefined) continue;
    regions.push({ start: opener.at, end: closer.at + closer.size });
    index = closing;
  }
}
