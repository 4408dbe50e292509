import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  branchChanges,
  changesBlock,
  commitsSince,
  recentMessages,
  stagedChanges,
  uncommittedChanges,
} from "../../../../extension/doors/source-control/git-diffs.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tiller-diffs-"));
  git("init", "--quiet", "--initial-branch=main");
});
afterEach(() => rm(root, { recursive: true }));

function git(...args: string[]): void {
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...who, ...args], { cwd: root });
}

const put = (name: string, text: string) => writeFile(join(root, name), text);

async function commit(name: string, text: string, message: string): Promise<void> {
  await put(name, text);
  git("add", name);
  git("commit", "--quiet", "-m", message);
}

describe("changes", () => {
  test("that are staged leave out the others", async () => {
    await commit("a.txt", "one\n", "Begin");
    await put("a.txt", "one\ntwo\n");
    git("add", "a.txt");
    await put("a.txt", "one\ntwo\nthree\n");
    const { paths, diff } = await stagedChanges(root);
    expect(paths).toEqual(["a.txt"]);
    expect(diff).toContain("+two\n");
    expect(diff).not.toContain("three");
  });

  test("that are uncommitted include new files, with their text, before the first commit too", async () => {
    await put("new file.txt", "hello\nworld");
    const before = await uncommittedChanges(root);
    expect(before).toMatchObject({ paths: ["new file.txt"], diff: expect.stringContaining("+hello\n+world\n") });
    await commit("a.txt", "one\n", "Begin");
    await put("a.txt", "two\n");
    const { paths, diff } = await uncommittedChanges(root);
    expect(paths).toEqual(["a.txt", "new file.txt"]);
    expect(diff).toContain("-one\n+two\n");
    expect(diff).toContain("+++ b/new file.txt\n+hello\n");
  });

  test("of a branch are those since it left its base, with its commits", async () => {
    await commit("a.txt", "one\n", "Begin");
    git("checkout", "--quiet", "-b", "side");
    await commit("b.txt", "side\n", "Add b");
    await commit("c.txt", "side\n", "Add c\n\nIt is needed.");
    git("checkout", "--quiet", "main");
    await commit("a.txt", "other\n", "Go on");
    git("checkout", "--quiet", "side");
    expect((await branchChanges(root, "main")).paths).toEqual(["b.txt", "c.txt"]);
    expect(await commitsSince(root, "main")).toMatch(/^- Add b\n[\s\S]*- Add c\n {2}It is needed\./);
    expect(await recentMessages(root)).toBe("Recent messages:\n- Add c\n- Add b\n- Begin\n\n");
  });

  test("in files that look like secrets are named, not shown", async () => {
    await commit(".env", "KEY=1\n", "Begin");
    await put(".env", "KEY=2\n");
    await put("id_rsa", "PRIVATE\n");
    const { diff, secrets } = await uncommittedChanges(root);
    expect(secrets).toEqual([".env", "id_rsa"]);
    expect(diff).not.toMatch(/KEY|PRIVATE/);
  });

  test("of a folder without a repository are an error for people", async () => {
    await rm(join(root, ".git"), { recursive: true });
    await expect(stagedChanges(root)).rejects.toThrow(`Git couldn't list the changes in ${root}.`);
  });
});

describe("a block of changes", () => {
  test("cuts a long file, so that the others fit, and says so", () => {
    const part = (name: string, lines: number) => `diff --git a/${name} b/${name}\n${"+line of text\n".repeat(lines)}`;
    const diff = part("long.lock", 5_000) + part("short.ts", 2);
    const { content, meta } = changesBlock({ paths: ["long.lock", "short.ts"], diff, secrets: [".env"] }, "Head\n");
    expect(content).toMatch(
      /^Head\nChanged files:\n- long\.lock\n- short\.ts\n\[Left out, files look like secrets: \.env\]/,
    );
    expect(content).toContain("[The rest of this file's changes is left out.]\ndiff --git a/short.ts b/short.ts\n");
    expect(meta).not.toHaveProperty("cut");
  });

  test("says when the whole is cut", () => {
    const diff = Array.from(
      { length: 30 },
      (_, at) => `diff --git a/${at} b/${at}\n${"+some text\n".repeat(900)}`,
    ).join("");
    const { content, meta } = changesBlock({ paths: [], diff, secrets: [] });
    expect(content.length).toBeLessThanOrEqual(50 * 1024);
    expect(meta).toHaveProperty("cut", expect.stringContaining("Cut: the first"));
  });
});
