import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT, START_FOLDER } from "./paths.mjs";
import { findOnPath, run } from "./processes.mjs";
import { note } from "./report.mjs";

/** Copies the sample project, once, makes it a git repository with one commit, and resolves to its folder. */
export async function prepareSample() {
  const folder = join(START_FOLDER, "sample");
  if (!existsSync(folder)) cpSync(join(ROOT, "test/fixtures/sample-workspace"), folder, { recursive: true });
  if (existsSync(join(folder, ".git"))) return folder;
  if (!findOnPath("git")) {
    note("git is not installed, so the sample workspace is not a repository.");
    return folder;
  }
  const identity = ["-c", "user.name=Tiller sample", "-c", "user.email=sample@localhost", "-c", "commit.gpgsign=false"];
  const git = (...args) => run("git", [...identity, ...args], { cwd: folder });
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "--all");
  await git("commit", "--quiet", "--no-verify", "--message", "A todo list for the command line");
  return folder;
}
