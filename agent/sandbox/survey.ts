import type { Dirent } from "node:fs";
import { readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** The number of folders that are looked at, nearest to the top first. */
const MAX_FOLDERS = 3000;
/** Folders with other people's files. */
const LEFT_OUT: ReadonlySet<string> = new Set(["node_modules", ".venv", "venv", "target", "dist", "vendor", ".cache"]);

/** What a workspace has that contained commands are kept from. */
export interface Survey {
  /** Files that may not be read. */
  secrets: string[];
  /** The `.git` folders of repositories in it. */
  repositories: string[];
}

/** Looks for secrets and repositories in a folder. Folders of packages and of build results are left out, and so is what lies deep in a huge tree. */
export async function surveyWorkspace(root: string, isSecret: (path: string) => boolean): Promise<Survey> {
  const survey: Survey = { secrets: [], repositories: [] };
  let level = [await realpath(root).catch(() => root)];
  let left = MAX_FOLDERS;
  while (level.length > 0 && left > 0) {
    const here = level.slice(0, left);
    left -= here.length;
    const lists = await Promise.all(here.map(list));
    level = lists.flatMap((entries, at) => look(here[at] ?? root, entries, isSecret, survey));
  }
  return survey;
}

/** Adds what a folder has to the survey. @returns the folders to look at next. */
function look(folder: string, entries: Dirent[], isSecret: (path: string) => boolean, survey: Survey): string[] {
  const further: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isFile() && isSecret(path)) survey.secrets.push(path);
    if (!entry.isDirectory()) continue;
    if (entry.name === ".git") survey.repositories.push(path);
    else if (!LEFT_OUT.has(entry.name)) further.push(path);
  }
  return further;
}

function list(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

/**
 * Returns the folders in which Git keeps the repository of a folder, also if that is a worktree or a submodule whose repository is elsewhere. A
 * file `.git` may name any folder, so that such a folder counts only if it names the file in turn.
 */
export async function gitFolders(root: string): Promise<string[]> {
  const file = join(root, ".git");
  const named = /^gitdir: (.+)$/m.exec(await readFile(file, "utf8").catch(() => ""))?.[1]?.trim();
  if (named === undefined) return [];
  const folder = await realpath(resolve(root, named)).catch(() => undefined);
  if (folder === undefined) return [];
  const back = (await readFile(join(folder, "gitdir"), "utf8").catch(() => "")).trim();
  if (back === "" || (await realpath(back).catch(() => "")) !== (await realpath(file))) return [];
  const common = (await readFile(join(folder, "commondir"), "utf8").catch(() => "")).trim();
  const shared = common === "" ? undefined : await realpath(resolve(folder, common)).catch(() => undefined);
  return shared === undefined || dirname(dirname(folder)) !== shared ? [folder] : [folder, shared];
}
