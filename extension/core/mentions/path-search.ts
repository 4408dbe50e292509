import type { FileIndex, PathEntry } from "./file-index.ts";
import { type FuzzyQuery, fuzzyPlaces, fuzzyScore, readQuery } from "./fuzzy.ts";
import { startSlices } from "./slices.ts";

/** Maximum number of paths in a result. */
export const MAX_MATCHES = 50;
/** Number of results of earlier searches that are kept to be narrowed. */
const MAX_KEPT = 8;
/** Number of paths examined between two looks at the clock. */
const PATHS_PER_LOOK = 32;
/** Bonus of the most recent file; each earlier one gets one less, down to the least. */
const MOST_FOR_RECENT = 40;
const LEAST_FOR_RECENT = 10;

/** A file or folder that matches a query. */
export interface PathMatch {
  /** The path of a folder ends with a slash. */
  readonly path: string;
  readonly isFolder: boolean;
  readonly isIgnored: boolean;
  readonly isRecent: boolean;
  /** Places of the matched letters, in UTF-16 units, ascending. */
  readonly places: readonly number[];
}

/** The result of a search. */
export interface PathMatches {
  /** The best matches, best first, at most `MAX_MATCHES`; ignored ones after all others. */
  readonly matches: readonly PathMatch[];
  /** Number of all matches. */
  readonly total: number;
  /** False while the index is being filled: another search may find more. */
  readonly isComplete: boolean;
}

/** Entries in several arrays: one array of all would be copied again and again while it grows. */
type Groups = readonly (readonly PathEntry[])[];

interface Kept {
  readonly text: string;
  readonly revision: number;
  readonly groups: Groups;
}

interface Ranked {
  readonly entry: PathEntry;
  readonly score: number;
}

/** Searches an index during typing: each search cancels the previous one, and narrows an earlier result if possible. */
export class PathSearch {
  readonly #index: FileIndex;
  #kept: readonly Kept[] = [];
  #latest = 0;

  constructor(index: FileIndex) {
    this.#index = index;
  }

  /**
   * Finds the matches of a query; an empty one matches everything. Works in slices of some milliseconds. The same index, query and recent files
   * give the same result.
   * @param recent files that are open or were used, the latest first, as paths of the index.
   * @returns undefined when another search or `forget` was called meanwhile.
   */
  async find(query: string, recent: readonly string[] = []): Promise<PathMatches | undefined> {
    this.#latest += 1;
    const run = this.#latest;
    const wanted = readQuery(query);
    const { revision } = this.#index;
    const ranks = recentRanks(recent);
    const fitting: PathEntry[][] = [];
    let total = 0;
    const best: Ranked[] = [];
    const slices = startSlices();
    let looks = 0;
    for (const group of this.#candidates(wanted)) {
      const inGroup: PathEntry[] = [];
      fitting.push(inGroup);
      for (const entry of group) {
        looks += 1;
        if (looks % PATHS_PER_LOOK === 0 && slices.isOver()) {
          await slices.rest();
          if (run !== this.#latest) return undefined;
        }
        if (entry.isGone || (entry.mask & wanted.mask) !== wanted.mask) continue;
        const forRecent = ranks.size === 0 ? 0 : (ranks.get(entry.path) ?? 0);
        const enough = scoreToBeat(best, entry);
        const fit = fuzzyScore(wanted, entry.path, enough - forRecent);
        if (fit === undefined) continue;
        inGroup.push(entry);
        const score = (wanted.words.length === 0 ? -depth(entry.path) : fit) + forRecent;
        if (score >= enough) keepBest(best, { entry, score });
      }
      total += inGroup.length;
    }
    this.#keep({ text: wanted.text, revision, groups: fitting });
    return {
      matches: best.map(({ entry }) => toMatch(entry, wanted, ranks)),
      total,
      isComplete: !this.#index.isFilling,
    };
  }

  /** Cancels the running search and drops the kept results. */
  forget(): void {
    this.#latest += 1;
    this.#kept = [];
  }

  /** The entries that may match, in groups. */
  #candidates(wanted: FuzzyQuery): Groups {
    const usable = this.#kept.filter(
      ({ text, revision }) => revision === this.#index.revision && wanted.text.startsWith(text),
    );
    const narrowest = usable.reduce<Kept | undefined>(
      (found, kept) => (found === undefined || kept.text.length > found.text.length ? kept : found),
      undefined,
    );
    return narrowest?.groups ?? this.#index.groups;
  }

  #keep(result: Kept): void {
    if (result.text === "") return;
    const others = this.#kept.filter(({ text, revision }) => text !== result.text && revision === result.revision);
    this.#kept = [...others, result].slice(-MAX_KEPT);
  }
}

function recentRanks(recent: readonly string[]): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  for (const path of recent) {
    if (!ranks.has(path)) ranks.set(path, Math.max(LEAST_FOR_RECENT, MOST_FOR_RECENT - ranks.size));
  }
  return ranks;
}

function depth(path: string): number {
  let slashes = 0;
  for (let at = path.indexOf("/"); at !== -1 && at < path.length - 1; at = path.indexOf("/", at + 1)) slashes += 1;
  return slashes;
}

/** Returns the score that a path must reach to be among the best; less than any score when it is among them anyway. */
function scoreToBeat(best: readonly Ranked[], entry: PathEntry): number {
  const worst = best[MAX_MATCHES - 1];
  if (worst === undefined || (worst.entry.isIgnored && !entry.isIgnored)) return Number.MIN_SAFE_INTEGER;
  if (worst.entry.isIgnored !== entry.isIgnored) return Number.MAX_SAFE_INTEGER;
  return entry.path.length > worst.entry.path.length ? worst.score + 1 : worst.score;
}

function keepBest(best: Ranked[], candidate: Ranked): void {
  const worst = best[MAX_MATCHES - 1];
  if (worst !== undefined && compare(candidate, worst) >= 0) return;
  let low = 0;
  let high = best.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = best[middle];
    if (other !== undefined && compare(other, candidate) < 0) low = middle + 1;
    else high = middle;
  }
  best.splice(low, 0, candidate);
  if (best.length > MAX_MATCHES) best.pop();
}

/** No two entries are equal, so their original order does not matter. */
function compare(a: Ranked, b: Ranked): number {
  if (a.entry.isIgnored !== b.entry.isIgnored) return a.entry.isIgnored ? 1 : -1;
  if (a.score !== b.score) return b.score - a.score;
  const [one, other] = [a.entry.path, b.entry.path];
  if (one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : 1;
}

function toMatch(
  { path, inside, isIgnored }: PathEntry,
  wanted: FuzzyQuery,
  ranks: ReadonlyMap<string, number>,
): PathMatch {
  return {
    path,
    isFolder: inside !== undefined,
    isIgnored,
    isRecent: ranks.has(path),
    places: fuzzyPlaces(wanted, path),
  };
}
