import { editDistance } from "../util/edit-distance.ts";
import { walkFolder } from "./gitignore-walk.ts";

const SKIPPED_NAMES: ReadonlySet<string> = new Set([".git", "node_modules"]);
const MAX_PATHS = 3;
/** Limits of the search: a path that is not there must not cost more than one that is. */
const MAX_ENTRIES = 20_000;
const MAX_SEARCH_MS = 500;
const MAX_NAME_LENGTH = 100;

interface SearchOptions {
  cwd: string;
  signal: AbortSignal;
  /** True for a path below the working directory that must not be named. */
  isLeftOut?: ((path: string) => boolean) | undefined;
}

/**
 * Finds the paths in the working directory that a path may mean that is not there: those with the same name elsewhere, then those with a
 * similar one.
 * @returns at most three relative paths with forward slashes, the likeliest first.
 */
export async function nearestPaths(shownPath: string, { cwd, signal, isLeftOut }: SearchOptions): Promise<string[]> {
  const wanted = shownPath.split(/[\\/]/).filter((name) => name !== "" && name !== ".");
  if ((wanted.at(-1)?.length ?? 0) > MAX_NAME_LENGTH) return [];
  const found: { path: string; distance: number }[] = [];
  const endAt = performance.now() + MAX_SEARCH_MS;
  let count = 0;
  for await (const { path } of walkFolder(cwd, { skip: SKIPPED_NAMES, signal })) {
    if (++count > MAX_ENTRIES || performance.now() > endAt) break;
    const distance = distanceOf(wanted, path.split("/"));
    if (distance !== undefined && isLeftOut?.(path) !== true) found.push({ path, distance });
  }
  return found
    .sort((one, other) => one.distance - other.distance || one.path.length - other.path.length)
    .slice(0, MAX_PATHS)
    .map(({ path }) => path);
}

/** How far a path is from the wanted one, by its name and the folders above it; undefined when it is too far. */
function distanceOf(wanted: readonly string[], names: readonly string[]): number | undefined {
  const wantedName = wanted.at(-1)?.toLowerCase() ?? "";
  const name = names.at(-1)?.toLowerCase() ?? "";
  const distance = nameDistance(wantedName, name);
  if (distance === undefined) return undefined;
  let shared = 0;
  while (shared < 5 && names.at(-2 - shared) !== undefined && names.at(-2 - shared) === wanted.at(-2 - shared))
    shared++;
  return distance - shared * 0.1;
}

/** Returns 0 for the same name, and less than 1 for a similar one or one with another extension. */
function nameDistance(wanted: string, name: string): number | undefined {
  if (wanted === name) return 0;
  if (stemOf(wanted) !== "" && stemOf(wanted) === stemOf(name)) return 0.8;
  if (Math.abs(wanted.length - name.length) > wanted.length / 4) return undefined;
  const share = editDistance(wanted, name) / Math.max(1, wanted.length);
  return share <= 0.25 ? 0.6 + share : undefined;
}

function stemOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(0, dot) : name;
}
