import { lstat, readdir, readFile, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The end of the names of things that a contained command made where it may not. */
const SUFFIX = ".from-sandbox";
const MAX_NAMES = 100;

/** Sections and keys of Git's settings that no program is started for. Git writes these by itself. */
const PLAIN_KEYS =
  /^(core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)|user\..*|init\.defaultbranch|remote\..*\.(url|fetch|pushurl|tagopt|mirror|promisor|partialclonefilter)|branch\..*\.(remote|merge|rebase|pushremote)|extensions\.(objectformat|refstorage|partialclone)|submodule\..*\.(url|active)|pull\.rebase|push\.default)$/;

/**
 * Takes away what a command made at paths at which it may make nothing, by another name beside it.
 * @param paths at which nothing was before. @returns the paths at which something was found.
 */
export async function takeAway(paths: readonly string[]): Promise<string[]> {
  const found = await present(paths);
  await Promise.all(found.map(setAside));
  return found;
}

/** Returns the paths at which something is. One listing of a folder is faster than a look at each name. */
async function present(paths: readonly string[]): Promise<string[]> {
  const folders = [...new Set(paths.map((path) => dirname(path)))];
  const lists = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  const names = new Map(folders.map((folder, at) => [folder, new Set(lists[at])]));
  return paths.filter((path) => names.get(dirname(path))?.has(basename(path)) === true);
}

/** Takes away the settings and hooks of new repositories that would start programs. @param folders of Git. @returns the paths that had them. */
export async function disarm(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const [config, hooks] = [join(folder, "config"), join(folder, "hooks")];
      return [...((await isPlain(config)) ? [] : [config]), ...((await hasHooks(hooks)) ? [hooks] : [])];
    }),
  );
  return takeAway(found.flat());
}

async function setAside(path: string): Promise<void> {
  for (let number = 1; number <= MAX_NAMES; number += 1) {
    const aside = `${path}${SUFFIX}${number === 1 ? "" : `-${number}`}`;
    if (await isThere(aside)) continue;
    return rename(path, aside);
  }
  throw new Error(`${path} was made by a sandboxed command, and there is no free name beside it. Remove it.`);
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function isPlain(config: string): Promise<boolean> {
  const text = await readFile(config, "utf8").catch(() => "");
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
    return key !== undefined && !bare.endsWith("\\") && PLAIN_KEYS.test(`${section}.${key}`.toLowerCase());
  });
}

async function hasHooks(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => !name.endsWith(".sample"));
}
