import type { LineRange } from "./mention-text.ts";

/**
 * Parses the lines in the fragment of a URI, as the editor writes it on dragging: `12`, `L12`, `12,3-14,1` and the like. A range that ends at
 * the start of a line does not include that line.
 */
export function droppedLines(fragment: string): LineRange | undefined {
  const [, first, , last, lastColumn] =
    /^L?(\d{1,9})(?:,(\d{1,9}))?(?:-L?(\d{1,9})(?:,(\d{1,9}))?)?$/.exec(fragment) ?? [];
  const startLine = Number(first);
  if (first === undefined || startLine === 0) return undefined;
  const written = last === undefined ? startLine : Number(last);
  const endLine = lastColumn === "1" && written > startLine ? written - 1 : written;
  return { startLine, endLine: Math.max(startLine, endLine) };
}
