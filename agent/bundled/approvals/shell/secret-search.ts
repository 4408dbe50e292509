import { readdirSync } from "node:fs";
import { join } from "node:path";
import { looksSecret } from "../../../util/secret-files.ts";
import type { Places } from "../places.ts";
import { isTidy } from "./words.ts";

const MAX_ENTRIES = 20_000;
/** Folders of packages, which contain no keys. */
const PACKAGES = new Set(["node_modules", ".venv"]);

/** The files in folders that a command shows. */
export interface Search {
  places: Places;
  /** True when links in the folders are followed. */
  followsLinks: boolean;
  /** True when names are split at blanks and quotes. */
  splitsNames?: boolean;
  /** True to skip folders of packages, because the command doesn't show their content. */
  passesOverPackages?: boolean;
  /** True when any link out of the workspace counts, even one to a file that would be free to read. */
  findsLinksOut?: boolean;
  /** True for the names of files that are shown; undefined when all are. */
  isFound?(name: string): boolean;
}

/** Result of a search: nothing, a reason to ask each time, or too much to look through. */
export type Found = "nothing" | "too-much" | { reason: string };

/**
 * Looks for a file that must not be shown without a question: a file that looks like a secret, or a link to one or out
 * of the workspace. Checks at most 20,000 names, from the top down, and only names.
 */
export function findSecret(folders: readonly string[], search: Search): Found {
  let waiting = folders;
  let left = MAX_ENTRIES;
  const passesOver = search.splitsNames !== true || search.passesOverPackages === true;
  while (waiting.length > 0) {
    const next: string[] = [];
    for (const folder of waiting) {
      for (const entry of entriesOf(folder)) {
        if (--left < 0) return "too-much";
        const path = join(folder, entry.name);
        const isPassedOver = entry.name === ".git" || (passesOver && PACKAGES.has(entry.name));
        if (entry.isDirectory() && !isPassedOver) next.push(path);
        const reason = reasonFor(entry, path, search);
        if (reason !== undefined) return { reason };
      }
    }
    waiting = next;
  }
  return "nothing";
}

function reasonFor(
  entry: Entry,
  path: string,
  { places, followsLinks, splitsNames, isFound, findsLinksOut }: Search,
): string | undefined {
  if (findsLinksOut === true && entry.isSymbolicLink() && places.locate(path).kind !== "inside") return path;
  if (isFound?.(entry.name) === false) return undefined;
  if (splitsNames === true && !(isTidy(entry.name) && !/["']/.test(entry.name)))
    return `a name of a file would be taken apart: ${places.show(places.locate(path))}`;
  const mayShow = entry.isFile() ? looksSecret(entry.name) : followsLinks && entry.isSymbolicLink();
  return mayShow ? places.judgeReading(path) : undefined;
}

interface Entry {
  name: string;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

function entriesOf(folder: string): Entry[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // a file, or nothing
  }
}
