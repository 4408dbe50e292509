import { lstat, realpath, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import {
  CACHES,
  GIT_PROTECTED,
  PROTECTED_NAMES,
  SECRET_FILES,
  SECRET_FOLDERS,
  SYSTEM_SECRETS,
} from "./secret-places.ts";
import { gitFolders, surveyWorkspace } from "./survey.ts";

/** The places that a sandbox is made for; the paths are absolute. */
export interface SandboxPlaces {
  /** The folders of the workspace; the first is the working directory. */
  roots: readonly string[];
  home: string;
  agentDir: string;
  /** Folders beside the workspace that can be written; undefined for the usual caches. `~` is the home folder. */
  caches: readonly string[] | undefined;
  /** Files and folders anywhere that commands may not read. */
  hidden: readonly string[];
  /** True for a file of the workspace that commands may not read. */
  isSecret(path: string): boolean;
}

/** What contained commands may do with files: they read everything and write nothing, except as said here. All paths exist, without links. */
export interface SandboxPolicy {
  writable: readonly string[];
  /** Files and folders in writable ones that can only be read. */
  readOnly: readonly string[];
  /** Folders that hold such files, and can't be renamed. */
  pinned: readonly string[];
  /** Folders that look empty. */
  emptied: readonly string[];
  /** Files that can't be read. */
  unreadable: readonly string[];
  /** Paths in the workspace that don't exist, and that no contained command may make. */
  absent: readonly string[];
  /** The `.git` folders in the workspace. */
  repositories: readonly Repository[];
}

/** A `.git` folder; another one at its path has another number. */
export interface Repository {
  folder: string;
  inode: number;
}

/** Returns why nothing can be contained in a workspace: it includes what has to be kept from commands. Undefined when it can. */
export function placesProblem({ roots, home, agentDir }: SandboxPlaces): string | undefined {
  const wide = roots.find((root) => [home, agentDir].some((kept) => isIn(kept, root)));
  return wide === undefined ? undefined : `the workspace ${wide} includes your home directory or Tiller's own`;
}

/** Looks at the disk, and decides what contained commands may do. */
export async function readPolicy(places: SandboxPlaces): Promise<SandboxPolicy> {
  const { home, agentDir } = places;
  const under = (names: readonly string[]) => names.map((name) => join(home, name));
  const caches = (places.caches ?? CACHES).map((path) => (path.startsWith("~/") ? join(home, path.slice(2)) : path));
  const hidden = await sorted(places.hidden);
  const [roots, tools, emptied, unreadable, surveys] = await Promise.all([
    existing(places.roots),
    existing(caches),
    existing([...under(SECRET_FOLDERS), agentDir, ...hidden.folders]),
    existing([...under(SECRET_FILES), ...SYSTEM_SECRETS, ...hidden.files]),
    Promise.all(places.roots.map((root) => surveyWorkspace(root, places.isSecret))),
  ]);
  const folders = [...new Set((await Promise.all(places.roots.map(gitFolders))).flat())];
  const inWorkspace = surveys.flatMap((survey) => survey.repositories);
  const guarded = [
    ...roots.flatMap((root) => PROTECTED_NAMES.map((name) => join(root, name))),
    ...[...folders, ...inWorkspace].flatMap((folder) => GIT_PROTECTED.map((name) => join(folder, name))),
  ];
  const there = await existing(guarded);
  const outside = folders.filter((folder) => !roots.some((root) => isIn(folder, root)));
  return {
    writable: [...tools, ...roots, ...outside],
    readOnly: there,
    pinned: [...inWorkspace, ...pinnedFor(there, [...roots, ...folders, ...inWorkspace])],
    emptied,
    unreadable: [...unreadable, ...surveys.flatMap(({ secrets }) => secrets)],
    absent: await missing(guarded),
    repositories: (await Promise.all(inWorkspace.map(identify))).filter((one) => one !== undefined),
  };
}

/** Returns the folders between paths and the nearest of some tops, which are not among them. */
function pinnedFor(paths: readonly string[], tops: readonly string[]): string[] {
  const pinned = new Set<string>();
  for (const path of paths) {
    if (!tops.some((top) => isIn(path, top))) continue;
    for (let folder = dirname(path); !tops.includes(folder); folder = dirname(folder)) pinned.add(folder);
  }
  return [...pinned];
}

/** Returns which of the paths that exist are folders, and which are files. */
async function sorted(paths: readonly string[]): Promise<{ folders: string[]; files: string[] }> {
  const found = await Promise.all(
    paths.map(async (path) => ({
      path,
      isFolder: await stat(path).then(
        (stats) => stats.isDirectory(),
        () => false,
      ),
    })),
  );
  const of = (isFolder: boolean) => found.filter((one) => one.isFolder === isFolder).map(({ path }) => path);
  return { folders: of(true), files: of(false) };
}

async function identify(folder: string): Promise<Repository | undefined> {
  return lstat(folder).then(
    ({ ino }) => ({ folder, inode: ino }),
    () => undefined,
  );
}

/** True for a path that is a folder or in it. */
export function isIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`));
}

/** Returns the paths that exist, with their links resolved. */
export async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return [...new Set(found.filter((path) => path !== undefined))];
}

/** Returns the paths at which nothing is, though their folder is there. */
async function missing(paths: readonly string[]): Promise<string[]> {
  const isThere = (path: string) =>
    lstat(path).then(
      () => true,
      () => false,
    );
  const found = await Promise.all(
    paths.map(async (path) => (!(await isThere(path)) && (await isThere(dirname(path))) ? path : undefined)),
  );
  return found.filter((path) => path !== undefined);
}
