import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin, type Places, realPath } from "../places.ts";

/** The repository that `git` finds: that of the workspace, with its top folder, another one, or none. */
export type Repository = { kind: "own"; folder: string } | { kind: "other" | "none" };

/**
 * Returns the repository that `git` finds from a folder. Git follows the settings of any folder that it considers a
 * repository, and they decide what it runs. So only the repository that the workspace belongs to counts as its own: no
 * repository further down in the workspace, and no folder whose files look like the inside of a repository.
 */
export function repositoryOf(folder: string, places: Places): Repository {
  for (let here = realPath(folder); ; here = dirname(here)) {
    const names = namesIn(here);
    // The files of a repository without a working tree, or of one whose other half is elsewhere.
    if (names.some((name) => /^(head|commondir|gitdir)$/i.test(name))) return { kind: "other" };
    if (names.includes(".git")) return isOwn(here, places) ? { kind: "own", folder: here } : { kind: "other" };
    if (here === dirname(here)) return { kind: "none" };
  }
}

/** True if a folder is a workspace folder or contains the workspace, and its `.git` is not a link. */
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
