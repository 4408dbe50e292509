import { type Dirent, lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FileBytes, FileContent } from "./file-content.ts";
import { PERMISSIONS } from "./file-mode.ts";

/** Maximum number of files whose permissions and times are kept; of a larger folder, those of links and folders are. */
const MAX_STAMPS = 50_000;
/** Maximum number of entries that are looked at. */
const MAX_ENTRIES = 500_000;
/** Maximum number of entries of an ignored folder that is looked at; larger ones are left out. */
const MAX_IGNORED_ENTRIES = 200;
/** Maximum time between two turns of the event loop while a folder is looked at, in milliseconds. */
const TURN_MS = 8;

/** Folders that nobody looks into. */
const LEFT_OUT: ReadonlySet<string> = new Set([".git", "node_modules"]);

type Entry =
  | { readonly kind: "file"; readonly mode: number; readonly mtimeMs: number }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "folder"; readonly mode: number };

/** Everything below a folder as it was at one time, without contents of files. */
export class FolderLook {
  readonly folder: string;
  /** Paths of files and folders that git ignores, as it lists them: of a folder that is ignored, only the folder. */
  readonly #ignored: ReadonlySet<string>;
  /** The entries of each folder, by its path and their names. */
  readonly #entries = new Map<string, Map<string, Entry>>();
  readonly #leftOut = new Set<string>();
  /** The paths of each file that has several, by its number. */
  readonly #twins = new Map<string, string[]>();
  readonly #twinOf = new Map<string, string>();
  readonly #files: string[] = [];
  readonly #ignoredFiles: string[] = [];
  #fileCount = 0;
  #entryCount = 0;

  private constructor(folder: string, ignored: ReadonlySet<string>) {
    this.folder = folder;
    this.#ignored = ignored;
  }

  /** Looks at a folder, in turns that leave time for other work. @param ignored what git ignores; a folder without a slash at its end. */
  static async at(folder: string, ignored: ReadonlySet<string> = new Set()): Promise<FolderLook> {
    const look = new FolderLook(folder, ignored);
    const waiting = [{ path: folder, isIgnored: false }];
    let turnAt = performance.now();
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      waiting.push(...look.#take(next.path, next.isIgnored));
      if (look.isCut) return look;
      if (performance.now() - turnAt < TURN_MS) continue;
      await nextTurn();
      turnAt = performance.now();
    }
    return look;
  }

  /** True for a folder that is too large to be looked at completely. */
  get isCut(): boolean {
    return this.#entryCount > MAX_ENTRIES;
  }

  /** The paths of all folders that were looked into, this one first. */
  get folders(): Iterable<string> {
    return this.#entries.keys();
  }

  /** The paths of the files that git ignores, in folders that were looked into. */
  get ignoredFiles(): readonly string[] {
    return this.#ignoredFiles;
  }

  /** Returns the paths of all files and links; undefined when there are more than `limit`. */
  files(limit: number): readonly string[] | undefined {
    return this.isCut || this.#fileCount > limit || this.#files.length < this.#fileCount ? undefined : this.#files;
  }

  /** Returns the other paths of a file that has several (hard links). */
  twinsOf(path: string): readonly string[] {
    const number = this.#twinOf.get(path);
    return number === undefined ? [] : (this.#twins.get(number) ?? []);
  }

  /** True for a folder that is not looked into. */
  leavesOut(path: string): boolean {
    return LEFT_OUT.has(basename(path)) || this.#leftOut.has(path);
  }

  /** Makes a folder one that is not looked into. */
  leaveOut(path: string): void {
    this.#leftOut.add(path);
  }

  /** Returns a folder or link as it was; undefined for anything else. */
  entryAt(path: string): FileContent | undefined {
    const entry = this.#entryOf(path);
    if (entry?.kind === "link") return { link: entry.target };
    return entry?.kind === "folder" ? { folder: entry.mode } : undefined;
  }

  /** Returns the permissions and time of a file as they were; undefined when they are unknown. */
  stampOf(path: string): Pick<FileBytes, "mode" | "mtimeMs"> | undefined {
    const entry = this.#entryOf(path);
    return entry?.kind === "file" ? { mode: entry.mode, mtimeMs: entry.mtimeMs } : undefined;
  }

  /** Returns all paths that were below a folder. */
  *pathsIn(folder: string): Generator<string> {
    for (const [name, { kind }] of this.#entries.get(folder) ?? []) {
      const path = join(folder, name);
      yield path;
      if (kind === "folder") yield* this.pathsIn(path);
    }
  }

  #entryOf(path: string): Entry | undefined {
    return this.#entries.get(dirname(path))?.get(basename(path));
  }

  /** Takes the entries of one folder. @returns the folders among them that are to be looked into. */
  #take(folder: string, isIgnored: boolean): { path: string; isIgnored: boolean }[] {
    const entries = new Map<string, Entry>();
    const folders: { path: string; isIgnored: boolean }[] = [];
    this.#entries.set(folder, entries);
    for (const found of entriesIn(folder)) {
      const path = join(folder, found.name);
      if (LEFT_OUT.has(found.name)) continue;
      this.#entryCount += 1;
      const isNowIgnored = isIgnored || this.#ignored.has(path);
      if (found.isFile() && !isNowIgnored && this.#fileCount >= MAX_STAMPS) {
        this.#fileCount += 1;
        continue;
      }
      const stats = statsOf(path);
      const entry = stats && entryFrom(path, stats);
      if (stats === undefined || entry === undefined) continue;
      if (entry.kind !== "folder") this.#takeFile(path, stats, isNowIgnored);
      else if (isNowIgnored && !isIgnored && isLarge(path)) {
        this.#leftOut.add(path);
        continue;
      } else folders.push({ path, isIgnored: isNowIgnored });
      entries.set(found.name, entry);
    }
    return folders;
  }

  #takeFile(path: string, stats: Stats, isIgnored: boolean): void {
    if (isHardLinked(stats)) {
      const number = `${stats.dev}:${stats.ino}`;
      this.#twins.set(number, [...(this.#twins.get(number) ?? []), path]);
      this.#twinOf.set(path, number);
    }
    if (isIgnored) {
      this.#ignoredFiles.push(path);
      return;
    }
    this.#fileCount += 1;
    this.#files.push(path);
  }
}

/** True for a file that has several paths. */
export function isHardLinked(stats: Stats): boolean {
  return stats.isFile() && stats.nlink > 1;
}

function entryFrom(path: string, stats: Stats): Entry | undefined {
  const mode = stats.mode & PERMISSIONS;
  if (stats.isDirectory()) return { kind: "folder", mode };
  if (stats.isSymbolicLink()) return linkAt(path);
  return stats.isFile() ? { kind: "file", mode, mtimeMs: stats.mtimeMs } : undefined;
}

function linkAt(path: string): Entry | undefined {
  try {
    return { kind: "link", target: readlinkSync(path) };
  } catch {
    return undefined; // gone meanwhile
  }
}

function isLarge(folder: string): boolean {
  let count = 0;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const entry of entriesIn(next)) {
      count += 1;
      if (count > MAX_IGNORED_ENTRIES) return true;
      if (entry.isDirectory()) waiting.push(join(next, entry.name));
    }
  }
  return false;
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // gone meanwhile, or not readable
  }
}

/** Returns the facts about what stands at a path; undefined when nothing does. */
export function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // what is above it is no longer a folder, or not readable
  }
}
