import { lstat, readdir, readFile, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isSystemError } from "../util/paths.ts";
import type { SandboxPolicy } from "./policy.ts";
import { type Identity, namedGitFolder } from "./survey.ts";

/** The end of the names of things that a contained command made where it may not. */
const SUFFIX = ".from-sandbox";
const MAX_NAMES = 100;

/** Sections and keys of Git's settings that no program is started for. Git writes these by itself. */
const PLAIN_KEYS =
  /^(core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)|user\..*|init\.defaultbranch|remote\..*\.(url|fetch|pushurl|tagopt|mirror|promisor|partialclonefilter)|branch\..*\.(remote|merge|rebase|pushremote)|extensions\.(objectformat|refstorage|partialclone)|submodule\..*\.(url|active)|pull\.rebase|push\.default)$/;
/** The place of a submodule's files, from its folder in the repository: it names no program. */
const WORKTREE_KEY = "core.worktree";

/** Renames what is at some of the paths, at which nothing may be. @returns those paths. */
export async function takeAway(paths: readonly string[]): Promise<string[]> {
  const found = await present(paths);
  await Promise.all(found.map(setAside));
  return found;
}

type GitPlaces = Pick<SandboxPolicy, "repositories" | "gitLinks">;

/**
 * Takes away the settings and hooks of new repositories that would start programs, and new files that name repositories elsewhere.
 * @param before the repositories before a command. @param now those after it. @returns the paths that were renamed.
 */
export async function disarm(before: GitPlaces, now: GitPlaces): Promise<string[]> {
  const folders = made(before.repositories, now.repositories);
  const links = made(before.gitLinks, now.gitLinks);
  const known = new Set(now.repositories.map(({ path }) => path));
  const armed = await Promise.all([
    ...folders.map(armedParts),
    ...links.map(async (link) => (known.has((await namedGitFolder(link)) ?? "") ? [] : [link])),
  ]);
  return takeAway(armed.flat());
}

function made(before: readonly Identity[], now: readonly Identity[]): string[] {
  const known = new Map(before.map(({ path, inode }) => [path, inode]));
  return now.filter(({ path, inode }) => known.get(path) !== inode).map(({ path }) => path);
}

/** Returns the parts of a folder of Git's that may start programs, or lead to another folder whose settings do. */
async function armedParts(folder: string): Promise<string[]> {
  const isWorktree = basename(dirname(folder)) === "worktrees";
  const isModule = /[\\/]modules[\\/]/.test(folder);
  const plain = {
    config: (text: string) => isPlain(text, isModule),
    "config.worktree": (text: string) => isPlain(text, false),
    commondir: (text: string) => isWorktree && text.trim() === "../..",
  };
  const parts = await Promise.all(
    Object.entries(plain).map(async ([name, isHarmless]) => {
      const path = join(folder, name);
      const text = await readFile(path, "utf8").catch(() => undefined);
      return text === undefined || isHarmless(text) ? [] : [path];
    }),
  );
  const hooks = join(folder, "hooks");
  return [...parts.flat(), ...((await hasHooks(hooks)) ? [hooks] : [])];
}

/** Returns the paths at which something is. One listing of a folder is faster than a look at each name. */
async function present(paths: readonly string[]): Promise<string[]> {
  const folders = [...new Set(paths.map((path) => dirname(path)))];
  const lists = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  const names = new Map(folders.map((folder, at) => [folder, new Set(lists[at])]));
  return paths.filter((path) => names.get(dirname(path))?.has(basename(path)) === true);
}

async function setAside(path: string): Promise<void> {
  for (let number = 1; number <= MAX_NAMES; number += 1) {
    const aside = `${path}${SUFFIX}${number === 1 ? "" : `-${number}`}`;
    if (await isThere(aside)) continue;
    return rename(path, aside).catch((error: unknown) => {
      if (!isSystemError(error) || error.code !== "ENOENT") throw error; // it is gone already
    });
  }
  throw new Error(`${path} was made by a sandboxed command, and there is no free name beside it. Remove it.`);
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function isPlain(text: string, isModule: boolean): boolean {
  let section = "";
  return text.split("\n").every((line) => {
    const bare = line.trim();
    if (bare === "" || /^[#;]/.test(bare)) return true;
    const heading = /^\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]$/.exec(bare);
    if (heading !== null) {
      section = [heading[1], heading[2]].filter((part) => part !== undefined).join(".");
      return true;
    }
    const key = /^([A-Za-z][\w-]*)\s*(=.*)?$/.exec(bare)?.[1];
    if (key === undefined || bare.endsWith("\\")) return false;
    const name = `${section}.${key}`.toLowerCase();
    return PLAIN_KEYS.test(name) || (isModule && name === WORKTREE_KEY);
  });
}

async function hasHooks(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => !name.endsWith(".sample"));
}
