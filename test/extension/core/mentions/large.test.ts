import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileIndex } from "../../../../extension/core/mentions/file-index.ts";
import { PathSearch } from "../../../../extension/core/mentions/path-search.ts";
import { gitFiles } from "../../../../extension/core/mentions/path-sources.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller-large-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Returns Git's output. An exit code for "nothing found" is no failure here. */
async function git(args: readonly string[], input = ""): Promise<string> {
  const child = spawn("git", args, { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.end(input);
  return text(child.stdout);
}

const FILES: Record<string, string> = {
  ".gitignore": "*.py[cod]\n/out/\nbuild-*/\n!build-tools/\n**/cache/*.bin\n",
  "a.py": "",
  "a.pyc": "",
  "out/x.js": "",
  "src/out/x.js": "",
  "build-1/log.txt": "",
  "build-tools/run.sh": "",
  "lib/.gitignore": "secret*\n!secret-not.txt\n",
  "lib/secret.txt": "",
  "lib/secret-not.txt": "",
  "lib/deep/secret-2.txt": "",
  "lib/deep/.gitignore": "!secret-2.txt\n",
  "lib/cache/a.bin": "",
  "with blank and ü.txt": "",
};

describe("the file list of a large project", () => {
  it("separates ignored files from others, including new ones, in nested folders too", async () => {
    for (const [path, content] of Object.entries(FILES)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    await git(["init", "-q"]);
    const names = Object.keys(FILES).sort();
    const said = await git(["check-ignore", "-z", "--stdin"], names.join("\0"));
    const ignored = new Set(said.split("\0").filter((name) => name !== ""));
    expect(ignored.size).toBe(5);
    const listed: string[] = [];
    for await (const batch of gitFiles(folder)(new AbortController().signal)) listed.push(...batch);
    expect(listed.sort()).toEqual(names.filter((name) => !ignored.has(name)));
  });

  it("searches 100,000 files in steps, so that typing continues, and contains a file created a moment ago", async () => {
    const index = new FileIndex();
    index.add(Array.from({ length: 100_000 }, (_, at) => `packages/p${at % 500}/src/file-number-${at}.ts`));
    const search = new PathSearch(index);
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns += 1) await setImmediate();
    })();
    const first = await search.find("file");
    isOver = true;
    await others;
    expect([first?.total, first?.matches.length]).toEqual([100_000, 50]);
    expect(turns).toBeGreaterThan(2);
    index.add(["packages/p7/src/file-number-fresh.ts"]);
    const next = await search.find("filefresh");
    expect(next?.matches.map(({ path }) => path)).toEqual(["packages/p7/src/file-number-fresh.ts"]);
  });
});
