import { toLoose } from "./text-view.ts";

/** A place in a file that is like wanted lines. */
export interface NearLines {
  /** The line that the first wanted one would be, from 0; negative when the file begins later. */
  start: number;
  /** The starts of other places that are as much alike. */
  others: readonly number[];
  /** The higher, the more is alike. */
  score: number;
}

/** Lines that occur more often say little about the place. */
const MAX_OCCURRENCES = 100;
/** The beginning of a long text says where it is. */
const MAX_WANTED_LINES = 1000;
/** Limits of the slow search for lines that are only alike. */
const MAX_COMPARED_LINES = 20_000;
const MAX_COMPARED_WANTS = 4;
const MIN_LIKENESS = 0.45;

/**
 * Finds the lines of a file that are most like wanted ones: by lines that are the same apart from blanks, case and kinds of quotes, or else by
 * the one line that is most alike.
 * @returns undefined when nothing is alike.
 */
export function nearestLines(lines: readonly string[], wanted: readonly string[]): NearLines | undefined {
  const plain = lines.map(squash);
  const plainWanted = wanted.slice(0, MAX_WANTED_LINES).map(squash);
  return placeOfEqual(plain, plainWanted) ?? placeOfAlike(plain, plainWanted);
}

/** Each line that is the same speaks for the start that it implies, the louder the rarer and longer it is. */
function placeOfEqual(plain: readonly string[], wanted: readonly string[]): NearLines | undefined {
  const places = new Map<string, number[]>();
  const asked = new Set(wanted);
  for (const [at, line] of plain.entries()) {
    if (line === "" || !asked.has(line)) continue;
    const known = places.get(line);
    if (known === undefined) places.set(line, [at]);
    else if (known.length <= MAX_OCCURRENCES) known.push(at);
  }
  const votes = new Map<number, number>();
  for (const [index, line] of wanted.entries()) {
    const known = places.get(line);
    if (known === undefined) continue;
    const weight = weightOf(line) / known.length;
    for (const at of known) votes.set(at - index, (votes.get(at - index) ?? 0) + weight);
  }
  let score = 0;
  for (const sum of votes.values()) score = Math.max(score, sum);
  const [start, ...others] = [...votes].filter(([, sum]) => sum === score).map(([at]) => at);
  return start === undefined ? undefined : { start, others, score };
}

function weightOf(line: string): number {
  return Math.min(20, line.length) / 20;
}

function placeOfAlike(plain: readonly string[], wanted: readonly string[]): NearLines | undefined {
  const asked = wanted
    .map((line, index) => ({ index, line, pairs: pairsOf(line) }))
    .filter(({ pairs }) => pairs.size > 0)
    .sort((one, other) => other.line.length - one.line.length)
    .slice(0, MAX_COMPARED_WANTS);
  let best: NearLines | undefined;
  let bestLikeness = MIN_LIKENESS;
  for (const [at, line] of plain.slice(0, MAX_COMPARED_LINES).entries()) {
    if (line.length < 2) continue;
    const pairs = pairsOf(line);
    for (const { index, pairs: askedPairs } of asked) {
      const likeness = likenessOf(askedPairs, pairs);
      if (likeness <= bestLikeness) continue;
      bestLikeness = likeness;
      best = { start: at - index, others: [], score: likeness / 20 }; // less than any line that is the same
    }
  }
  return best;
}

/** The compared part of a line, in UTF-16 units: a generated file may be a single line of megabytes. */
const MAX_SQUASHED = 2000;

function squash(line: string): string {
  return toLoose(line.slice(0, MAX_SQUASHED)).toLowerCase().replace(/\s+/g, "");
}

const MAX_PAIRS = 300;

function pairsOf(line: string): Set<string> {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < line.length && at < MAX_PAIRS; at++) pairs.add(line.slice(at, at + 2));
  return pairs;
}

/** The share of the asked pairs of characters that a line has, and a little for having no others. */
function likenessOf(asked: ReadonlySet<string>, there: ReadonlySet<string>): number {
  let shared = 0;
  for (const pair of asked) if (there.has(pair)) shared++;
  return 0.7 * (shared / asked.size) + (0.3 * 2 * shared) / (asked.size + there.size);
}
