import { diffWordsWithSpace } from "diff";
import type { ChangedWords } from "../../../webview/protocol/items.ts";

/** Maximum length of a compared line, in UTF-16 units; longer ones count as changed whole. */
const MAX_LINE_CHARS = 400;
/** Maximum number of line pairs of a diff that are compared word by word. */
const MAX_PAIRS = 200;
/** Lines that differ in more than this share are not counted as versions of each other. */
const MAX_CHANGED_PART = 0.6;

/**
 * Finds the words that changed between matching removed and added lines of a diff.
 * @param isNumbered true when each line has its number between its sign and its text.
 */
export function changedWords(diff: string, isNumbered: boolean): ChangedWords[] {
  const lines = diff.split("\n");
  const prefix = isNumbered ? /^[+-] *\d+ / : /^[+-]/;
  const found: ChangedWords[] = [];
  let pairs = 0;
  let at = 0;
  while (at < lines.length && pairs < MAX_PAIRS) {
    const removedEnd = runEnd(lines, at, "-");
    const addedEnd = runEnd(lines, removedEnd, "+");
    const count = Math.min(removedEnd - at, addedEnd - removedEnd);
    for (let index = 0; index < count; index += 1) {
      const [removed, added] = [at + index, removedEnd + index];
      found.push(...compare({ lines, prefix, removed, added }));
    }
    pairs += count;
    at = Math.max(addedEnd, at + 1);
  }
  return found;
}

function runEnd(lines: readonly string[], from: number, sign: string): number {
  let end = from;
  while (end < lines.length && lines[end]?.startsWith(sign)) end += 1;
  return end;
}

interface Pair {
  readonly lines: readonly string[];
  readonly prefix: RegExp;
  /** Indexes into `lines`. */
  readonly removed: number;
  readonly added: number;
}

function compare({ lines, prefix, removed, added }: Pair): ChangedWords[] {
  const before = split(lines[removed] ?? "", prefix);
  const after = split(lines[added] ?? "", prefix);
  if (before.text.length > MAX_LINE_CHARS || after.text.length > MAX_LINE_CHARS) return [];
  const out: ChangedWords[] = [];
  let changed = 0;
  let old = before.start;
  let now = after.start;
  for (const part of diffWordsWithSpace(before.text, after.text)) {
    const { length } = part.value;
    if (part.removed) out.push({ line: removed, start: old, end: old + length });
    if (part.added) out.push({ line: added, start: now, end: now + length });
    if (part.removed || part.added) changed += length;
    if (!part.added) old += length;
    if (!part.removed) now += length;
  }
  return changed > MAX_CHANGED_PART * (before.text.length + after.text.length) ? [] : out;
}

function split(line: string, prefix: RegExp): { text: string; start: number } {
  const start = prefix.exec(line)?.[0].length ?? 1;
  return { text: line.slice(start), start };
}
