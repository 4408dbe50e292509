import { applyPatch } from "diff";
import { t } from "../../../webview/l10n.ts";

/** A text with a block of code applied, or the reason why its place is unclear. */
export type Applied = { readonly text: string } | { readonly unclear: string };

/** A line that stands for omitted ones, such as `// ... the rest`. */
const LEFT_OUT = /^\s*(?:\/\/|#|--|\/\*|<!--|\{\/\*)?\s*(?:\.{3}|…)/;

/**
 * Applies a block of code to a text: as a patch when it is one, over the selection when there is one, between its first and last lines, or in place
 * of everything when it has most of the text. It never guesses: when there are two possible places, it says so.
 */
export function applyBlock(text: string, code: string, selection?: { start: number; end: number }): Applied {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const block = code.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  if (/^@@ -\d/m.test(block)) return patched(text, block, eol);
  if (selection !== undefined && selection.start < selection.end) {
    return { text: text.slice(0, selection.start) + block.replaceAll("\n", eol) + text.slice(selection.end) };
  }
  if (text.trim() === "") return { text: `${block.replaceAll("\n", eol)}${eol}` };
  const blockLines = block.split("\n");
  if (blockLines.some((line) => LEFT_OUT.test(line))) {
    return { unclear: t("The code leaves out some lines.") };
  }
  const lines = text.split(/\r?\n/);
  const whole = { text: `${block.replaceAll("\n", eol)}${text.endsWith("\n") ? eol : ""}` };
  const isWhole = hasMostOf(lines, blockLines);
  if (isWhole && hasSameEnds(lines, blockLines)) return whole;
  const place = placeOf(lines, blockLines);
  if ("unclear" in place) return isWhole ? whole : place;
  return { text: [...lines.slice(0, place.from), ...blockLines, ...lines.slice(place.to)].join(eol) };
}

function patched(text: string, block: string, eol: string): Applied {
  const result = tryPatch(text.replaceAll("\r\n", "\n"), block);
  if (result === undefined) return { unclear: t("The patch doesn't match the file.") };
  return { text: result.replaceAll("\n", eol) };
}

function tryPatch(text: string, block: string): string | undefined {
  try {
    return applyPatch(text, `${block}\n`, { fuzzFactor: 1 }) || undefined;
  } catch {
    // It only looks like a patch.
    return undefined;
  }
}

/** True when the block is a new version of the whole file: it has more than half of the lines with content. */
function hasMostOf(lines: readonly string[], blockLines: readonly string[]): boolean {
  const said = lines.filter(saysSomething);
  const kept = new Set(blockLines.map((line) => line.trim()));
  const shared = said.filter((line) => kept.has(line.trim())).length;
  return said.length > 0 && shared * 2 > said.length;
}

function hasSameEnds(lines: readonly string[], blockLines: readonly string[]): boolean {
  return lines.find(saysSomething) === blockLines.find(saysSomething);
}

/** Finds the range from the only occurrence of the block's first line to the next one of its last, which holds an older version of it. */
function placeOf(
  lines: readonly string[],
  blockLines: readonly string[],
): { from: number; to: number } | { unclear: string } {
  const first = blockLines.findIndex((line) => line.trim() !== "");
  const last = blockLines.findLastIndex((line) => line.trim() !== "");
  const start = blockLines[first];
  const end = blockLines[last];
  if (start === undefined || end === undefined) return { unclear: t("The code block is empty.") };
  const begins = lines.flatMap((line, index) => (line === start ? [index] : []));
  const [from, ...others] = begins;
  if (from === undefined) return { unclear: t("The first line of the code isn't in the file.") };
  if (others.length > 0) return { unclear: t("The first line of the code appears more than once in the file.") };
  if (first === last) return { unclear: t("The file already contains this line.") };
  const to = lines.indexOf(end, from + 1);
  if (to === -1) return { unclear: t("The last line of the code isn't in the file.") };
  return { from, to: to + 1 };
}

function saysSomething(line: string): boolean {
  return /\w{2}/.test(line);
}
