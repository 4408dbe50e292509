import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ChangeJournal } from "../../../extension/changes/change-journal.ts";
import { ChangeRecorder, type SeenChange } from "../../../extension/changes/change-recorder.ts";
import { ContentStore } from "../../../extension/changes/content-store.ts";
import { type FileContent, readContent } from "../../../extension/changes/file-content.ts";
import { GitReader } from "../../../extension/changes/git-reader.ts";
import { ShellBaselines } from "../../../extension/changes/shell-baselines.ts";
import { temporaryFolder } from "../../support/run-tool.ts";

/** A folder with files whose changes are recorded; it does itself what an editor's watcher does. */
class Workspace {
  readonly folder: string;
  readonly storage: string;
  readonly seen: SeenChange[] = [];
  /** What files hold in the editor and not on the disk, by path. */
  readonly typed = new Map<string, string>();
  readonly recorder: ChangeRecorder;
  readonly #shell: ShellBaselines;
  #calls = 0;
  #now = 1_000;

  private constructor(folder: string, storage: string, git: GitReader | undefined) {
    this.folder = folder;
    this.storage = storage;
    this.#shell = new ShellBaselines({
      folder,
      git,
      read: readContent,
      listFiles: async (limit) => {
        const names = await readdir(folder, { recursive: true });
        return names.length > limit ? undefined : names.map((name) => join(folder, name));
      },
    });
    this.recorder = new ChangeRecorder({
      store: new ContentStore(join(storage, "contents")),
      journal: new ChangeJournal(join(storage, "changes.jsonl")),
      shell: this.#shell,
      read: async (path) => (this.typed.has(path) ? Buffer.from(this.typed.get(path) ?? "") : readContent(path)),
      readSaved: readContent,
      isUnsaved: (path) => this.typed.has(path),
      settled: async () => undefined,
      now: () => this.#now,
      changed: (change) => this.seen.push(change),
    });
  }

  static async make(files: Record<string, string>, options: { git: boolean }): Promise<Workspace> {
    const folder = await realpath(await temporaryFolder());
    await putFiles(folder, files);
    if (options.git) {
      runGit(folder, "init", "-q");
      runGit(folder, "add", ".");
      runGit(folder, "commit", "-qm", "first");
    }
    return new Workspace(folder, await temporaryFolder(), await GitReader.open(folder));
  }

  /** Somebody who is not the agent changes files. */
  async byHand(files: Record<string, string | null>): Promise<void> {
    await putFiles(this.folder, files);
    for (const name of Object.keys(files)) this.#shell.touched(join(this.folder, name));
  }

  /** Time goes by. */
  wait(ms: number): void {
    this.#now += ms;
  }

  /** The user saves a file in the editor. */
  async save(name: string, text: string): Promise<void> {
    await putFiles(this.folder, { [name]: text });
    await this.#shell.saved(join(this.folder, name));
    this.#shell.touched(join(this.folder, name)); // the watcher tells of it later
  }

  async call(path: string | undefined, work: () => Promise<void>): Promise<void> {
    const call = {
      session: "s",
      toolCallId: `c${++this.#calls}`,
      toolName: path === undefined ? "bash" : "edit",
      path: path && join(this.folder, path),
    };
    await this.recorder.before(call);
    await work();
    await this.recorder.after(call);
  }

  /** Runs a command as `bash` does; `changes` are the files that the watcher tells of. */
  shell(command: string, changes: readonly string[]): Promise<void> {
    return this.call(undefined, async () => {
      execFileSync("bash", ["-c", command], { cwd: this.folder });
      for (const name of changes) this.#shell.touched(join(this.folder, name));
    });
  }

  /** What was recorded: name, before, after. */
  told(): [string, unknown, unknown][] {
    return this.seen.map(({ change, before, after }) => [
      change.path.slice(this.folder.length + 1),
      show(before),
      show(after),
    ]);
  }
}

function show(content: FileContent): unknown {
  return content instanceof Uint8Array ? Buffer.from(content).toString() : content;
}

async function putFiles(folder: string, files: Record<string, string | null>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    if (text === null) await rm(join(folder, name));
    else await writeFile(join(folder, name), text);
  }
}

function runGit(cwd: string, ...args: string[]): string {
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...who, ...args], { cwd, encoding: "utf8" });
}

