import { EntryList } from "./entry-list.ts";
import { letterMask } from "./letters.ts";
import { PathMap } from "./path-map.ts";
import type { PathSource } from "./path-sources.ts";
import { startSlices } from "./slices.ts";

/** Maximum number of files, including ignored ones; each takes about 200 bytes. */
const MAX_FILES = 300_000;
/** Maximum number of ignored files. */
const MAX_IGNORED_FILES = 50_000;
/** Longer paths are left out, in UTF-16 units. */
const MAX_PATH_CHARS = 1_000;
/** Number of paths taken in between two looks at the clock. */
const PATHS_PER_LOOK = 32;

/** A file or folder of the index. */
export interface PathEntry {
  /** With forward slashes; that of a folder ends with one. */
  readonly path: string;
  /** See `letterMask`. */
  readonly mask: number;
  readonly parent: PathEntry | undefined;
  /** Number of files and folders directly in this folder; undefined for a file. */
  readonly inside: { shown: number; ignored: number } | undefined;
  /** For a folder, true when everything in it is ignored. */
  isIgnored: boolean;
  /** True when the entry was removed from the index. */
  isGone: boolean;
  /** The number of the last fill that listed the file. */
  stamp: number;
}

/** Options for a fill. */
export interface FillOptions {
  /** Prefix of every path, such as `api/` for the folder `api` of several; default none. */
  prefix?: string;
  /** True when the source also lists ignored files. Files known as not ignored stay so. Default false. */
  isIgnored?: boolean;
  signal: AbortSignal;
}

/** The files of a workspace and their folders. A folder exists as long as it has a file. Of two fills with the same prefix, the later one wins. */
export class FileIndex {
  readonly #entries = new PathMap<PathEntry>();
  /** The same entries, to go through. */
  readonly #list = new EntryList<PathEntry>();
  readonly #maxFiles: number;
  readonly #maxIgnoredFiles: number;
  #fileCount = 0;
  #ignoredCount = 0;
  #stamp = 0;
  #fills = 0;
  #revision = 0;

  constructor({ maxFiles = MAX_FILES, maxIgnoredFiles = MAX_IGNORED_FILES } = {}) {
    this.#maxFiles = maxFiles;
    this.#maxIgnoredFiles = maxIgnoredFiles;
  }

  /** Number of files, without folders. */
  get fileCount(): number {
    return this.#fileCount;
  }

  /** True while a fill is running, so that there may be more files than are known. */
  get isFilling(): boolean {
    return this.#fills > 0;
  }

  /** Increases whenever a path is added, not when one is removed. */
  get revision(): number {
    return this.#revision;
  }

  /** The entries in groups, also those that are gone. The index may change meanwhile: added entries may be missed. */
  get groups(): readonly (readonly PathEntry[])[] {
    return this.#list.groups;
  }

  /** Returns the entry of a path; that of a folder ends with a slash. */
  get(path: string): PathEntry | undefined {
    return this.#entries.get(path);
  }

