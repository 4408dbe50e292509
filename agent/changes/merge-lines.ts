import { findHunks, type Hunk } from "./line-diff.ts";

/** The result of merging two changes of the same lines. */
interface Merged {
  readonly lines: string[];
  /** Number of places that both changed in different ways; there, `ours` is kept. */
  readonly conflicts: number;
}

/** Changes of both sides that touch each other, as a range of the base lines. */
interface Region {
  readonly start: number;
  end: number;
  readonly ours: Hunk[];
  readonly theirs: Hunk[];
}

/** Applies the changes from `base` to `theirs` to `ours`. */
export function mergeLines(base: readonly string[], ours: readonly string[], theirs: readonly string[]): Merged {
  const lines: string[] = [];
  let conflicts = 0;
  let at = 0;
  for (const region of findRegions(findHunks(base, ours), findHunks(base, theirs))) {
    lines.push(...base.slice(at, region.start));
    const mine = rewrite(base, region, region.ours);
    const other = rewrite(base, region, region.theirs);
    const isOnlyTheirs = region.ours.length === 0;
    if (!isOnlyTheirs && region.theirs.length > 0 && !isSame(mine, other)) conflicts += 1;
    lines.push(...(isOnlyTheirs ? other : mine));
    at = region.end;
  }
  lines.push(...base.slice(at));
  return { lines, conflicts };
}

function findRegions(ours: readonly Hunk[], theirs: readonly Hunk[]): Region[] {
  const all = [
    ...ours.map((hunk) => ({ hunk, isOurs: true })),
    ...theirs.map((hunk) => ({ hunk, isOurs: false })),
  ].sort((a, b) => a.hunk.beforeStart - b.hunk.beforeStart || endOf(a.hunk) - endOf(b.hunk));
  const regions: Region[] = [];
  for (const { hunk, isOurs } of all) {
    let region = regions.at(-1);
    if (region === undefined || !touches(region, hunk)) {
      region = { start: hunk.beforeStart, end: endOf(hunk), ours: [], theirs: [] };
      regions.push(region);
    }
    region.end = Math.max(region.end, endOf(hunk));
    (isOurs ? region.ours : region.theirs).push(hunk);
  }
  return regions;
}

/** Adjacent changes do not touch; two insertions at the same place do, because their order would be a guess. */
function touches({ start, end }: Region, hunk: Hunk): boolean {
  const isInsertion = hunk.before.length === 0;
  if (start === end && isInsertion) return hunk.beforeStart === start;
  return hunk.beforeStart < end;
}

/** Returns the lines of a region with the hunks of one side applied. */
function rewrite(base: readonly string[], { start, end }: Region, hunks: readonly Hunk[]): string[] {
  const lines: string[] = [];
  let at = start;
  for (const hunk of hunks) {
    lines.push(...base.slice(at, hunk.beforeStart), ...hunk.after);
    at = endOf(hunk);
  }
  lines.push(...base.slice(at, end));
  return lines;
}

function endOf({ beforeStart, before }: Hunk): number {
  return beforeStart + before.length;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}