describe("a call that names its file", () => {
  it("is recorded with both contents, which are found again by their names", async () => {
    const work = await Workspace.make({ "a.txt": "old" }, { git: false });
    await work.call("a.txt", () => writeFile(join(work.folder, "a.txt"), "new"));
    await work.call("b.txt", () => writeFile(join(work.folder, "b.txt"), "made"));
    expect(work.told()).toEqual([
      ["a.txt", "old", "new"],
      ["b.txt", null, "made"],
    ]);
    const journal = new ChangeJournal(join(work.storage, "changes.jsonl"));
    const store = new ContentStore(join(work.storage, "contents"));
    const [first] = await journal.all();
    expect(first).toMatchObject({ at: 1_000, session: "s", toolCallId: "c1", toolName: "edit" });
    const hash =
      first?.before !== null && first?.before !== undefined && "hash" in first.before ? first.before.hash : "";
    expect((await store.get(hash))?.toString()).toBe("old");
  });

  it("is recorded with the time at which it began: what it changed may be known only after the next message", async () => {
    const work = await Workspace.make({ "a.txt": "old" }, { git: false });
    await work.call("a.txt", async () => {
      work.wait(500);
      await writeFile(join(work.folder, "a.txt"), "new");
    });
    expect(work.seen.map(({ change }) => change.at)).toEqual([1_000]);
  });

  it("is recorded without what the user types into the file meanwhile", async () => {
    const work = await Workspace.make({ "a.txt": "old\n" }, { git: false });
    const path = join(work.folder, "a.txt");
    await work.call("a.txt", async () => {
      await writeFile(path, "new\n");
      work.typed.set(path, "old\nmine\n");
    });
    await work.call("a.txt", async () => {
      work.typed.set(path, "newer\nmine\n");
    });
    expect(work.told()).toEqual([
      ["a.txt", "old\n", "new\n"],
      ["a.txt", "old\nmine\n", "newer\nmine\n"],
    ]);
  });

  it("that changes nothing is not recorded", async () => {
    const work = await Workspace.make({ "a.txt": "old" }, { git: false });
    await work.call("a.txt", async () => undefined);
    expect(work.told()).toEqual([]);
  });
});

describe.each([{ git: true }, { git: false }])("a command in a folder with git: $git", (options) => {
  it("is recorded with what files held before: clean, changed, new, and gone ones", async () => {
    const work = await Workspace.make({ "clean.txt": "a\n", "dirty.txt": "b\n", "gone.txt": "c\n" }, options);
    await work.byHand({ "dirty.txt": "mine\n", "untracked.txt": "u\n" });
    await work.shell(
      "sed -i s/a/A/ clean.txt; echo x >> dirty.txt; rm gone.txt; echo n > new.txt; echo v > untracked.txt",
      ["clean.txt", "dirty.txt", "gone.txt", "new.txt", "untracked.txt"],
    );
    expect(work.told()).toEqual([
      ["clean.txt", "a\n", "A\n"],
      ["dirty.txt", "mine\n", "mine\nx\n"],
      ["gone.txt", "c\n", null],
      ["new.txt", null, "n\n"],
      ["untracked.txt", "u\n", "v\n"],
    ]);
  });

  it("knows what was done by hand between two commands", async () => {
    const work = await Workspace.make({ "a.txt": "1\n" }, options);
    await work.shell("echo 2 >> a.txt", ["a.txt"]);
    await work.byHand({ "a.txt": "by hand\n" });
    await work.shell("echo 3 >> a.txt", ["a.txt"]);
    expect(work.told()).toEqual([
      ["a.txt", "1\n", "1\n2\n"],
      ["a.txt", "by hand\n", "by hand\n3\n"],
    ]);
  });

  it("leaves to the user what they save while it runs", async () => {
    const work = await Workspace.make({ "a.txt": "1\n", "b.txt": "1\n", "c.txt": "1\n" }, options);
    await work.call(undefined, async () => {
      await work.save("a.txt", "mine\n");
      await work.save("b.txt", "mine\n");
      await work.byHand({ "b.txt": "mine\nthe command's\n", "c.txt": "the command's\n" });
    });
    expect(work.told()).toEqual([
      ["b.txt", "mine\n", "mine\nthe command's\n"],
      ["c.txt", "1\n", "the command's\n"],
    ]);
  });

  it("that only looks records nothing", async () => {
    const work = await Workspace.make({ "a.txt": "1\n" }, options);
    await work.shell("cat a.txt; touch a.txt", ["a.txt"]);
    expect(work.told()).toEqual([]);
  });
});

