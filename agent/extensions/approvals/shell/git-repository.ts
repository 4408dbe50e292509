import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { realPath } from "../places.ts";
import type { CommandView } from "./command-view.ts";

/**
 * Judges whose settings `git` would follow. They decide what it runs, also when it only reads: those of a repository that is no more than a
 * folder of the workspace could be written by anybody, and so could those of one in the folder for temporary files.
 */
export function judgeRepository(view: CommandView): void {
  if (view.folders === "unknown") return;
  const { places } = view.judge;
  for (const folder of view.folders) {
    const real = realPath(folder);
    if (places.locate(`${real}/any`).kind === "temporary") view.raise("changes");
    for (let here = real; places.isWorkspace(here) && !exists(join(here, ".git")); here = dirname(here)) {
      const isBare = basename(here) !== ".git" && ["HEAD", "objects", "refs"].every((name) => exists(join(here, name)));
      if (isBare)
        view.cannot(`${places.show(places.locate(here))} is a repository with settings that may run programs`);
      if (here === dirname(here)) break;
    }
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
