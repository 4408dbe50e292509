import { lstat, realpath, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import {
  CACHES,
  GIT_PROTECTED,
  PROTECTED_NAMES,
  REPLACED_FOLDERS,
  SECRET_FILES,
  SECRET_FOLDERS,
  SYSTEM_SECRETS,
} from "./secret-places.ts";
import { socketPaths } from "./sockets.ts";
import { gitFolders, type Identity, surveyWorkspace } from "./survey.ts";

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

/** The rules for files: contained commands read everything and write nothing, except as said here. Paths that exist have no links. */
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
  /** Git's folders in the workspace. */
  repositories: readonly Identity[];
  /** Files and links in the workspace that name such a folder. */
  gitLinks: readonly Identity[];
}

/** Resolves the links of the places, once: what a link of the workspace leads to may be changed by a command. */
export async function settlePlaces(places: SandboxPlaces): Promise<SandboxPlaces> {
  const real = (path: string) => realpath(path).catch(() => path);
  const [home, agentDir] = await Promise.all([real(places.home), real(places.agentDir)]);
  return { ...places, roots: await existing(places.roots), home, agentDir };
}

/** Returns why nothing can be contained in a workspace: it includes what has to be kept from commands. Undefined when it can. */
export function placesProblem({ roots, home, agentDir }: SandboxPlaces): string | undefined {
  const wide = roots.find((root) => [home, agentDir].some((kept) => isIn(kept, root)));
  return wide === undefined ? undefined : `the workspace ${wide} includes your home directory or Tiller's own`;
}

/** Looks at the disk, and decides what contained commands may do. @param places without links. */
export async function readPolicy(places: SandboxPlaces): Promise<SandboxPolicy> {
  const { roots, home, agentDir } = places;
  const under = (names: readonly string[]) => names.map((name) => join(home, name));
  const caches = (places.caches ?? CACHES).map((path) => (path.startsWith("~/") ? join(home, path.slice(2)) : path));
  const secrets = [...under(SECRET_FOLDERS), ...under(SECRET_FILES), ...SYSTEM_SECRETS, agentDir, ...places.hidden];
  const surveys = await Promise.all(roots.map((root) => surveyWorkspace(root, places.isSecret)));
  const repositories = surveys.flatMap((survey) => survey.repositories);
  const gitLinks = surveys.flatMap((survey) => survey.gitLinks);
  const elsewhere = [...new Set((await Promise.all(roots.map(gitFolders))).flat())];
  const tops = [...roots, ...elsewhere, ...repositories.map(({ path }) => path)];
  const guarded = [
    ...roots.flatMap((root) => PROTECTED_NAMES.map((name) => join(root, name))),
    ...tops.slice(roots.length).flatMap((folder) => GIT_PROTECTED.map((name) => join(folder, name))),
  ];
  const [tools, hidden, links, there, absent, sockets] = await Promise.all([
    existing(caches),
    byKind([...secrets, ...surveys.flatMap((survey) => survey.secrets)]),
    byKind(gitLinks.map(({ path }) => path)),
    existing(guarded),
    missing(guarded),
    existing(await socketPaths()),
  ]);
  const writable = [...tools, ...roots, ...elsewhere.filter((folder) => !roots.some((root) => isIn(folder, root)))];
  // To talk to a socket, it needn't be writable.
  const isShown = (path: string) => isInAny(path, writable) || !isInAny(path, [...REPLACED_FOLDERS, ...hidden.folders]);
  const pinned = [...repositories.map(({ path }) => path), ...pinnedFor(there, tops)];
  return {
    writable,
    readOnly: [...there, ...links.files],
    pinned: pinned.toSorted((one, other) => one.length - other.length), // a folder comes before those in it
    emptied: hidden.folders,
    unreadable: [...hidden.files, ...sockets.filter(isShown)],
    absent,
    repositories,
    gitLinks,
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

/** Returns which of the paths that exist are folders, and which are files, with their links resolved. */
async function byKind(paths: readonly string[]): Promise<{ folders: string[]; files: string[] }> {
  const found = await existing(paths);
  const areFolders = await Promise.all(
    found.map((path) =>
      stat(path).then(
        (stats) => stats.isDirectory(),
        () => false,
      ),
    ),
  );
  const of = (isFolder: boolean) => found.filter((_, at) => areFolders[at] === isFolder);
  return { folders: of(true), files: of(false) };
}

/** True for a path that is a folder or in it. */
export function isIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`));
}

function isInAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isIn(path, folder));
}

/** Returns the paths that exist, with their links resolved. */
async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return [...new Set(found.filter((path) => path !== undefined))];
}

/** Returns the paths at which nothing is. */
async function missing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      lstat(path).then(
        () => undefined,
        () => path,
      ),
    ),
  );
  return found.filter((path) => path !== undefined);
}