describe("a command in a working tree of git", () => {
  it("that commits is told apart from what was checked out before it", async () => {
    const work = await Workspace.make({ "a.txt": "1\n" }, { git: true });
    const commit = "git -c user.name=T -c user.email=t@example.com commit -qam second";
    await work.shell(`echo 2 > a.txt; ${commit}; echo 3 > a.txt`, ["a.txt", ".git/index"]);
    expect(work.told()).toEqual([["a.txt", "1\n", "3\n"]]);
  });

  it("that makes a folder has changed no file", async () => {
    const work = await Workspace.make({ "a.txt": "1\n" }, { git: true });
    await work.shell("mkdir made && echo x > made/b.txt", ["made", "made/b.txt"]);
    expect(work.told()).toEqual([["made/b.txt", null, "x\n"]]);
  });

  it.each([
    ["packed branches", ["pack-refs", "--all"]],
    ["no branch", ["checkout", "-q", "--detach"]],
  ])("is compared with what is checked out, also with %s", async (_, args) => {
    const work = await Workspace.make({ "a.txt": "1\n" }, { git: true });
    runGit(work.folder, ...args);
    await work.shell("echo 2 > a.txt", ["a.txt"]);
    expect(work.told()).toEqual([["a.txt", "1\n", "2\n"]]);
  });

  it("leaves out what git ignores", async () => {
    const work = await Workspace.make({ ".gitignore": "out/\n" }, { git: true });
    await work.shell("mkdir out; echo x > out/x; echo y > y", ["out/x", "y"]);
    expect(work.told()).toEqual([["y", null, "y\n"]]);
  });

  it("has what several files held, whatever their names and contents look like", async () => {
    const work = await Workspace.make({ "a b.txt": "x blob 3\nab\n", "ö.txt": "", "dir/c": "1" }, { git: true });
    await work.shell("echo 2 > 'a b.txt'; echo 2 > ö.txt; rm -r dir; echo 2 > dir", [
      "a b.txt",
      "ö.txt",
      "dir",
      "dir/c",
    ]);
    expect(work.told()).toEqual([
      ["a b.txt", "x blob 3\nab\n", "2\n"],
      ["dir", null, "2\n"],
      ["dir/c", "1", null],
      ["ö.txt", "", "2\n"],
    ]);
  });

  it("gives files back as they lay on the disk, not as git keeps them", async () => {
    const work = await Workspace.make({ ".gitattributes": "*.txt text eol=crlf\n" }, { git: true });
    await writeFile(join(work.folder, "a.txt"), "1\r\n2\r\n");
    runGit(work.folder, "add", ".");
    runGit(work.folder, "commit", "-qm", "lines");
    await work.shell("printf 'x' > a.txt", ["a.txt"]);
    expect(work.told()).toEqual([["a.txt", "1\r\n2\r\n", "x"]]);
  });
});

describe("a command whose end nobody tells", () => {
  it("ends with its session, and what is done by hand afterwards is not taken for the agent's", async () => {
    const work = await Workspace.make({ "a.txt": "1\n", "b.txt": "1\n" }, { git: true });
    await work.recorder.before({ session: "s", toolCallId: "lost", toolName: "bash" });
    await work.byHand({ "a.txt": "by the command\n" });
    await work.recorder.endSession("s");
    await work.byHand({ "b.txt": "by hand\n" });
    await work.shell("true", []);
    expect(work.told()).toEqual([["a.txt", "1\n", "by the command\n"]]);
  });
});

describe("what cannot be known", () => {
  it("is said of a file in a folder that is too large to be remembered", async () => {
    const many = Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`f${index}`, ""]));
    const work = await Workspace.make({ ...many, "a.txt": "1\n" }, { git: false });
    await work.shell("echo 2 >> a.txt", ["a.txt"]);
    await work.shell("echo 3 >> a.txt", ["a.txt"]);
    expect(work.told()).toEqual([
      ["a.txt", { unknown: "notSeen" }, "1\n2\n"],
      ["a.txt", "1\n2\n", "1\n2\n3\n"],
    ]);
  });

  it("is said of a file that is too large", async () => {
    const work = await Workspace.make({ "big.bin": "x".repeat(5_000_000) }, { git: true });
    await work.shell("echo y > big.bin", ["big.bin"]);
    expect(work.told()[0]?.[2]).toBe("y\n");
    expect(work.told()[0]?.[1]).toEqual({ unknown: "tooLarge" });
  });
});

describe("complaint 10: what is kept of changes fills the disk. What is kept", () => {
  it("survives a line that was cut off", async () => {
    const work = await Workspace.make({ "a.txt": "1" }, { git: false });
    await work.call("a.txt", () => writeFile(join(work.folder, "a.txt"), "2"));
    const path = join(work.storage, "changes.jsonl");
    await writeFile(path, `${await readFile(path, "utf8")}{"at":1,"sess`);
    expect(await new ChangeJournal(path).all()).toHaveLength(1);
  });

  it("is thrown away when nothing names it, and beyond its limit the oldest first", async () => {
    const store = new ContentStore(await temporaryFolder());
    const [old, recent, unwanted] = await Promise.all(
      ["old", "recent", "unwanted"].map((text) => store.put(Buffer.from(text))),
    );
    await store.collect([recent ?? "", old ?? ""], 10);
    expect((await store.get(recent ?? ""))?.toString()).toBe("recent");
    expect(await store.get(old ?? "")).toBeUndefined();
    expect(await store.get(unwanted ?? "")).toBeUndefined();
  });
});
