import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

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

  /** The content of a file as a commit has it, as it would lie on the disk; undefined when the commit has no such file. */
  async contentAt(commit: string, path: string): Promise<Buffer | undefined> {
    const name = relative(this.root, path).split(sep).join("/");
    if (name === "" || name.startsWith("../")) return undefined;
    return git(this.root, ["cat-file", "--filters", `${commit}:${name}`]);
  }

  /** Those of some paths that git ignores. */
  async ignored(paths: readonly string[]): Promise<ReadonlySet<string>> {
    if (paths.length === 0) return new Set();
    const output = await git(this.root, ["check-ignore", "-z", "--stdin"], paths.map((path) => `${path}\0`).join(""));
    return new Set((output?.toString("utf8") ?? "").split("\0").filter((path) => path !== ""));
  }
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
