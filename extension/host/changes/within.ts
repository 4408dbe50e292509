import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, relative, sep } from "node:path";

/** Whether a file is in a folder, at any depth, and none of git's own. */
export function isFileOf(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && isBelow(way) && !way.split(sep).includes(".git");
}

/** Whether a folder is the user's home or above it, by whatever links: what is in there is not the project's. */
export async function holdsHome(folder: string, home = homedir()): Promise<boolean> {
  return isBelow(relative(await realOf(folder), await realOf(home)));
}

function isBelow(way: string): boolean {
  return way.split(sep)[0] !== ".." && !isAbsolute(way);
}

function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
