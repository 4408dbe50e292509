import type { Dirent } from "node:fs";
import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** The number of folders that are looked at, nearest to the top first. */
const MAX_FOLDERS = 3000;
/** Names of modules have slashes, such as `vendor/zlib`. */
const MAX_MODULE_DEPTH = 4;
/** Folders with other people's files. */
const LEFT_OUT: ReadonlySet<string> = new Set(["node_modules", ".venv", "venv", "target", "dist", "vendor", ".cache"]);

/** A file or folder; another one at its path has another number. */
export interface Identity {
  path: string;
  inode: number;
}

/** The parts of a workspace that contained commands are kept from. */
export interface Survey {
  /** Files that may not be read; some are links. */
  secrets: string[];
  /** Folders in which Git keeps repositories, worktrees, and submodules. */
  repositories: Identity[];
  /** Files and links named `.git`, which name such a folder. */
  gitLinks: Identity[];
}

/** Looks for secrets and repositories in a folder. Folders of packages and of build results are left out, and so is what lies deep in a huge tree. */
export async function surveyWorkspace(root: string, isSecret: (path: string) => boolean): Promise<Survey> {
  const found: Found = { secrets: [], repositories: [], gitLinks: [] };
  let level = [root];
  let left = MAX_FOLDERS;
  while (level.length > 0 && left > 0) {
    const here = level.slice(0, left);
    left -= here.length;
    const lists = await Promise.all(here.map(list));
    level = lists.flatMap((entries, at) => look(here[at] ?? root, entries, isSecret, found));
  }
  const inner = await Promise.all(found.repositories.map(innerRepositories));
  return {
    secrets: found.secrets,
    repositories: await identify([...found.repositories, ...inner.flat()]),
    gitLinks: await identify(found.gitLinks),
  };
}

interface Found {
  secrets: string[];
  repositories: string[];
  gitLinks: string[];
}

/** Notes the entries of a folder. @returns the folders to look at next. */
function look(folder: string, entries: Dirent[], isSecret: (path: string) => boolean, found: Found): string[] {
  const further: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.name === ".git") (entry.isDirectory() ? found.repositories : found.gitLinks).push(path);
    else if (entry.isDirectory()) {
      if (!LEFT_OUT.has(entry.name)) further.push(path);
    } else if (isSecret(path)) found.secrets.push(path);
  }
  return further;
}

/** Returns the folders of a repository's worktrees and submodules. */
async function innerRepositories(repository: string): Promise<string[]> {
  const worktrees = join(repository, "worktrees");
  const names = (await list(worktrees)).filter((entry) => entry.isDirectory()).map(({ name }) => join(worktrees, name));
  return [...names, ...(await modulesIn(join(repository, "modules"), MAX_MODULE_DEPTH))];
}

async function modulesIn(folder: string, depth: number): Promise<string[]> {
  const entries = await list(folder);
  if (entries.some(({ name }) => name === "HEAD")) return [folder, ...(await innerRepositories(folder))];
  if (depth === 0) return [];
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  return (await Promise.all(folders.map((one) => modulesIn(one, depth - 1)))).flat();
}

async function identify(paths: readonly string[]): Promise<Identity[]> {
  const found = await Promise.all(
    paths.map((path) =>
      lstat(path).then(
        ({ ino }) => ({ path, inode: ino }),
        () => undefined,
      ),
    ),
  );
  return found.filter((one) => one !== undefined);
}

function list(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

/** Returns the folder that a file named `.git` names, without links; undefined if there is none. */
export async function namedGitFolder(file: string): Promise<string | undefined> {
  const named = /^gitdir: (.+)$/m.exec(await readFile(file, "utf8").catch(() => ""))?.[1]?.trim();
  return named === undefined ? undefined : realpath(resolve(dirname(file), named)).catch(() => undefined);
}

/**
 * Returns the folders in which Git keeps the repository of a folder, if that is a worktree whose repository is elsewhere. A file `.git` may name
 * any folder, so that such a folder counts only if it names the file in turn.
 */
export async function gitFolders(root: string): Promise<string[]> {
  const file = join(root, ".git");
  const folder = await namedGitFolder(file);
  if (folder === undefined) return [];
  const back = (await readFile(join(folder, "gitdir"), "utf8").catch(() => "")).trim();
  if (back === "" || (await realpath(back).catch(() => "")) !== (await realpath(file))) return [];
  const common = (await readFile(join(folder, "commondir"), "utf8").catch(() => "")).trim();
  const shared = common === "" ? undefined : await realpath(resolve(folder, common)).catch(() => undefined);
  return shared === undefined || dirname(dirname(folder)) !== shared ? [folder] : [folder, shared];
}
