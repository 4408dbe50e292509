import { basename, dirname, isAbsolute, join, relative } from "node:path";
import * as z from "zod";
import { decodeText, type EditFiles, failWithCode } from "../../tools/editable-file.ts";
import { kindOf } from "../../tools/file-kind.ts";
import type { FindPaths } from "../../tools/find.ts";
import type { GrepFiles } from "../../tools/grep.ts";
import { lineWindowOf } from "../../tools/line-window.ts";
import type { ListFolder } from "../../tools/ls.ts";
import type { OpenFile } from "../../tools/readable-file.ts";
import type { SaveFile } from "../../tools/write.ts";
import { resolvePath, toSlashes } from "../../util/paths.ts";
import { toBuffer } from "./command-operations.ts";
import { functionOf, functionsOf } from "./functions-of.ts";

const IGNORED = ["**/node_modules/**", "**/.git/**"];
const Names = z.array(z.string());

/** Files for `read` by the `access`, `readFile` and perhaps `detectImageMimeType` of an extension. */
export function openOver(operations: unknown): OpenFile {
  const { access, readFile } = functionsOf(operations, ["access", "readFile"]);
  const detectImageMimeType = functionOf(operations, "detectImageMimeType");
  return async (cwd, shownPath) => {
    const path = resolvePath(cwd, shownPath);
    await access(path);
    const mimeType = await detectImageMimeType?.(path);
    const bytes = toBuffer(await readFile(path));
    return {
      path,
      sizeBytes: bytes.length,
      kind: typeof mimeType === "string" && mimeType !== "" ? { kind: "image", mimeType } : kindOf(bytes),
      readAll: async () => bytes,
      readLines: async (options) => lineWindowOf(bytes, options),
    };
  };
}

/** A place for `write` by the `mkdir` and `writeFile` of an extension. */
export function saveOver(operations: unknown): SaveFile {
  const { mkdir, writeFile } = functionsOf(operations, ["mkdir", "writeFile"]);
  return async (path, content) => {
    await mkdir(dirname(path));
    await writeFile(path, content);
  };
}

/** Files for `edit` by the `access`, `readFile` and `writeFile` of an extension. */
export function editFilesOver(operations: unknown): EditFiles {
  const { access, readFile, writeFile } = functionsOf(operations, ["access", "readFile", "writeFile"]);
  return {
    locate: async (cwd, shownPath) => resolvePath(cwd, shownPath),
    async load(path, shownPath) {
      try {
        await access(path);
        return { text: decodeText(toBuffer(await readFile(path)), shownPath), isUnchanged: async () => true };
      } catch (error) {
        return failWithCode(error, shownPath);
      }
    },
    async save(path, content) {
      await writeFile(path, content);
    },
  };
}

/** Files for `grep` by the `isDirectory` and `readFile` of an extension. */
export function grepFilesOver(operations: unknown): GrepFiles {
  const { isDirectory, readFile } = functionsOf(operations, ["isDirectory", "readFile"]);
  return {
    async locate(cwd, shownPath) {
      const path = resolvePath(cwd, shownPath);
      const isFolder = await askFor(() => isDirectory(path));
      if (isFolder === undefined) throw new Error(`Path not found: ${shownPath}`);
      return { path, isFolder: Boolean(isFolder) };
    },
    async readContext(path) {
      const text = await askFor(() => readFile(path));
      return text === undefined ? undefined : toBuffer(text).toString();
    },
  };
}

/** Paths for `find` by the `exists` and `glob` of an extension. */
export function findOver(operations: unknown): FindPaths {
  const { exists, glob } = functionsOf(operations, ["exists", "glob"]);
  return async ({ cwd, shownPath, pattern, limit, signal }) => {
    const root = resolvePath(cwd, shownPath);
    if (!(await exists(root))) throw new Error(`Path not found: ${shownPath}`);
    const found = Names.parse(await glob(pattern, root, { ignore: IGNORED, limit }));
    if (signal.aborted) throw new Error("Operation aborted");
    return { paths: found.slice(0, limit).map((path) => below(root, path)), isLimitReached: found.length >= limit };
  };
}

/** Folders for `ls` by the `exists`, `stat` and `readdir` of an extension. */
export function listOver(operations: unknown): ListFolder {
  const { exists, stat, readdir } = functionsOf(operations, ["exists", "stat", "readdir"]);
  const isDirectory = async (path: string) => functionOf(await stat(path), "isDirectory")?.() === true;
  return async (cwd, shownPath) => {
    const folder = resolvePath(cwd, shownPath);
    if (!(await exists(folder))) throw new Error(`Path not found: ${shownPath}`);
    if (!(await isDirectory(folder))) throw new Error(`Not a directory: ${shownPath}`);
    return {
      names: Names.parse(await readdir(folder)),
      isFolder: async (name) => (await askFor(() => isDirectory(join(folder, name)))) === true,
    };
  };
}

/** Returns the result of a query, or undefined if it fails, because then the file doesn't exist. */
async function askFor(question: () => unknown): Promise<unknown> {
  try {
    return await question();
  } catch {
    return undefined;
  }
}

/** A found path relative to the searched folder; one of a folder keeps its slash. */
function below(root: string, path: string): string {
  if (!isAbsolute(path)) return toSlashes(path);
  const shown = toSlashes(relative(root, path)) || basename(path);
  return /[\\/]$/.test(path) ? `${shown}/` : shown;
}
