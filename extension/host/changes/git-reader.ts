import { readFile, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import type { FileContent } from "./file-content.ts";
import { saysAttributes, withAttributes } from "./git-attributes.ts";
import { type AskGit, readCommitted } from "./git-contents.ts";
import { git } from "./git-process.ts";
import { inPieces } from "./pieces.ts";
import { holdsHome, isFileOf } from "./within.ts";

/** Folders of which one process is asked. */
const FOLDERS_AT_ONCE = 100;

/** Where a folder is in its working tree, and where git keeps what it knows of it. */
interface GitPlace {
  /** The folder, as it is called here. */
  readonly folder: string;
  /** Its name in the working tree, with a slash at the end; "" for the root. */
  readonly prefix: string;
  /** The real path of the root of the working tree. */
  readonly root: string;
  /** Whether all of the working tree is looked at; else only the folder is. */
  readonly isWhole: boolean;
  /** Where git keeps what is of this working tree. */
  readonly own: string;
  /** Where it keeps what all working trees of the repository have in common. */
  readonly shared: string;
  /** Whether files lie on the disk as executable as git has them; not on every disk they can. */
  readonly hasModes: boolean;
}

/** Reads what git knows of a folder. It changes nothing: no lock is taken, no index refreshed on the disk, no hook run. */
export class GitReader {
  readonly #place: GitPlace;

  private constructor(place: GitPlace) {
    this.#place = place;
  }

  /**
   * @param home of a working tree that holds it, as of somebody who keeps their settings in git, nothing is looked at beside the folder.
   * @returns undefined when the folder is in no working tree, or there is no git.
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

  /** Whether a file is one that can be asked for. */
  covers(path: string): boolean {
    const { folder, root, isWhole } = this.#place;
    return isFileOf(folder, path) || (isWhole && isFileOf(root, path));
  }

  /** The commit that is checked out; undefined before the first one. */
  async head(): Promise<string | undefined> {
    const { own, shared, root } = this.#place;
    const head = await readText(join(own, "HEAD"));
    const [, branch] = /^ref: (refs\/heads\/\S+)\s*$/.exec(head) ?? [];
    const known = (branch === undefined ? head : await readText(join(shared, branch))).trim();
    if (/^[0-9a-f]{40,64}$/.test(known)) return known; // by far the most frequent case, and no process
    const commit = await git(root, ["rev-parse", "--verify", "--quiet", "HEAD"]);
    return commit?.toString("utf8").trim() || undefined;
  }

  /**
   * Absolute paths of files that differ from what is checked out, and of those that git does not know and does not ignore; undefined when git
   * does not say.
   */
  async unclean(): Promise<string[] | undefined> {
    const entries = await this.#status(this.#place.isWhole ? [] : ["--", "."]);
    return entries?.map(({ path }) => path);
  }

  /**
   * Absolute paths of what git ignores in the folder: of a folder that it ignores as such, that one. Nothing where it ignores all of this one, as in
   * a home folder in which it keeps only settings.
   */
  async ignoredInside(): Promise<string[]> {
    const entries = (await this.#status(["--ignored=matching", "--", "."])) ?? [];
    const ignored = entries.filter(({ state }) => state === "!!").map(({ path }) => resolve(path));
    return ignored.filter((path) => isFileOf(this.#place.folder, path));
  }

  /**
   * The contents of files as a commit has them, as they lay on the disk, by path; those that the commit does not have are missing.
   * @param known what else is known of files that were changed, by path: of attributes, by which others lay on the disk.
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

  /** The files that a commit has in some folders, as absolute paths. */
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

  /** Those of some paths that git would ignore if it did not have them. The index, which may be large, is not read. */
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

  /** What git calls a file that is covered. */
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

/** A file of git's own; "" when it cannot be read. */
function readText(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}
