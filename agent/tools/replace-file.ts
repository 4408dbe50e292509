import { randomBytes } from "node:crypto";
import type { BigIntStats, Stats } from "node:fs";
import { open, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { KeyedLock } from "../util/keyed-lock.ts";

const fileLock = new KeyedLock();
let lastKey: Promise<string> = Promise.resolve("");

/** Runs work on a file when all work on the same file, by whatever path, that was asked for earlier has ended. */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  // Keys are found one after the other: the look-ups would otherwise overtake each other.
  lastKey = lastKey.then(() => realPath(path));
  return fileLock.run(await lastKey, work);
}

/**
 * Writes a whole file so that a crash leaves the old or the new content: a file beside it takes its place. Symbolic links are followed and
 * permission bits kept. Hard-linked files, other people's files and files in folders that take no new file are written in place, because
 * another file in their place would not be the same.
 * @throws Error of the file system.
 */
export async function replaceFile(path: string, content: string | Buffer): Promise<void> {
  const target = await realPath(path);
  const existing = await stat(target).catch(() => undefined);
  if (existing !== undefined && mustKeepInode(existing)) return writeFile(target, content);
  const temporary = join(dirname(target), `.${basename(target).slice(0, 100)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    const file = await open(temporary, "wx", existing === undefined ? 0o666 : existing.mode & 0o777);
    try {
      if (existing !== undefined) await file.chmod(existing.mode & 0o7777);
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    // A folder that takes no new file, or a mount point in place of a file, may still allow to write the file itself.
    if (existing === undefined) throw error;
    await writeFile(target, content);
  }
}

/** Whether a file is still the one, and as old and as large, as when `known` was taken. A file that is gone has changed. */
export async function isUnchanged(path: string, known: BigIntStats): Promise<boolean> {
  const current = await stat(path, { bigint: true }).catch(() => undefined);
  return current?.mtimeNs === known.mtimeNs && current.size === known.size && current.ino === known.ino;
}

function mustKeepInode(stats: Stats): boolean {
  return stats.nlink > 1 || (process.getuid !== undefined && stats.uid !== process.getuid());
}

/** The real path of a file that may not exist yet. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const folder = dirname(path); // not there: what exists of the way to it still decides which file is meant
    return folder === path ? path : join(await realPath(folder), basename(path));
  }
}
