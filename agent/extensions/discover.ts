import { readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import type { NamedResources } from "../config/resource-settings.ts";
import type { ResourceNames } from "../config/settings.ts";
import { APP_NAME } from "../protocol/envelope.ts";
import { readTextSync } from "../util/read-text.ts";

const SOURCE_FILE = /(?<!\.d)\.(ts|js|mts|mjs)$/;
const INDEX_FILES = ["index.ts", "index.js"];
const PackageFile = z.lazy(() => z.object({ pi: z.object({ extensions: z.array(z.string()) }) }));

/** The places that are searched for extensions. */
export interface ExtensionSources {
  agentDir: string;
  cwd: string;
  isProjectTrusted: boolean;
  /** The paths named in settings. */
  configured: ResourceNames;
  /** Absolute paths from the command line. */
  explicit: readonly string[];
  /** True if anything but explicit paths counts. */
  useDiscovered: boolean;
  warn(message: string): void;
}

/** The origin of an extension: the user, the project, the command line, or the agent itself. */
export type ExtensionScope = "user" | "project" | "temporary" | "bundled";

/** A module to load. */
export interface ExtensionFile {
  path: string;
  scope: ExtensionScope;
  /** The command line names it: without it the agent does not start. */
  isExplicit: boolean;
}

/** Lists the modules to load: the user's, the project's, those of the settings, those of the command line; each once. */
export function findExtensions(sources: ExtensionSources): ExtensionFile[] {
  const found = new Map<string, ExtensionFile>();
  const add = (path: string, scope: ExtensionScope) => {
    const key = realPath(path);
    const isExplicit = scope === "temporary" || found.get(key)?.isExplicit === true;
    found.set(key, { path, scope, ...found.get(key), isExplicit });
  };
  if (sources.useDiscovered) {
    const { user, project } = sources.configured;
    const own = extensionsIn(join(sources.agentDir, "extensions"));
    for (const path of own.filter(user.isWanted)) add(path, "user");
    for (const path of projectExtensions(sources)) add(path, "project");
    for (const path of namedEntryPoints(user)) add(path, "user");
    for (const path of namedEntryPoints(project)) add(path, "project");
  }
  for (const path of sources.explicit) {
    const entries = entryPoints(path);
    // A folder without any extension is kept, because loading it reports the problem.
    for (const entry of entries.length === 0 ? [path] : entries) add(entry, "temporary");
  }
  return [...found.values()];
}

/** A project's extensions run with the user's rights, so that they are not even read before the user trusts it. */
function projectExtensions({ cwd, configured, isProjectTrusted, warn }: ExtensionSources): string[] {
  const folders = [`.${APP_NAME}`, ".pi"].map((name) => join(cwd, name, "extensions"));
  const paths = folders.flatMap(extensionsIn).filter(configured.project.isWanted);
  if (isProjectTrusted || paths.length === 0) return paths;
  warn(`${paths.length} extensions in ${cwd} aren't loaded because you haven't trusted the project (--approve).`);
  return [];
}

/** Returns the paths named in settings. Missing files are kept, so that loading reports them. */
function namedEntryPoints({ paths, isWanted }: NamedResources): string[] {
  return paths.flatMap(({ path, only }) => {
    const entries = entryPoints(path).filter(isWanted);
    return only === undefined ? entries : entries.filter(only);
  });
}

/** Lists the extensions in a directory: files, and directories that are one extension or a package of several. */
function extensionsIn(folder: string): string[] {
  return readFolder(folder).flatMap((name) => {
    const path = join(folder, name);
    if (isFolder(path)) return entriesOfFolder(path) ?? [];
    return SOURCE_FILE.test(name) ? [path] : [];
  });
}

/** Resolves a configured path: a file, a directory that is one extension, or a directory of extensions. */
function entryPoints(path: string): string[] {
  if (!isFolder(path)) return [path];
  return entriesOfFolder(path) ?? extensionsIn(path);
}

function entriesOfFolder(folder: string): string[] | undefined {
  const named = packageEntries(folder);
  if (named !== undefined) return named;
  const index = INDEX_FILES.map((name) => join(folder, name)).find((path) => isFile(path));
  return index === undefined ? undefined : [index];
}

function packageEntries(folder: string): string[] | undefined {
  try {
    const read = PackageFile.safeParse(JSON.parse(readTextSync(join(folder, "package.json"))));
    return read.data?.pi.extensions.map((path) => resolve(folder, path));
  } catch {
    return undefined; // no package file, or one that is for something else
  }
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // most people have no such folder
  }
}

function isFolder(path: string): boolean {
  return statsOf(path)?.isDirectory() === true;
}

function isFile(path: string): boolean {
  return statsOf(path)?.isFile() === true;
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a link that leads back to itself, or a folder that nobody may read
  }
}

/** Returns the identity of a file, however its path is spelled. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // loading it tells what is wrong
  }
}
