import * as z from "zod";

/** Maximum size of the lines of a list, in bytes; the rest of a result is for its first and last line. */
const MAX_LIST_BYTES = 14 * 1024;
/** Maximum length of a line, in UTF-16 units. */
const MAX_LINE_CHARS = 1_000;

/** The argument that continues a long list. */
export const nextArgument = z
  .string()
  .regex(/^\d{1,9}$/)
  .optional()
  .describe("from a result");

interface Listing {
  /** The contents of the list with their full count, such as `12 references in 3 files`. */
  readonly title: string;
  readonly lines: readonly string[];
  /** The index of the first line to show, as given in `next`. */
  readonly next: string | undefined;
}

/** Formats a list for the model: the title, as many lines as fit, and how to continue. */
export function listText({ title, lines, next }: Listing): string {
  const from = Math.min(Number(next ?? 0), lines.length);
  const shown = fittingLines(lines.slice(from));
  const to = from + shown.length;
  if (from === 0 && to === lines.length) return [title, ...shown].join("\n");
  const rest = to < lines.length ? ` next: "${to}"` : "";
  return [title, ...shown, `[Lines ${from + 1}-${to} of ${lines.length}.${rest}]`].join("\n");
}

/** Formats a report, line by line: as many lines as fit, and the number of those left out. */
export function reportText(title: string, lines: readonly string[]): string {
  const shown = fittingLines(lines);
  const rest = lines.length - shown.length;
  return [title, ...shown, ...(rest === 0 ? [] : [`[${count(rest, "more line")}.]`])].join("\n");
}

function fittingLines(lines: readonly string[]): string[] {
  const shown: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    const cut = line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line;
    bytes += Buffer.byteLength(cut) + 1;
    if (bytes > MAX_LIST_BYTES) break;
    shown.push(cut);
  }
  return shown;
}

/** Formats a number with its noun, such as `1 file` or `2 files`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

/** Formats an age, such as `2 minutes`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return count(seconds, "second");
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? count(minutes, "minute") : count(Math.round(minutes / 60), "hour");
}

/** Groups items by the key that `keyOf` returns, in their original order. */
export function grouped<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
