import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { errorMessage } from "../protocol/errors.ts";
import { formatSize } from "../util/truncate.ts";

/** A template or skill of more bytes is not read: it would fill the model's window. */
const MAX_FILE_BYTES = 256 * 1024;
/** Searching for skills ends after as many folders, */
const MAX_FOLDERS = 1000;
/** and never goes deeper than this below the place. */
const MAX_DEPTH = 8;
/** More warnings than this are not told. */
const MAX_WARNINGS = 200;

/** The file that a folder is a skill by. */
export const SKILL_FILE = "SKILL.md";

/** Tells people something. */
export type Warn = (message: string) => void;

/** Tells each thing once: what is looked at again and again stays as wrong as it was. */
export function warnOnce(warn: Warn): Warn {
  const told = new Set<string>();
  return (message) => {
    if (told.has(message) || told.size === MAX_WARNINGS) return;
    told.add(message);
    warn(message);
  };
}

/**
 * Reads a Markdown file.
 * @throws Error when it is not there, no file or too large.
 */
export async function readMarkdown(path: string): Promise<string> {
  const stats = await stat(path);
  if (!stats.isFile()) throw new Error("it isn't a file");
  if (stats.size > MAX_FILE_BYTES) throw new Error(`it's larger than ${formatSize(MAX_FILE_BYTES)}`);
  return readFile(path, "utf8");
}

/** The Markdown files of a folder, by name, or the file itself. Nothing when it does not exist. */
export async function findMarkdownFiles(place: string, warn: Warn): Promise<string[]> {
  if (await isFile(place)) return place.endsWith(".md") ? [place] : [];
  const entries = await readFolder(place, warn);
  return entries
    .filter(({ name }) => name.endsWith(".md") && !name.startsWith("."))
    .map(({ name }) => join(place, name))
    .sort();
}

/**
 * The `SKILL.md` files of a folder and of all folders below it, upper ones first, or the file itself. Links to folders are followed, each
 * folder once; hidden folders and `node_modules` are passed over. Nothing when it does not exist.
 */
export async function findSkillFiles(place: string, warn: Warn): Promise<string[]> {
  if (await isFile(place)) return place.endsWith(".md") ? [place] : [];
  const found: string[] = [];
  const seen = new Set<string>();
  const waiting = [{ folder: place, depth: 0 }];
  for (const { folder, depth } of waiting) {
    const real = await realpath(folder).catch(() => undefined);
    if (real === undefined || seen.has(real)) continue;
    if (seen.size === MAX_FOLDERS) {
      warn(`${place} has more than ${MAX_FOLDERS} folders: skills in the others are not found.`);
      break;
    }
    seen.add(real);
    const entries = await readFolder(folder, warn);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (entry.name === SKILL_FILE) found.push(join(folder, entry.name));
      else if (depth < MAX_DEPTH && canHoldSkills(entry)) {
        waiting.push({ folder: join(folder, entry.name), depth: depth + 1 });
      }
    }
  }
  return found;
}

/** Values parsed from files, parsed again only for changed files. Call it with all files every time. */
export function rememberByFile<T>(make: (path: string) => Promise<T>): (paths: readonly string[]) => Promise<T[]> {
  let known = new Map<string, { stamp: string; value: T }>();
  return async (paths) => {
    const current = new Map<string, { stamp: string; value: T }>();
    const values: T[] = [];
    for (const path of paths) {
      const stamp = await stampOf(path);
      const old = known.get(path);
      const item = old?.stamp === stamp ? old : { stamp, value: await make(path) };
      current.set(path, item);
      values.push(item.value);
    }
    known = current;
    return values;
  };
}

/** True if two paths lead to one file, by way of links. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => realpath(path).catch(() => path)));
  return a === b;
}

/** The name of a file without `.md`. */
export function nameOfMarkdown(path: string): string {
  return basename(path, ".md");
}

function canHoldSkills(entry: { name: string; isDirectory(): boolean; isSymbolicLink(): boolean }): boolean {
  if (entry.name.startsWith(".") || entry.name === "node_modules") return false;
  return entry.isDirectory() || entry.isSymbolicLink();
}

async function readFolder(folder: string, warn: Warn) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (!isAbsent(error)) warn(`${folder} can't be read: ${errorMessage(error)}`);
    return [];
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

async function stampOf(path: string): Promise<string> {
  return stat(path).then(
    ({ ino, size, mtimeMs, ctimeMs }) => `${ino} ${size} ${mtimeMs} ${ctimeMs}`,
    () => "missing",
  );
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
