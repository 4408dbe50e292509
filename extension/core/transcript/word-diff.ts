import { diffWordsWithSpace } from "diff";
import type { ChangedWords } from "../../../webview/protocol/items.ts";

/** Maximum length of a compared line, in UTF-16 units; longer ones count as changed whole. */
const MAX_LINE_CHARS = 400;
/** Maximum number of line pairs of a diff that are compared word by word. */
const MAX_PAIRS = 200;
/** Maximum number of line pairs of one change whose likeness is compared; in longer ones, lines match by their place. */
const MAX_COMPARED = 2_500;
/** Lines match if they share at least this part of their words. */
const MIN_LIKENESS = 0.4;
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
    const texts = (from: number, to: number) => lines.slice(from, to).map((line) => split(line, prefix).text);
    const matches = matchLines(texts(at, removedEnd), texts(removedEnd, addedEnd)).slice(0, MAX_PAIRS - pairs);
    for (const [one, other] of matches) {
      found.push(...compare({ lines, prefix, removed: at + one, added: removedEnd + other }));
    }
    pairs += matches.length;
    at = Math.max(addedEnd, at + 1);
  }
  return found;
}

type Match = readonly [removed: number, added: number];

/** Returns which removed lines became which added ones: those that are most alike, in their order. */
function matchLines(removed: readonly string[], added: readonly string[]): Match[] {
  if (removed.length === added.length && removed.length === 1) return [[0, 0]];
  if (removed.length * added.length > MAX_COMPARED) {
    return removed.slice(0, added.length).map((_, index) => [index, index]);
  }
  const [olds, news] = [removed.map(wordsIn), added.map(wordsIn)];
  // best[i][j]: how alike the lines from i and from j on can be in all.
  const best = Array.from({ length: olds.length + 1 }, () => new Array<number>(news.length + 1).fill(0));
  const score = (i: number, j: number) => best[i]?.[j] ?? 0;
  const alike = (i: number, j: number) => {
    const share = likeness(olds[i] ?? [], news[j] ?? []);
    return share < MIN_LIKENESS ? 0 : share;
  };
  const table = olds.map((_, i) => news.map((__, j) => alike(i, j)));
  for (let i = olds.length - 1; i >= 0; i -= 1) {
    for (let j = news.length - 1; j >= 0; j -= 1) {
      const row = best[i];
      const matched = (table[i]?.[j] ?? 0) + score(i + 1, j + 1);
      if (row) row[j] = Math.max(matched, score(i + 1, j), score(i, j + 1));
    }
  }
  const matches: Match[] = [];
  for (let i = 0, j = 0; i < olds.length && j < news.length; ) {
    const share = table[i]?.[j] ?? 0;
    if (share > 0 && score(i, j) === share + score(i + 1, j + 1)) matches.push([i++, j++]);
    else if (score(i, j) === score(i + 1, j)) i += 1;
    else j += 1;
  }
  return matches;
}

function wordsIn(line: string): string[] {
  return line.slice(0, MAX_LINE_CHARS).match(/\w+|[^\s\w]/g) ?? [];
}

/** Returns the part of their words that two lines share, from 0 to 1. */
function likeness(one: readonly string[], other: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of one) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of other) {
    const count = left.get(word) ?? 0;
    if (count > 0) shared += 1;
    left.set(word, count - 1);
  }
  return one.length + other.length === 0 ? 0 : (2 * shared) / (one.length + other.length);
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
