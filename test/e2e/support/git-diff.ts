import { execFileSync } from "node:child_process";

/** Runs Git in a folder and returns its output. */
export type Git = (...args: string[]) => string;

/** Runs git in a folder with an identity for commits. */
export function gitIn(folder: string): Git {
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
  return (...args) => execFileSync("git", [...who, ...args], { cwd: folder, encoding: "utf8" });
}

/** The working tree as a commit, which git keeps nowhere: what a run began with. */
export function snapshot(git: Git): string {
  git("add", "-AN");
  return git("stash", "create").trim() || git("rev-parse", "HEAD").trim();
}

/** Returns Git's changes since a commit: names with numbers of lines as the view shows them, and the first lines of hunks, from 1. */
export function gitDiff(git: Git, since: string): { rows: string[]; hunks: Record<string, number[]> } {
  git("add", "-AN");
  const stats = git("diff", "--numstat", since).trim().split("\n");
  const hunks: Record<string, number[]> = {};
  let name = "";
  for (const line of git("diff", "-U0", since).split("\n")) {
    name = /^diff --git a\/(.+) b\//.exec(line)?.[1] ?? name;
    const start = /^@@ -\S+ \+(\d+)/.exec(line)?.[1];
    if (start !== undefined) hunks[name] = [...(hunks[name] ?? []), Number(start)];
  }
  const rows = stats.map((line) => line.split("\t")).map(([added, removed, file]) => `${file} +${added} −${removed}`);
  return { rows: rows.sort(), hunks };
}
