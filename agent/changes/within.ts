import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, relative, sep } from "node:path";

/** True when a file is in a folder, at any depth, but not in `.git`. */
export function isFileOf(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && isBelow(way) && !way.split(sep).includes(".git");
}

/** True when a folder is the user's home or above it, with links resolved: its contents are not the project's. */
export async function holdsHome(folder: string, home = homedir()): Promise<boolean> {
  return isBelow(relative(await realOf(folder), await realOf(home)));
}

function isBelow(way: string): boolean {
  return way.split(sep)[0] !== ".." && !isAbsolute(way);
}

function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
