import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isLink } from "./file-content.ts";

/** File system clocks may lag by up to this much, in milliseconds. */
const CLOCK_SLACK_MS = 20;

/** Files known in a folder: "own" for all; "linked" for none, as a link leads there; "inner" for none, as an inner repository has them. */
export type Standing = "own" | "linked" | "inner";

/**
 * Returns a function that tells the standing of a folder, looking at each once.
 * @param isInside returns true for a folder below the outermost ones in which changes are recorded.
 * @param since Unix ms: a repository created later is new with everything in it.
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
