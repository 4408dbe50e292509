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

/** Lists the filters in Git's settings, which Git runs on changed files, even for a status. */
const FILTERS = ["config", "--show-scope", "--name-only", "--get-regexp", "^filter\\."];
/** The scopes that are the repository's own; the others are the user's. */
const OWN_SCOPE = /^(?:local|worktree)\t/m;
/** The exit code of `git config` that finds nothing. */
const NO_MATCH = 1;

/** Resolves to the state of the repository that a folder is in; undefined outside of one, if it has filters of its own, and if Git is missing or too slow. */
export async function readGitFacts(cwd: string): Promise<GitFacts | undefined> {
  const root = repositoryFolders(cwd).at(-1) ?? cwd;
  if (!existsSync(join(root, ".git"))) return undefined;
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1" };
  const options = { cwd, env, timeout: LIMIT_MS, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true };
  const run = (args: readonly string[]) =>
    new Promise<{ code: unknown; stdout: string }>((resolve) => {
      execFile("git", args, options, (error, stdout) => resolve({ code: error === null ? 0 : error.code, stdout }));
    });
  const filters = await run(FILTERS);
  const isFree = filters.code === NO_MATCH || (filters.code === 0 && !OWN_SCOPE.test(filters.stdout));
  if (!isFree) return undefined;
  const { code, stdout } = await run([...SAFE, ...STATUS]);
  return code === 0 ? readStatus(stdout) : undefined;
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
