import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { FileIndex } from "../../../../extension/core/mentions/file-index.ts";
import {
  findRipgrep,
  gitFiles,
  listedFiles,
  type PathSource,
  ripgrepFiles,
} from "../../../../extension/core/mentions/path-sources.ts";

const run = promisify(execFile);
const folders: string[] = [];
const { signal } = new AbortController();

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tiller-mentions-"));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

const listed = (...paths: string[]): PathSource => listedFiles(async () => paths);

function contents(index: FileIndex): string[] {
  return index.groups
    .flatMap((group) => group.filter(({ isGone }) => !isGone))
    .map(({ path, isIgnored }) => (isIgnored ? `${path} ignored` : path))
    .sort();
}

async function all(source: PathSource): Promise<string[]> {
  const paths: string[] = [];
  for await (const batch of source(signal)) paths.push(...batch);
  return paths.sort();
}

describe("the file index", () => {
  it("contains files and the folders above them", async () => {
    const index = new FileIndex();
    await index.fill(listed("src/a.ts", "src/deep/er/b.ts", "c.md"), { signal });
    expect(contents(index)).toEqual(["c.md", "src/", "src/a.ts", "src/deep/", "src/deep/er/", "src/deep/er/b.ts"]);
    expect(index.fileCount).toBe(3);
  });

  it("drops a folder with its last file", async () => {
    const index = new FileIndex();
    await index.fill(listed("src/deep/b.ts", "src/a.ts"), { signal });
    index.remove(["src/deep/b.ts"]);
    expect(contents(index)).toEqual(["src/", "src/a.ts"]);
  });

  it("does not keep the entries of files that came and went", () => {
    const index = new FileIndex();
    const paths = Array.from({ length: 5_000 }, (_, at) => `a/${at}.ts`);
    for (let round = 0; round < 10; round += 1) {
      index.add(paths);
      index.remove(paths);
    }
    index.add(["a/b.ts"]);
    expect(contents(index)).toEqual(["a/", "a/b.ts"]);
    expect(index.groups.flat().length).toBeLessThan(10_000);
  });

  it("removes a folder with its content, with or without a slash", () => {
    const index = new FileIndex();
    index.add(["a/b/c", "a/d", "ab/c", "e/f"]);
    index.remove(["a", "e/", "unknown"]);
    expect(contents(index)).toEqual(["ab/", "ab/c"]);
  });

  it("marks ignored files, and folders with only ignored files", async () => {
    const index = new FileIndex();
    await index.fill(listed("src/a.ts"), { signal });
    await index.fill(listed("src/a.ts", "src/a.js", "out/x/y.js"), { isIgnored: true, signal });
    expect(contents(index)).toEqual([
      "out/ ignored",
      "out/x/ ignored",
      "out/x/y.js ignored",
      "src/",
      "src/a.js ignored",
      "src/a.ts",
    ]);
    index.remove(["src/a.ts"]);
    expect(index.get("src/")?.isIgnored).toBe(true);
  });

  it("treats a file added below an ignored folder as ignored", async () => {
    const index = new FileIndex();
    await index.fill(listed("out/x.js"), { isIgnored: true, signal });
    index.add(["out/new/y.js", "src/a.ts"]);
    expect(contents(index)).toEqual([
      "out/ ignored",
      "out/new/ ignored",
      "out/new/y.js ignored",
      "out/x.js ignored",
      "src/",
      "src/a.ts",
    ]);
  });

  it("drops files that are no longer listed at the end of a scan, and keeps files added meanwhile and other prefixes", async () => {
    const index = new FileIndex();
    await index.fill(listed("old.ts", "kept.ts"), { prefix: "api/", signal });
    await index.fill(listed("old.ts"), { prefix: "web/", signal });
    const source: PathSource = async function* () {
      yield ["kept.ts"];
      index.add(["api/added.ts"]);
      yield [];
    };
    await index.fill(source, { prefix: "api/", signal });
    expect(contents(index)).toEqual(["api/", "api/added.ts", "api/kept.ts", "web/", "web/old.ts"]);
  });

  it("keeps its content when a source fails", async () => {
    const index = new FileIndex();
    await index.fill(listed("a.ts"), { signal });
    const source: PathSource = async function* () {
      yield ["b.ts"];
      throw new Error("disk on fire");
    };
    await expect(index.fill(source, { signal })).rejects.toThrow("disk on fire");
    expect(contents(index)).toEqual(["a.ts", "b.ts"]);
    expect(index.isFilling).toBe(false);
  });

  it("reports when there was no room for all", async () => {
    const index = new FileIndex({ maxFiles: 2 });
    expect(await index.fill(listed("a", "b", "c"), { signal })).toEqual({ isComplete: false });
    expect(contents(index)).toEqual(["a", "b"]);
  });

  it("leaves out names that do not fit on a line", async () => {
    const index = new FileIndex();
    await index.fill(listed("a\nb", "\u001b[2J", "/abs", "x//y", "bad\ufffd", "", "good name.ts"), { signal });
    expect(contents(index)).toEqual(["good name.ts"]);
  });

  it("equals a plain set of files after any order of changes", () => {
    const name = fc.constantFrom("a", "b", "c");
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => `${parts.join("/")}.f`);
    const step = fc.record({ kind: fc.constantFrom("add", "remove", "folder"), path });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const index = new FileIndex();
        const model = new Set<string>();
        for (const { kind, path } of steps) {
          const folder = path.slice(0, path.indexOf("/") + 1) || "none/";
          if (kind === "add") index.add([path]);
          else index.remove([kind === "remove" ? path : folder]);
          if (kind === "add") model.add(path);
          else if (kind === "remove") model.delete(path);
          else for (const known of model) if (known.startsWith(folder)) model.delete(known);
        }
        const wanted = new Set(model);
        for (const file of model) {
          const parts = file.split("/");
          for (let count = 1; count < parts.length; count += 1) wanted.add(`${parts.slice(0, count).join("/")}/`);
        }
        expect(contents(index)).toEqual([...wanted].sort());
        expect(index.fileCount).toBe(model.size);
      }),
    );
  });
});

