import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import type { Slices } from "./slices.ts";

/** The extension of session files. */
export const SESSION_EXTENSION = ".jsonl";

/** A folder of sessions, with its given path and its real path. */
export interface SessionFolder {
  path: string;
  realPath: string;
}

/** A file in a folder of sessions, before it is read. */
export interface SessionFileInfo {
  path: string;
  /** The same with all links resolved, except the file itself. */
  realPath: string;
  modifiedMs: number;
  sizeBytes: number;
  /** Changes when the file does. */
  stamp: string;
  /** The file's number in the file system. */
  inode: number;
  /** True if a lock file exists beside it, held or not. */
  hasLock: boolean;
  /** The reason why it can't be read. */
  problem: string | undefined;
}

/** Returns the folders that exist, each once, even if several links lead to it. */
export function existingFolders(paths: readonly string[]): SessionFolder[] {
  const folders = new Map<string, SessionFolder>();
  for (const path of paths) {
    const realPath = realPathIfThere(path);
    if (realPath !== undefined && !folders.has(realPath)) folders.set(realPath, { path, realPath });
  }
  return [...folders.values()];
}

/** Returns the folders in a folder, including links to folders. */
export function foldersIn(path: string): string[] {
  return entriesOf(path)
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => join(path, name))
    .filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true)
    .sort();
}

/** Returns every session file of these folders, newest first; files of the same time are sorted by path. */
export async function findSessionFiles(folders: readonly SessionFolder[], slices: Slices): Promise<SessionFileInfo[]> {
  const files: SessionFileInfo[] = [];
  for (const folder of folders) {
    const entries = entriesOf(folder.path);
    const names = new Set(entries.map(({ name }) => name));
    for (const { name } of entries) {
      if (!name.endsWith(SESSION_EXTENSION)) continue;
      const file = fileInfo(folder, name, names.has(`${name}.lock`));
      if (file !== undefined) files.push(file);
      await slices.rest();
    }
  }
  return files.sort(compareFiles);
}

/** The order of sessions: newest first. */
export function compareFiles(
  a: Pick<SessionFileInfo, "modifiedMs" | "path">,
  b: Pick<SessionFileInfo, "modifiedMs" | "path">,
): number {
  if (a.modifiedMs !== b.modifiedMs) return b.modifiedMs - a.modifiedMs;
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

function fileInfo(folder: SessionFolder, name: string, hasLock: boolean): SessionFileInfo | undefined {
  const path = join(folder.path, name);
  const { stats, problem } = look(path);
  if (stats === undefined || stats.isDirectory()) return undefined;
  return {
    path,
    realPath: join(folder.realPath, name),
    modifiedMs: stats.mtimeMs,
    sizeBytes: stats.size,
    stamp: [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(":"),
    inode: stats.ino,
    hasLock,
    problem,
  };
}

function look(path: string): { stats: Stats | undefined; problem: string | undefined } {
  const stats = lookThrough(path);
  if (stats !== undefined) return { stats, problem: stats.isFile() ? undefined : "Not a regular file." };
  return { stats: lstatSync(path, { throwIfNoEntry: false }), problem: "A link that leads nowhere." };
}

function lookThrough(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // links in a circle: they lead nowhere either
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // no folder yet means no sessions yet
  }
}

function realPathIfThere(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // no folder yet, or a link that leads nowhere
  }
}
