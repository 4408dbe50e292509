import { readFile, realpath } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import type { FileContent } from "./file-content.ts";
import { saysAttributes, withAttributes } from "./git-attributes.ts";
import { type AskGit, readCommitted } from "./git-contents.ts";
import { git } from "./git-process.ts";

/** Where git keeps what is of one working tree, and what all of a repository have in common. */
interface GitFolders {
  readonly own: string;
  readonly shared: string;
}

/** Reads what git knows of a folder. It changes nothing: no lock is taken, no index refreshed on the disk, no hook run. */
export class GitReader {
  /** The real path of the folder that git works in. */
  readonly root: string;

  readonly #folders: GitFolders;

  private constructor(root: string, folders: GitFolders) {
    this.root = root;
    this.#folders = folders;
  }

  /** @returns undefined when the folder is in no working tree, or there is no git. */
  static async open(folder: string): Promise<GitReader | undefined> {
    const root = await git(folder, ["rev-parse", "--show-toplevel"]);
    const text = root?.toString("utf8").trimEnd();
    if (!text) return undefined;
    const folders = await git(folder, ["rev-parse", "--git-dir", "--git-common-dir"]);
    const [own = "", shared = ""] = folders?.toString("utf8").split("\n") ?? [];
    return new GitReader(await realpath(text), { own: resolve(folder, own), shared: resolve(folder, shared) });
  }

  /** The commit that is checked out; undefined before the first one. */
  async head(): Promise<string | undefined> {
    const { own, shared } = this.#folders;
    const head = await readText(join(own, "HEAD"));
    const [, branch] = /^ref: (refs\/heads\/\S+)\s*$/.exec(head) ?? [];
    const known = (branch === undefined ? head : await readText(join(shared, branch))).trim();
    if (/^[0-9a-f]{40,64}$/.test(known)) return known; // by far the most frequent case, and no process
    const commit = await git(this.root, ["rev-parse", "--verify", "--quiet", "HEAD"]);
    return commit?.toString("utf8").trim() || undefined;
  }

  /**
   * Absolute paths of files that differ from what is checked out, and of those that git does not know and does not ignore; undefined when git
   * does not say.
   */
  async unclean(): Promise<string[] | undefined> {
    const status = await git(this.root, ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"]);
    const entries = status
      ?.toString("utf8")
      .split("\0")
      .filter((entry) => entry.length > 3);
    return entries?.map((entry) => join(this.root, entry.slice(3)));
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
    const pathOf = new Map(paths.map((path) => [this.#nameOf(path), path]));
    const names = [...pathOf.keys()].filter((name) => name !== "" && !name.startsWith("../"));
    const knownByName = [...known].map(([path, content]): [string, FileContent] => [this.#nameOf(path), content]);
    const contents = await this.#readCommitted(commit, names, knownByName);
    return new Map([...contents].map(([name, content]) => [pathOf.get(name) ?? name, content]));
  }

  /** Those of some paths that git would ignore if it did not have them. The index, which may be large, is not read. */
  async ignored(paths: readonly string[]): Promise<ReadonlySet<string>> {
    if (paths.length === 0) return new Set();
    const options = ["check-ignore", "--no-index", "-z", "--stdin"];
    const output = await git(this.root, options, paths.map((path) => `${path}\0`).join(""));
    return new Set((output?.toString("utf8") ?? "").split("\0").filter((path) => path !== ""));
  }

  async #readCommitted(commit: string, names: readonly string[], known: readonly [string, FileContent][]) {
    const ask: AskGit = (args, input) => git(this.root, args, input);
    const attributes = names.filter(saysAttributes);
    if (attributes.length === 0) return readCommitted(ask, commit, names);
    const none = attributes.map((name): [string, FileContent] => [name, null]);
    const before = new Map([...none, ...(await readCommitted(ask, commit, attributes)), ...known]);
    return withAttributes(this.root, names, before, (place) => {
      const options = ["--git-dir", this.#folders.own, "--work-tree", place];
      return readCommitted((args, input) => git(place, [...options, ...args], input), commit, names);
    });
  }

  #nameOf(path: string): string {
    return relative(this.root, path).split(sep).join("/");
  }
}

/** A file of git's own; "" when it cannot be read. */
function readText(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}