describe("sources of paths", () => {
  it("list untracked files from Git and leave out those that nested ignore files name", async () => {
    const folder = await folderWith({
      ".gitignore": "*.py[cod]\n/out/\n",
      "a.py": "",
      "a.pyc": "",
      "out/x.js": "",
      "lib/.gitignore": "secret*\n!secret-not.txt\n",
      "lib/secret.txt": "",
      "lib/secret-not.txt": "",
      "with blank and ü.txt": "",
      ".env.example": "",
    });
    await run("git", ["init", "-q"], { cwd: folder });
    expect(await all(gitFiles(folder))).toEqual([
      ".env.example",
      ".gitignore",
      "a.py",
      "lib/.gitignore",
      "lib/secret-not.txt",
      "with blank and ü.txt",
    ]);
    expect(await all(gitFiles(folder, { onlyIgnored: true }))).toEqual(["a.pyc", "lib/secret.txt", "out/x.js"]);
  });

  it("fail outside a repository with Git's message", async () => {
    const folder = await folderWith({ "a.txt": "" });
    await expect(all(gitFiles(folder))).rejects.toThrow(/couldn't list the files in .*code 128.*not a git repository/s);
  });

  it("ask ripgrep for hidden files, with names between NULs and nothing below .git", async () => {
    const rgPath = await program(`process.stdout.write(process.argv.slice(2).join("\\0") + "\\0");`);
    expect(await all(ripgrepFiles({ rgPath, folder: tmpdir(), skip: ["node_modules"] }))).toEqual([
      "!.git",
      "!node_modules",
      "--files",
      "--glob",
      "--glob",
      "--hidden",
      "--no-config",
      "--no-messages",
      "--no-require-git",
      "--null",
      "--path-separator",
      "/",
    ]);
  });

  it("keep a list when ripgrep could not read some folders", async () => {
    const rgPath = await program(`process.stdout.write("a.ts\\0"); process.exitCode = 2;`);
    expect(await all(ripgrepFiles({ rgPath, folder: tmpdir() }))).toEqual(["a.ts"]);
  });

  it("name a missing program", async () => {
    await expect(all(ripgrepFiles({ rgPath: "/nowhere/rg", folder: tmpdir() }))).rejects.toThrow(
      /^\/nowhere\/rg couldn't list the files in .*ENOENT/,
    );
  });

  it("accept names split anywhere between two pieces of output", async () => {
    const rgPath = await program(`
      const bytes = Buffer.from("ä/ö.ts\\0ü.ts\\0");
      let at = 0;
      const next = () => { if (at < bytes.length) process.stdout.write(bytes.subarray(at, ++at), () => setImmediate(next)); };
      next();`);
    expect(await all(ripgrepFiles({ rgPath, folder: tmpdir() }))).toEqual(["ä/ö.ts", "ü.ts"]);
  });

  it("kill the program and reject after an abort", async () => {
    const rgPath = await program(`process.stdout.write(process.pid + "\\0"); setInterval(() => {}, 1e8);`);
    const abort = new AbortController();
    let pid = 0;
    const reading = (async () => {
      for await (const [text] of ripgrepFiles({ rgPath, folder: tmpdir() })(abort.signal)) {
        pid = Number(text);
        abort.abort(new Error("no longer wanted"));
      }
    })();
    await expect(reading).rejects.toThrow("no longer wanted");
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it("end the program when the reader stops", async () => {
    const rgPath = await program(`process.stdout.write(process.pid + "\\0"); setInterval(() => {}, 1e8);`);
    let pid = 0;
    for await (const [text] of ripgrepFiles({ rgPath, folder: tmpdir() })(signal)) {
      pid = Number(text);
      break;
    }
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it("find ripgrep where VS Code keeps it", async () => {
    const path = "node_modules/@vscode/ripgrep-universal/bin/linux-x64/rg";
    const folder = await folderWith({ [path]: "" });
    await chmod(join(folder, path), 0o755);
    const platform = { ...process, platform: "linux", arch: "x64" } as const;
    expect(await findRipgrep(folder, platform)).toBe(join(folder, path));
    expect(await findRipgrep(join(folder, "elsewhere"), platform)).toBeUndefined();
  });
});

async function program(text: string): Promise<string> {
  const folder = await folderWith({ rg: `#!${process.execPath}\n${text}\n` });
  await chmod(join(folder, "rg"), 0o755);
  return join(folder, "rg");
}