  /**
   * Adds everything that a source lists, and at the end removes what it listed before but no longer does. Works in slices of some milliseconds.
   * @returns `isComplete`, true when there was room for all of it.
   * @throws what the source throws, and the signal's reason; what was added so far stays, and nothing is removed.
   */
  async fill(
    source: PathSource,
    { prefix = "", isIgnored = false, signal }: FillOptions,
  ): Promise<{ isComplete: boolean }> {
    this.#stamp += 1;
    const stamp = this.#stamp;
    this.#fills += 1;
    const slices = startSlices();
    try {
      let count = 0;
      for await (const batch of source(signal)) {
        for (const path of batch) {
          if (!this.#hasRoom(isIgnored)) return { isComplete: false };
          this.#take(prefix + path, isIgnored, stamp);
          count += 1;
          if (count % PATHS_PER_LOOK !== 0 || !slices.isOver()) continue;
          await slices.rest();
          signal.throwIfAborted();
        }
      }
      signal.throwIfAborted();
      for (const entry of this.#list.values()) {
        const isOld = entry.stamp < stamp && entry.isIgnored === isIgnored && entry.inside === undefined;
        if (isOld && entry.path.startsWith(prefix)) this.#drop(entry);
        count += 1;
        if (count % PATHS_PER_LOOK === 0 && slices.isOver()) await slices.rest();
      }
      return { isComplete: true };
    } finally {
      this.#fills -= 1;
    }
  }

  /** Adds files; known ones stay. A file in a folder whose contents are all ignored counts as ignored. */
  add(paths: Iterable<string>): void {
    for (const path of paths) {
      const isIgnored = this.#nearestFolder(path)?.isIgnored === true;
      if (this.#hasRoom(isIgnored)) this.#take(path, isIgnored, this.#stamp);
    }
  }

  /** Removes files, and folders (with or without a slash at the end) with everything in them. Unknown paths are skipped. */
  remove(paths: Iterable<string>): void {
    const folders = new Set<PathEntry>();
    for (const path of paths) {
      const file = this.#entries.get(path);
      const folder = file?.inside === undefined ? this.#entries.get(`${path}/`) : file;
      if (folder !== undefined) folders.add(folder);
      else if (file !== undefined) this.#drop(file);
    }
    if (folders.size === 0) return;
    for (const entry of this.#list.values()) {
      if (entry.inside === undefined && isWithin(entry, folders)) this.#drop(entry);
    }
  }

  clear(): void {
    for (const entry of this.#list.values()) entry.isGone = true;
    this.#entries.clear();
    this.#list.clear();
    this.#fileCount = 0;
    this.#ignoredCount = 0;
  }

  #hasRoom(isIgnored: boolean): boolean {
    return this.#fileCount < this.#maxFiles && (!isIgnored || this.#ignoredCount < this.#maxIgnoredFiles);
  }

  #take(path: string, isIgnored: boolean, stamp: number): void {
    const known = this.#entries.get(path);
    if (known !== undefined) {
      if (known.inside !== undefined || (isIgnored && !known.isIgnored)) return;
      known.stamp = stamp;
      if (!isIgnored && known.isIgnored) this.#show(known);
      return;
    }
    if (!isUsable(path)) return;
    const file = this.#insert(path, isIgnored, undefined);
    file.stamp = stamp;
    this.#fileCount += 1;
    if (isIgnored) this.#ignoredCount += 1;
  }

  #insert(path: string, isIgnored: boolean, inside: PathEntry["inside"]): PathEntry {
    const folder = folderOf(path);
    const parent =
      folder === "" ? undefined : (this.#entries.get(folder) ?? this.#insert(folder, true, { shown: 0, ignored: 0 }));
    const entry = { path, mask: letterMask(path), parent, inside, isIgnored, isGone: false, stamp: this.#stamp };
    this.#entries.set(path, entry);
    this.#list.add(entry);
    this.#revision += 1;
    this.#count(entry, 1);
    return entry;
  }

  #show(file: PathEntry): void {
    this.#count(file, -1);
    file.isIgnored = false;
    this.#ignoredCount -= 1;
    this.#count(file, 1);
  }

  #drop(file: PathEntry): void {
    this.#fileCount -= 1;
    if (file.isIgnored) this.#ignoredCount -= 1;
    this.#forget(file);
    for (let folder = file.parent; folder?.inside !== undefined; folder = folder.parent) {
      if (folder.inside.shown + folder.inside.ignored > 0) return;
      this.#forget(folder);
    }
  }

  #forget(entry: PathEntry): void {
    entry.isGone = true;
    this.#entries.delete(entry.path);
    this.#list.countGone();
    this.#count(entry, -1);
  }

  /** Updates the counts of the parent folders when an entry is added (1) or removed (-1): a folder is ignored while it has nothing shown. */
  #count(entry: PathEntry, change: 1 | -1): void {
    const folder = entry.parent;
    if (folder?.inside === undefined) return;
    if (entry.isIgnored) folder.inside.ignored += change;
    else folder.inside.shown += change;
    const isIgnored = folder.inside.shown === 0;
    if (isIgnored === folder.isIgnored) return;
    this.#count(folder, -1);
    folder.isIgnored = isIgnored;
    this.#count(folder, 1);
  }

  #nearestFolder(path: string): PathEntry | undefined {
    for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder)) {
      const entry = this.#entries.get(folder);
      if (entry !== undefined) return entry;
    }
    return undefined;
  }
}

/** Returns the parent folder of a file or folder, with its slash; empty at the top. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/", path.length - 2) + 1);
}

function isWithin(entry: PathEntry, folders: ReadonlySet<PathEntry>): boolean {
  for (let above = entry.parent; above !== undefined; above = above.parent) {
    if (folders.has(above)) return true;
  }
  return false;
}

/** True for a usable path. Names with control characters or invalid encoding could be neither shown nor written in one line. */
function isUsable(path: string): boolean {
  if (path === "" || path.length > MAX_PATH_CHARS || path.startsWith("/") || path.endsWith("/") || path.includes("//"))
    return false;
  for (let index = 0; index < path.length; index += 1) {
    const unit = path.charCodeAt(index);
    if (unit < 32 || unit === 127 || unit === 0xfffd) return false;
  }
  return true;
}
