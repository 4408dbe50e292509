import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isLink } from "./file-content.ts";

/** Clocks of file systems are late by up to this much, in milliseconds. */
const CLOCK_SLACK_MS = 20;

/** What is known of the files in a folder: all; nothing, as a link leads there; nothing, as a repository of its own keeps them. */
export type Standing = "own" | "linked" | "inner";

/**
 * Tells how folders stand, each looked at once.
 * @param isInside whether a folder is below the outermost ones that changes are recorded in.
 * @param since Unix ms: a repository that was made later is new with all that is in it.
 */
export function standings(isInside: (path: string) => boolean, since: number): (folder: string) => Promise<Standing> {
  const known = new Map<string, Promise<Standing>>();
  const standingOf = (folder: string): Promise<Standing> => {
    const found = known.get(folder) ?? look(folder);
    known.set(folder, found);
    return found;
  };
  const look = async (folder: string): Promise<Standing> => {
    if (!isInside(folder)) return "own";
    if (await isLink(folder)) return "linked";
    const above = await standingOf(dirname(folder));
    if (above !== "own") return above;
    const madeAt = await birthOf(join(folder, ".git"));
    return madeAt !== undefined && madeAt < since - CLOCK_SLACK_MS ? "inner" : "own";
  };
  return standingOf;
}

function birthOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ birthtimeMs }) => birthtimeMs,
    () => undefined,
  );
}
