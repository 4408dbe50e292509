import { execFile } from "node:child_process";
import { readFile, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

/** Files of which one process is asked at a time. */
const READ_AT_ONCE = 100;

interface Named {
  readonly path: string;
  readonly name: string;
}

/** A content that git keeps; `whole` is all that is printed of it. */
interface GitObject {
  readonly id: string;
  readonly content: Buffer;
  readonly whole: Buffer;
}

/** Reads what git knows of a folder. It changes nothing: no lock is taken, no index refreshed on the disk, no hook run. */
export class GitReader {
  /** The real path of the folder that git works in. */
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** @returns undefined when the folder is in no working tree, or there is no git. */
  static async open(folder: string): Promise<GitReader | undefined> {
    const root = await git(folder, ["rev-parse", "--show-toplevel"]);
    const text = root?.toString("utf8").trimEnd();
    return text ? new GitReader(await realpath(text)) : undefined;
  }

  /** The commit that is checked out; undefined before the first one. */
  async head(): Promise<string | undefined> {
    const [, ref] = /^ref: (refs\/\S+)\s*$/.exec(await this.#read("HEAD")) ?? [];
    const known = ref === undefined ? "" : (await this.#read(ref)).trim();
    if (/^[0-9a-f]{40,64}$/.test(known)) return known; // by far the most frequent case, and no process
    const commit = await git(this.root, ["rev-parse", "--verify", "--quiet", "HEAD"]);
    return commit?.toString("utf8").trim() || undefined;
  }

  /** A file of git's own; "" when it is somewhere else, as in a linked working tree. */
  #read(name: string): Promise<string> {
    return readFile(join(this.root, ".git", name), "utf8").catch(() => "");
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

  /** The contents of files as a commit has them, as they would lie on the disk, by path; those that the commit does not have are missing. */
  async contentsAt(commit: string, paths: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    const named = paths
      .map((path) => ({ path, name: relative(this.root, path).split(sep).join("/") }))
      .filter(({ name }) => name !== "" && !name.startsWith("../"));
    const contents = new Map<string, Buffer>();
    for (let at = 0; at < named.length; at += READ_AT_ONCE) {
      const some = named.slice(at, at + READ_AT_ONCE);
      const objects = await this.#readTogether(commit, some);
      for (const [index, { path, name }] of some.entries()) {
        const content = objects
          ? objects[index]?.content
          : await git(this.root, ["cat-file", "--filters", `${commit}:${name}`]);
        if (content !== undefined) contents.set(path, content);
      }
    }
    return contents;
  }

  /**
   * Contents in the order of `files`, read by two processes; undefined when they have to be read one by one, because the files lie on the
   * disk in another form than git keeps them in, and git does not say how long that is.
   */
  async #readTogether(commit: string, files: readonly Named[]): Promise<(GitObject | undefined)[] | undefined> {
    if (files.some(({ name }) => name.includes("\n"))) return undefined;
    const kept = await git(this.root, ["cat-file", "--batch"], files.map(({ name }) => `${commit}:${name}\n`).join(""));
    const objects = kept && parseObjects(kept, files.length);
    if (objects === undefined) return undefined;
    const known = files.flatMap(({ name }, index) => objects[index]?.id.concat(" ", name, "\n") ?? []);
    const whole = Buffer.concat(objects.flatMap((object) => object?.whole ?? []));
    const onDisk = await git(this.root, ["cat-file", "--batch", "--filters"], known.join(""));
    return onDisk?.equals(whole) === true ? objects : undefined;
  }

  /** Those of some paths that git would ignore if it did not have them. The index, which may be large, is not read. */
  async ignored(paths: readonly string[]): Promise<ReadonlySet<string>> {
    if (paths.length === 0) return new Set();
    const options = ["check-ignore", "--no-index", "-z", "--stdin"];
    const output = await git(this.root, options, paths.map((path) => `${path}\0`).join(""));
    return new Set((output?.toString("utf8") ?? "").split("\0").filter((path) => path !== ""));
  }
}

/** What `cat-file --batch` prints for some names: for each a line, and what it says the length of. @returns files only. */
function parseObjects(output: Buffer, count: number): (GitObject | undefined)[] {
  const objects: (GitObject | undefined)[] = [];
  for (let at = 0; objects.length < count; ) {
    const end = output.indexOf("\n", at);
    if (end === -1) break;
    const [, id = "", type, size] = /^(\w+) (\w+) (\d+)$/.exec(output.toString("utf8", at, end)) ?? [];
    const next = size === undefined ? end + 1 : end + 1 + Number(size) + 1;
    const content = output.subarray(end + 1, next - 1);
    objects.push(type === "blob" ? { id, content, whole: output.subarray(at, next) } : undefined);
    at = next;
  }
  return objects;
}

/** What git prints; undefined when it fails. */
function git(cwd: string, args: readonly string[], input = ""): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const child = execFile(
      "git",
      ["--no-optional-locks", "-c", "core.quotepath=false", "-c", "core.fsmonitor=false", ...args],
      { cwd, encoding: "buffer", timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true },
      (error, stdout) => resolve(error === null ? stdout : undefined),
    );
    child.stdin?.on("error", () => undefined); // a git that does not run takes no input
    child.stdin?.end(input);
  });
}
