import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin, type Places, realPath } from "../places.ts";

/**
 * Returns the top folder of the repository that the workspace belongs to, as `git` would find it from a folder. Git follows the settings of
 * whatever it takes for a repository, and they decide what it runs. So any other repository does not count: one further down in the
 * workspace, or a folder whose files look like the inside of one.
 * @returns undefined where git might find another repository, or none.
 */
export function repositoryOf(folder: string, places: Places): string | undefined {
  for (let here = realPath(folder); ; here = dirname(here)) {
    const names = namesIn(here);
    // The beginning of a repository without a working tree, or of one whose other half is elsewhere.
    if (names.some((name) => /^(head|commondir|gitdir)$/i.test(name))) return undefined;
    if (names.includes(".git")) return isOwn(here, places) ? here : undefined;
    if (here === dirname(here)) return undefined;
  }
}

/** True when a folder is one of the workspace, or one that it is in, and nobody else's. */
function isOwn(folder: string, places: Places): boolean {
  const isAbove = isWithin(folder, places.workspace);
  if (!isAbove && places.rootOf(folder) !== folder) return false;
  const owner = lstatSync(join(folder, ".git"), { throwIfNoEntry: false });
  return owner !== undefined && !owner.isSymbolicLink();
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // git finds nothing there either
  }
}
