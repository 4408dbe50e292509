import type { BigIntStats, Stats } from "node:fs";
import { type FileHandle, mkdtemp, open, realpath, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { errorMessage } from "../protocol/errors.ts";
import { KeyedLock } from "../util/keyed-lock.ts";
import { crypto } from "../util/late-node.ts";
import { isSystemError } from "../util/paths.ts";

/** Errors of a folder that takes no new file, or of a mount point that no other file may replace. */
const MAY_NOT_REPLACE: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS", "EBUSY", "EXDEV"]);

const fileLock = new KeyedLock();
let lastKey: Promise<string> = Promise.resolve("");

/**
 * Runs work on a file when all work on the same file, by whatever path, that was asked for earlier has ended.
 * @param path may still have to be found. @throws whatever finding it fails with, or the work.
 */
export async function withFileLock<T>(path: string | Promise<string>, work: (path: string) => Promise<T>): Promise<T> {
  // Keys are found one after the other: the look-ups would otherwise overtake each other.
  const key = lastKey.then(async () => realPath(await path));
  lastKey = key.catch(() => "");
  const found = await key;
  const given = await path;
  return fileLock.run(found, () => work(given));
}

/**
 * Writes a whole file so that a crash or a full disk leaves the old or the new content: a file beside it takes its place. Symbolic links are
 * followed and permission bits kept. Hard-linked files, other people's files and files in folders that take no new file are written in place,
 * because another file in their place would not be the same; a copy of the old content is kept until the new one is written.
 * @throws Error of the file system; one that says where the old content is when it could not be put back.
 */
export async function replaceFile(path: string, content: string | Buffer): Promise<void> {
  const target = await realPath(path);
  const existing = await stat(target).catch(() => undefined);
  if (existing !== undefined && mustKeepInode(existing)) return writeInPlace(target, content);
  const temporary = besideName(target, "tmp");
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
    if (existing === undefined || !mayNotReplace(error)) throw error;
    await writeInPlace(target, content);
  }
}

/** True when a file is still the one, and as old and as large, as when `known` was taken. A file that is gone has changed. */
export async function isUnchanged(path: string, known: BigIntStats): Promise<boolean> {
  const current = await stat(path, { bigint: true }).catch(() => undefined);
  return current?.mtimeNs === known.mtimeNs && current.size === known.size && current.ino === known.ino;
}

function mustKeepInode(stats: Stats): boolean {
  return stats.nlink > 1 || (process.getuid !== undefined && stats.uid !== process.getuid());
}

function mayNotReplace(error: unknown): boolean {
  return isSystemError(error) && MAY_NOT_REPLACE.has(error.code);
}

async function writeInPlace(path: string, content: string | Buffer): Promise<void> {
  const file = await open(path, "r+");
  try {
    const before = await file.readFile();
    const copy = await keepCopy(path, before);
    try {
      await overwrite(file, Buffer.from(content));
    } catch (error) {
      await putBack(file, before, copy, error);
      throw error;
    }
    await copy.remove();
  } finally {
    await file.close();
  }
}

async function putBack(file: FileHandle, before: Buffer, copy: KeptCopy, cause: unknown): Promise<void> {
  try {
    await overwrite(file, before);
  } catch {
    throw new Error(`${errorMessage(cause)}. What it held before is in ${copy.path}`, { cause });
  }
  await copy.remove();
}

/** Cuts what is left of a longer content off last: putting that content back then takes no new room on the disk. */
async function overwrite(file: FileHandle, content: Buffer): Promise<void> {
  for (let at = 0; at < content.length; ) {
    const { bytesWritten } = await file.write(content, at, content.length - at, at);
    at += bytesWritten;
  }
  await file.truncate(content.length);
  await file.sync();
}

/** The content of a file, kept in another one. */
interface KeptCopy {
  path: string;
  remove(): Promise<void>;
}

/** Keeps a copy beside the file, or in the folder for temporary files where that is not allowed. */
async function keepCopy(path: string, content: Buffer): Promise<KeptCopy> {
  const beside = besideName(path, "old");
  try {
    await writeNew(beside, content);
    return { path: beside, remove: () => rm(beside, { force: true }) };
  } catch (error) {
    if (!mayNotReplace(error)) throw error;
  }
  const folder = await mkdtemp(join(tmpdir(), "tiller-old-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  const kept = join(folder, basename(path));
  await writeNew(kept, content).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return { path: kept, remove };
}

/** Writes a file that is not there yet, whole or not at all. */
async function writeNew(path: string, content: Buffer): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** A new name in the folder of a file. It does not hold the file's own, which may be as long as a name can be. */
function besideName(path: string, ending: string): string {
  return join(dirname(path), `.tiller-${crypto().randomBytes(6).toString("hex")}.${ending}`);
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
