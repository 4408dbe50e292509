import type { Dirent } from "node:fs";
import { lstat, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Ignore } from "ignore";
import { toSlashes } from "../util/paths.ts";

/** An ignore file larger than this is not read. */
const MAX_IGNORE_BYTES = 1024 * 1024;

/** Options of a walk. */
export interface WalkOptions {
  /** Names of folders that are never entered and files that are never seen. */
  skip: ReadonlySet<string>;
  signal: AbortSignal;
}

/** Something below the walked folder. */
export interface WalkEntry {
  /** Relative to the walked folder, with forward slashes. */
  path: string;
  kind: "file" | "folder" | "link";
}

interface Rules {
  /** Folder that the patterns belong to. */
  folder: string;
  matcher: Ignore;
}

/**
 * Lists everything below a folder, hidden files included and ignored ones left out: `.gitignore` files count in the folder itself, above it up
 * to the repository's root, and below it. Symbolic links are listed and not followed. Names are in byte order; a folder comes before what is in it.
 * Folders that cannot be read count as empty.
 * @throws Error `Operation aborted`.
 */
export async function* walkFolder(root: string, options: WalkOptions): AsyncGenerator<WalkEntry> {
  const { default: ignore } = await import("ignore");
  const createMatcher = () => ignore({ ignorecase: false });
  yield* walk({ folder: root, prefix: "", rules: await rulesAbove(root, createMatcher), createMatcher }, options);
}

interface Level {
  folder: string;
  prefix: string;
  /** From the outermost folder to the innermost. */
  rules: readonly Rules[];
  createMatcher(): Ignore;
}

async function* walk(level: Level, options: WalkOptions): AsyncGenerator<WalkEntry> {
  if (options.signal.aborted) throw new Error("Operation aborted");
  const entries = await readdir(level.folder, { withFileTypes: true }).catch((): Dirent[] => []);
  entries.sort((a, b) => compareNames(a.name, b.name));
  const hasRules = entries.some((entry) => entry.name === ".gitignore");
  const own = hasRules ? await readRules(level.folder, level.createMatcher) : undefined;
  const rules = own === undefined ? level.rules : [...level.rules, own];
  for (const entry of entries) {
    if (options.skip.has(entry.name)) continue;
    const fullPath = join(level.folder, entry.name);
    const isDirectory = entry.isDirectory();
    if (isIgnored(rules, fullPath, isDirectory)) continue;
    const path = level.prefix + entry.name;
    const kind = isDirectory ? "folder" : entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : undefined;
    if (kind !== undefined) yield { path, kind };
    if (isDirectory) yield* walk({ ...level, folder: fullPath, prefix: `${path}/`, rules }, options);
  }
}

/** The innermost rule that says something decides. */
function isIgnored(rules: readonly Rules[], fullPath: string, isDirectory: boolean): boolean {
  for (let index = rules.length - 1; index >= 0; index--) {
    const rule = rules[index];
    if (rule === undefined) continue;
    const path = toSlashes(relative(rule.folder, fullPath));
    const { ignored, unignored } = rule.matcher.test(isDirectory ? `${path}/` : path);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

async function rulesAbove(root: string, createMatcher: () => Ignore): Promise<Rules[]> {
  const rules: Rules[] = [];
  for (let folder = root; !(await isRepositoryRoot(folder)) && dirname(folder) !== folder; ) {
    folder = dirname(folder);
    const found = await readRules(folder, createMatcher);
    // Whoever searches an ignored folder by name wants to see what is in it.
    const isRootIgnored = found?.matcher.ignores(`${toSlashes(relative(folder, root))}/`) === true;
    if (found !== undefined && !isRootIgnored) rules.unshift(found);
  }
  return rules;
}

async function readRules(folder: string, createMatcher: () => Ignore): Promise<Rules | undefined> {
  const path = join(folder, ".gitignore");
  try {
    const stats = await stat(path);
    if (!stats.isFile() || stats.size > MAX_IGNORE_BYTES) return undefined;
    return { folder, matcher: createMatcher().add(await readFile(path, "utf8")) };
  } catch {
    return undefined; // an ignore file that is not there or cannot be read ignores nothing
  }
}

async function isRepositoryRoot(folder: string): Promise<boolean> {
  return lstat(join(folder, ".git")).then(
    () => true,
    () => false,
  );
}

/** The order of the names' UTF-8 bytes, which ripgrep sorts by too. */
function compareNames(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
