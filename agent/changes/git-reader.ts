import { readFile, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import type { FileContent } from "./file-content.ts";
import { saysAttributes, withAttributes } from "./git-attributes.ts";
import { type AskGit, readCommitted } from "./git-contents.ts";
import { git } from "./git-process.ts";
import { inPieces } from "./pieces.ts";
import { holdsHome, isFileOf } from "./within.ts";

/** Number of folders listed by one process. */
const FOLDERS_AT_ONCE = 100;

/** The position of a folder in its working tree, and the paths of its git data. */
interface GitPlace {
  /** The folder, as the caller names it. */
  readonly folder: string;
  /** Its path in the working tree, with a slash at the end; "" for the root. */
  readonly prefix: string;
  /** The real path of the root of the working tree. */
  readonly root: string;
  /** True when the whole working tree is covered; else only the folder is. */
  readonly isWhole: boolean;
  /** The git folder of this working tree. */
  readonly own: string;
  /** The git folder that all working trees of the repository share. */
  readonly shared: string;
  /** True when the executable bits on the disk are those in git; some file systems have none. */
  readonly hasModes: boolean;
}

/** Reads a folder's git data without changing it: takes no lock, does not refresh the index, runs no hook. */
export class GitReader {
  readonly #place: GitPlace;

  private constructor(place: GitPlace) {
    this.#place = place;
  }

  /**
   * @param home when the working tree contains it, as with settings kept in git, only the folder is covered.
   * @returns undefined when the folder is not in a working tree, or git is missing.
   */
  static async open(folder: string, home = homedir()): Promise<GitReader | undefined> {
    const lineOf = async (question: string) =>
      (await git(folder, ["rev-parse", question]))?.toString("utf8").slice(0, -1);
    const root = await lineOf("--show-toplevel");
    if (!root) return undefined;
    const [prefix = "", own = "", shared = ""] = await Promise.all(
      ["--show-prefix", "--git-dir", "--git-common-dir"].map(lineOf),
    );
    const real = await realpath(folder);
    const asksModes = await git(folder, ["config", "--type=bool", "core.fileMode"]);
    return new GitReader({
      folder,
      prefix,
      root: await realpath(root),
      isWhole: !(await holdsHome(root, home)),
      own: resolve(real, own),
      shared: resolve(real, shared),
      hasModes: asksModes?.toString("utf8").trim() !== "false",
    });
  }

  /** True when the reader covers a file. */
  covers(path: string): boolean {
    const { folder, root, isWhole } = this.#place;
    return isFileOf(folder, path) || (isWhole && isFileOf(root, path));
  }

  /** Returns the commit that is checked out; undefined before the first one. */
  async head(): Promise<string | undefined> {
    const { own, shared, root } = this.#place;
    const head = await readText(join(own, "HEAD"));
    const [, branch] = /^ref: (refs\/heads\/\S+)\s*$/.exec(head) ?? [];
    const known = (branch === undefined ? head : await readText(join(shared, branch))).trim();
    if (/^[0-9a-f]{40,64}$/.test(known)) return known; // the usual case, and without a process
    const commit = await git(root, ["rev-parse", "--verify", "--quiet", "HEAD"]);
    return commit?.toString("utf8").trim() || undefined;
  }

  /** Returns the absolute paths of files that differ from the commit, or are untracked and not ignored; undefined when git fails. */
  async unclean(): Promise<string[] | undefined> {
    const entries = await this.#status(this.#place.isWhole ? [] : ["--", "."]);
    return entries?.map(({ path }) => path);
  }

  /** Returns the absolute paths of tracked files whose content is not that of a commit. */
  async differingFrom(commit: string): Promise<string[]> {
    const { root, isWhole, folder } = this.#place;
    const limits = isWhole ? [] : ["--", folder];
    const output = await git(root, ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", commit, ...limits]);
    const names = output?.toString("utf8").split("\0") ?? [];
    return names.filter((name) => name !== "").map((name) => this.#pathOf(name));
  }

  /** Returns the absolute paths that git ignores; of an ignored folder, only the folder. Empty when git fails. */
  async ignoredPaths(): Promise<string[]> {
    const entries = await this.#status(["--ignored=matching", ...(this.#place.isWhole ? [] : ["--", "."])]);
    return (entries ?? []).flatMap(({ state, path }) => (state === "!!" ? [resolve(path)] : []));
  }

  /**
   * Returns the absolute paths that git ignores in the folder; an ignored subfolder as one. Empty when the whole folder
   * is ignored, as in a home folder where git tracks only settings.
   */
  async ignoredInside(): Promise<string[]> {
    const entries = (await this.#status(["--ignored=matching", "--", "."])) ?? [];
    const ignored = entries.filter(({ state }) => state === "!!").map(({ path }) => resolve(path));
    return ignored.filter((path) => isFileOf(this.#place.folder, path));
  }

  /**
   * Returns contents of files in a commit, as they were checked out, by path, without files that the commit does not have.
   * @param known contents of changed files by path: git attributes among them decide how others were checked out.
   */
  async contentsAt(
    commit: string,
    paths: readonly string[],
    known: ReadonlyMap<string, FileContent>,
  ): Promise<ReadonlyMap<string, FileContent>> {
    const names = paths.map((path) => this.#nameOf(path));
    const knownByName = [...known].map(([path, content]): [string, FileContent] => [this.#nameOf(path), content]);
    const contents = await this.#readCommitted(commit, names, knownByName);
    return new Map([...contents].map(([name, content]) => [this.#pathOf(name), content]));
  }

  /** Returns the absolute paths of the files that a commit has in some folders. */
  async filesIn(commit: string, folders: readonly string[]): Promise<string[]> {
    const files: string[] = [];
    for (const some of inPieces(folders, FOLDERS_AT_ONCE)) {
      const names = some.map((folder) => this.#nameOf(folder));
      const options = ["-r", "-z", "--name-only", "--full-tree"];
      const output = await git(this.#place.root, [
        "--literal-pathspecs",
        "ls-tree",
        ...options,
        commit,
        "--",
        ...names,
      ]);
      const found = output?.toString("utf8").split("\0") ?? [];
      files.push(...found.filter((name) => name !== "").map((name) => this.#pathOf(name)));
    }
    return files;
  }

  /** Returns the paths that git would ignore if they were untracked. Does not read the index, which may be large. */
  async ignored(paths: readonly string[]): Promise<ReadonlySet<string>> {
    if (paths.length === 0) return new Set();
    const { root } = this.#place;
    const places = paths.map((path) => join(root, this.#nameOf(path)));
    const output = await git(
      root,
      ["check-ignore", "--no-index", "-z", "--stdin"],
      places.map((place) => `${place}\0`).join(""),
    );
    const ignored = new Set(output?.toString("utf8").split("\0"));
    return new Set(paths.filter((_, index) => ignored.has(places[index] ?? "")));
  }

  async #status(more: readonly string[]) {
    const options = ["--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"];
    const status = await git(this.#place.folder, ["status", ...options, ...more]);
    const entries = status
      ?.toString("utf8")
      .split("\0")
      .filter((entry) => entry.length > 3);
    return entries?.map((entry) => ({ state: entry.slice(0, 2), path: this.#pathOf(entry.slice(3)) }));
  }

  async #readCommitted(commit: string, names: readonly string[], known: readonly [string, FileContent][]) {
    const { root, own, hasModes } = this.#place;
    const ask: AskGit = (args, input) => git(root, args, input);
    const source = { ask, commit, hasModes };
    const attributes = names.filter(saysAttributes);
    if (attributes.length === 0) return readCommitted(source, names);
    const none = attributes.map((name): [string, FileContent] => [name, null]);
    const before = new Map([...none, ...(await readCommitted(source, attributes)), ...known]);
    return withAttributes(root, names, before, (place) => {
      const options = ["--git-dir", own, "--work-tree", place];
      return readCommitted({ ...source, ask: (args, input) => git(place, [...options, ...args], input) }, names);
    });
  }

  /** Returns the git name of a covered file. */
  #nameOf(path: string): string {
    const { folder, prefix, root } = this.#place;
    const name = isFileOf(folder, path) ? prefix + relative(folder, path) : relative(root, path);
    return name.split(sep).join("/");
  }

  #pathOf(name: string): string {
    const { folder, prefix, root } = this.#place;
    return name.startsWith(prefix) ? join(folder, name.slice(prefix.length)) : join(root, name);
  }
}

/** Reads a file of git's own; "" when it cannot be read. */
function readText(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}
