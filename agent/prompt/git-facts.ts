import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { repositoryFolders } from "./project-files.ts";

/** The state of the project's repository. */
export interface GitFacts {
  /** Undefined if no branch is checked out. */
  branch: string | undefined;
  /** Changed, deleted, and new files; a folder of new files counts as one. */
  changedFiles: number;
}

/** The first request of a session waits for the facts; after this time it goes without them. */
const LIMIT_MS = 1000;
const MAX_OUTPUT_BYTES = 4_000_000;
const MAX_BRANCH_LENGTH = 200;

/** Git starts no program of the repository, changes nothing, asks nothing, and fetches nothing. */
const SAFE = ["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
const STATUS = ["status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--ignore-submodules=all"];

/** Resolves to the state of the repository that a folder is in; undefined outside of one, and if Git is missing or too slow. */
export function readGitFacts(cwd: string): Promise<GitFacts | undefined> {
  const root = repositoryFolders(cwd).at(-1) ?? cwd;
  if (!existsSync(join(root, ".git"))) return Promise.resolve(undefined);
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1" };
  const options = { cwd, env, timeout: LIMIT_MS, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true };
  return new Promise((resolve) => {
    execFile("git", [...SAFE, ...STATUS], options, (error, stdout) =>
      resolve(error === null ? readStatus(stdout) : undefined),
    );
  });
}

/** Reads what `git status --porcelain=v2 --branch -z` prints. */
function readStatus(output: string): GitFacts {
  const entries = output.split("\0").filter((entry) => entry !== "");
  const head = entries.find((entry) => entry.startsWith(HEAD))?.slice(HEAD.length);
  return {
    branch: head === undefined || head === "(detached)" ? undefined : head.slice(0, MAX_BRANCH_LENGTH),
    changedFiles: entries.filter((entry) => !entry.startsWith("#")).length,
  };
}

const HEAD = "# branch.head ";
