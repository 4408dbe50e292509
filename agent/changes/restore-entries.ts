import { chmod, mkdir, realpath, rm, rmdir, symlink, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { errorMessage } from "../protocol/errors.ts";
import { replaceFile } from "../tools/replace-file.ts";
import { isSystemError } from "../util/paths.ts";
import { type FileBytes, type FileContent, isBytes, isSameEntry, readEntry } from "./file-content.ts";
import { isOfGit, writeWithMode } from "./file-mode.ts";

/** Permissions that a folder needs while something is put into it. */
const USABLE = 0o700;

/** What a path is to hold again. */
export interface WantedEntry {
  readonly path: string;
  readonly current: FileContent;
  readonly restored: FileContent;
}

/** Reads and writes files. */
export interface Writer {
  read(path: string): Promise<FileContent>;
  /** Writes the text of a file that an editor holds; false when none does. */
  writeOpen?(path: string, content: FileBytes): Promise<boolean>;
}

/**
 * Brings files, links and folders back to what they were: what is too much goes first, then folders come back, then files. A path that is no longer
 * as it was planned, or that leads through a link, is left alone.
 * @returns the reasons of those that could not be restored, by path.
 */
export async function restoreEntries(
  wanted: readonly WantedEntry[],
  writer: Writer = { read: readEntry },
): Promise<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>();
  const each = async (some: readonly WantedEntry[], work: (entry: WantedEntry) => Promise<void>) => {
    for (const entry of some) {
      if (failures.has(entry.path)) continue;
      await work(entry).catch((error: unknown) => failures.set(entry.path, errorMessage(error)));
    }
  };
  const down = wanted.toSorted((a, b) => a.path.length - b.path.length);
  const up = down.toReversed();
  const kept = down.filter(({ current, restored }) => isFolder(current) && isFolder(restored));
  const made = down.filter(({ current, restored }) => !isFolder(current) && isFolder(restored));
  await each(kept, ({ path, restored }) => setMode(path, restored, USABLE));
  await each(
    up.filter(({ current, restored }) => current !== null && !isFolder(current) && !isBytes(restored)),
    (entry) => removeFile(entry, writer),
  );
  await each(
    up.filter(({ current, restored }) => isFolder(current) && !isFolder(restored)),
    removeFolder,
  );
  await each(made, async ({ path, restored }) => {
    await checkWay(path);
    await mkdir(path, { recursive: true });
    await setMode(path, restored, USABLE);
  });
  await each(
    down.filter(({ restored }) => restored !== null && !isFolder(restored)),
    (entry) => putFile(entry, writer),
  );
  await each([...made, ...kept].toReversed(), ({ path, restored }) => setMode(path, restored));
  return failures;
}

function isFolder(content: FileContent): content is { readonly folder: number } {
  return content !== null && "folder" in content;
}

async function setMode(path: string, content: FileContent, more = 0): Promise<void> {
  if (isFolder(content) && process.platform !== "win32") await chmod(path, content.folder | more);
}

async function removeFile(entry: WantedEntry, writer: Writer): Promise<void> {
  await checkCurrent(entry, writer);
  await rm(entry.path);
}

/** Removes a folder unless it holds something that is not ours. */
async function removeFolder({ path, restored }: WantedEntry): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    const isInUse = isSystemError(error) && (error.code === "ENOTEMPTY" || error.code === "EEXIST");
    if (!isInUse || restored !== null) throw error;
  }
}

async function putFile(entry: WantedEntry, writer: Writer): Promise<void> {
  const { path, current, restored } = entry;
  await checkWay(path);
  await mkdir(dirname(path), { recursive: true });
  if (restored !== null && "link" in restored) return symlink(restored.link, path);
  if (!isBytes(restored)) throw new Error("Its earlier content isn't known.");
  if (!isFolder(current)) await checkCurrent(entry, writer);
  if (current !== null && "link" in current) await rm(path);
  if (await writer.writeOpen?.(path, restored)) return;
  const { mode, mtimeMs } = restored;
  await writeWithMode(path, { mode, always: true }, () => replaceFile(path, Buffer.from(restored.bytes)));
  if (mode !== undefined && !isOfGit(mode) && process.platform !== "win32") await chmod(path, mode);
  if (current === null && mtimeMs !== undefined) await utimes(path, mtimeMs / 1000, mtimeMs / 1000);
}

async function checkCurrent({ path, current }: WantedEntry, { read }: Writer): Promise<void> {
  if (!isSameEntry(await read(path), current)) throw new Error("It was changed while it was being undone.");
}

/** @throws Error when the way to a path leads through a link: it would end elsewhere. */
async function checkWay(path: string): Promise<void> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const real = await realpath(folder).catch(() => undefined);
    if (real === folder) return;
    if (real !== undefined) throw new Error("A link leads elsewhere on the way to it.");
    if (folder === dirname(folder)) return;
  }
}
