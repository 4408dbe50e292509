import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import { realPath } from "../../config/private-file.ts";
import { APP_NAME } from "../../protocol/envelope.ts";
import { uuidv7 } from "../../util/ids.ts";
import { crypto } from "../../util/late-node.ts";
import { toSlashes } from "../../util/paths.ts";
import type { ConsentSubject } from "./consent-desk.ts";

const MAX_FILES = 500;
const MAX_BYTES = 10_000_000;
const LEFT_OUT = new Set(["node_modules", ".git"]);
const SOURCES = [".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx", ".json"];
const IMPORT = /\b(?:from|import|require)\s*(?:\(\s*)?(["'`])(\.{1,2}(?:\/[^"'`\r\n]*)?)\1/g;

/** Part of the hash of what is too large to be compared, so that no other process takes it for the same. */
const THIS_PROCESS = uuidv7();

/**
 * Returns what the user allows with an extension of a project: its entry file, what that imports by a relative path, and so on, and all files
 * of its folder when it has one of its own. Packages, and files that it only looks for while it runs, are not among them.
 */
export function extensionSubject(path: string, cwd: string): ConsentSubject {
  const entry = realPath(path);
  const files = new ExtensionFiles();
  files.takeImports(entry);
  const folder = ownFolder(path, cwd);
  if (folder !== undefined) files.takeFolder(realPath(folder));
  return {
    kind: "extension",
    name: toSlashes(relative(cwd, path)),
    hash: files.hash(realPath(cwd)),
    runs: entry,
    details: files.isTooLarge ? ["It has too many files to remember your answer."] : [],
  };
}

/** The folder of an extension that lies in one below the project's extensions. */
function ownFolder(path: string, cwd: string): string | undefined {
  for (const folder of [`.${APP_NAME}`, ".pi"].map((name) => join(cwd, name, "extensions"))) {
    const [first, ...rest] = relative(folder, path).split(sep);
    if (first !== undefined && first !== ".." && rest.length > 0) return join(folder, first);
  }
  return undefined;
}

/** The files of one extension, with their bytes, up to a limit. */
class ExtensionFiles {
  /** By real path; one character a byte. */
  readonly #texts = new Map<string, string>();
  #bytes = 0;
  isTooLarge = false;

  /** Adds a file and what it imports. */
  takeImports(file: string): void {
    const waiting = [file];
    for (let path = waiting.pop(); path !== undefined && !this.isTooLarge; path = waiting.pop()) {
      if (this.#texts.has(path)) continue;
      const folder = dirname(path);
      for (const [, , named = ""] of this.#take(path).matchAll(IMPORT)) {
        const found = importedFile(resolve(folder, named));
        if (found !== undefined) waiting.push(realPath(found));
      }
    }
  }

  /** Adds all files of a folder and the folders below it. */
  takeFolder(folder: string): void {
    for (const entry of entriesOf(folder)) {
      if (this.isTooLarge) return;
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) this.#take(path);
      else if (!LEFT_OUT.has(entry.name)) this.takeFolder(path);
    }
  }

  /** Returns a hash of names and contents. @param project names are those below it. */
  hash(project: string): string {
    const hash = crypto().createHash("sha256");
    for (const [file, text] of [...this.#texts].sort(([one], [other]) => (one < other ? -1 : 1))) {
      hash.update(`\0${toSlashes(relative(project, file))}\0${realPath(file)}\0${text.length}\0`);
      hash.update(text, "latin1");
    }
    if (this.isTooLarge) hash.update(THIS_PROCESS);
    return hash.digest("hex");
  }

  /** @returns the text of the file. */
  #take(path: string): string {
    const known = this.#texts.get(path);
    if (known !== undefined) return known;
    this.#bytes += sizeOf(path) ?? 0;
    this.isTooLarge ||= this.#bytes > MAX_BYTES || this.#texts.size >= MAX_FILES;
    const text = this.isTooLarge ? "" : textOf(path);
    this.#texts.set(path, text);
    return text;
  }
}

/** The file that an import means: as it is named, with an ending, in place of the compiled one, or the index of a folder. */
function importedFile(path: string): string | undefined {
  const ending = extname(path);
  const withoutEnding = path.slice(0, path.length - ending.length);
  const places = [
    path,
    ...SOURCES.map((one) => path + one),
    ...(/^\.[cm]?jsx?$/.test(ending) ? SOURCES.map((one) => withoutEnding + one) : []),
    ...SOURCES.map((one) => join(path, `index${one}`)),
  ];
  return places.find((place) => sizeOf(place) !== undefined);
}

function textOf(file: string): string {
  try {
    return sizeOf(file) === undefined ? "" : readFileSync(file, "latin1");
  } catch {
    return ""; // loading it tells what is wrong
  }
}

/** @returns undefined when it is no file. */
function sizeOf(path: string): number | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() === true ? stats.size : undefined;
  } catch {
    return undefined; // a link that leads back to itself
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
