import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isFileOf } from "./within.ts";

/** Maximum number of files outside the workspace whose contents are read before a call that names them or their folder. */
const MAX_FILES = 200;

interface NamedPath {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Returns the real path of a file that may not exist yet, with all links resolved. */
export async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(await realPathOf(folder), basename(path));
  }
}

/** Returns the files that a call names outside some folders, and those in folders that it names; none when they are too many to be read. */
export async function filesOutside(named: readonly NamedPath[], folders: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const { path, isFolder } of named) {
    const itself = join(await realPathOf(dirname(path)), basename(path));
    for (const one of [itself, await realPathOf(path)]) {
      const isInside = folders.some((folder) => folder === one || isFileOf(folder, one));
      if (isInside || one.split(/[\\/]/).includes(".git")) continue;
      found.add(one);
      if (isFolder) for (const inside of await entriesOf(one)) found.add(inside);
    }
    if (found.size > MAX_FILES) return [];
  }
  return [...found];
}

/** Returns everything in a folder; nothing when that is too much. */
async function entriesOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      found.push(join(next, entry.name));
      if (entry.isDirectory()) waiting.push(join(next, entry.name));
    }
    if (found.length > MAX_FILES) return [];
  }
  return found;
}
