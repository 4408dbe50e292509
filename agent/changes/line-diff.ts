import { diffArrays } from "diff";

/** Maximum length of an edit that is split into hunks, in lines: finding them takes quadratic time. */
const MAX_EDIT_LINES = 2_000;

/** One range of lines that differ. Starts are 0-based; lines keep their line ends. */
export interface Hunk {
  readonly beforeStart: number;
  readonly before: readonly string[];
  readonly afterStart: number;
  readonly after: readonly string[];
}

/** Splits a text into lines with their line ends; joined, they are the text again. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Returns the hunks that turn one list of lines into the other, in order, with at least one equal line between two hunks. */
export function findHunks(before: readonly string[], after: readonly string[]): Hunk[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let tail = 0;
  const longest = Math.min(before.length, after.length) - start;
  while (tail < longest && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const middle = {
    before: before.slice(start, before.length - tail),
    after: after.slice(start, after.length - tail),
  };
  if (middle.before.length + middle.after.length === 0) return [];
  const parts = diffArrays(middle.before, middle.after, { maxEditLength: MAX_EDIT_LINES });
  if (parts === undefined) return [{ beforeStart: start, afterStart: start, ...middle }];
  return collectHunks(parts, start);
}

/** Returns `after` with one hunk undone. */
export function revertHunk(after: readonly string[], hunk: Hunk): string[] {
  return replaceLines(after, hunk.afterStart, hunk.after.length, hunk.before);
}

/** Returns `before` with one hunk applied. */
export function applyHunk(before: readonly string[], hunk: Hunk): string[] {
  return replaceLines(before, hunk.beforeStart, hunk.before.length, hunk.after);
}

interface DiffPart {
  readonly value: readonly string[];
  readonly added?: boolean;
  readonly removed?: boolean;
}

function collectHunks(parts: readonly DiffPart[], offset: number): Hunk[] {
  const hunks: Hunk[] = [];
  let [beforeAt, afterAt] = [offset, offset];
  let open: { beforeStart: number; before: string[]; afterStart: number; after: string[] } | undefined;
  for (const { value, added, removed } of parts) {
    if (added !== true && removed !== true) {
      if (open !== undefined) hunks.push(open);
      open = undefined;
      beforeAt += value.length;
      afterAt += value.length;
      continue;
    }
    open ??= { beforeStart: beforeAt, before: [], afterStart: afterAt, after: [] };
    if (removed === true) {
      open.before.push(...value);
      beforeAt += value.length;
    } else {
      open.after.push(...value);
      afterAt += value.length;
    }
  }
  if (open !== undefined) hunks.push(open);
  return hunks;
}

function replaceLines(lines: readonly string[], start: number, count: number, by: readonly string[]): string[] {
  return [...lines.slice(0, start), ...by, ...lines.slice(start + count)];
}
