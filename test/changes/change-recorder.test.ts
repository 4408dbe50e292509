import { readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Change, ChangeJournal } from "../../agent/changes/change-journal.ts";
import { ContentStore } from "../../agent/changes/content-store.ts";
import { readContent } from "../../agent/changes/file-content.ts";
import { ShellBaselines } from "../../agent/changes/shell-baselines.ts";
import { putFiles, RecordedWorkspace } from "../support/recorded-workspace.ts";
import { temporaryFolder } from "../support/run-tool.ts";

describe("a call that names its file", () => {
  it("is recorded with both contents, which can be found again", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "old" }, { git: false });
    await work.call("a.txt", () => writeFile(join(work.folder, "a.txt"), "new"));
    await work.call("b.txt", () => writeFile(join(work.folder, "b.txt"), "made"));
    expect(work.told()).toEqual([
      ["a.txt", "old", "new"],
      ["b.txt", null, "made"],
    ]);
    const journal = new ChangeJournal(join(work.storage, "changes.jsonl"), Change);
    const store = new ContentStore(join(work.storage, "contents"));
    const [first] = await journal.all();
    expect(first).toMatchObject({ at: 1_000, session: "s", toolCallId: "c1", toolName: "edit" });
    const hash =
      first?.before !== null && first?.before !== undefined && "hash" in first.before ? first.before.hash : "";
    expect((await store.get(hash))?.toString()).toBe("old");
  });

  it("is recorded with its start time, since its changes may be known only after the next message", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "old" }, { git: false });
    await work.call("a.txt", async () => {
      work.wait(500);
      await writeFile(join(work.folder, "a.txt"), "new");
    });
    expect(work.seen.map(({ change }) => change.at)).toEqual([1_000]);
  });

  it("is recorded without text that the user types into the file meanwhile", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "old\n" }, { git: false });
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

  it("is not recorded when it changes nothing", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "old" }, { git: false });
    await work.call("a.txt", async () => undefined);
    expect(work.told()).toEqual([]);
  });
});

describe.each([{ git: true }, { git: false }])("a command in a folder with git: $git", (options) => {
  it("is recorded with the earlier contents of clean, changed, new and deleted files", async () => {
    const work = await RecordedWorkspace.make({ "clean.txt": "a\n", "dirty.txt": "b\n", "gone.txt": "c\n" }, options);
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

  it("ignores manual changes between two commands", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1\n" }, options);
    await work.shell("echo 2 >> a.txt", ["a.txt"]);
    await work.byHand({ "a.txt": "by hand\n" });
    await work.shell("echo 3 >> a.txt", ["a.txt"]);
    expect(work.told()).toEqual([
      ["a.txt", "1\n", "1\n2\n"],
      ["a.txt", "by hand\n", "by hand\n3\n"],
    ]);
  });

  it("ignores files that the user saves while it runs", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1\n", "b.txt": "1\n", "c.txt": "1\n" }, options);
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

  it("ignores a file that another call names, in another chat or inside this one", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1\n", "b.txt": "1\n" }, options);
    await work.call(undefined, async () => {
      await work.call("a.txt", () => work.byHand({ "a.txt": "by the other\n" }));
      await work.byHand({ "b.txt": "by the command\n" });
    });
    expect(work.told()).toEqual([
      ["a.txt", "1\n", "by the other\n"],
      ["b.txt", "1\n", "by the command\n"],
    ]);
    await work.call(undefined, async () => {
      await work.call("a.txt", () => work.byHand({ "a.txt": "2\n" }));
      await work.byHand({ "a.txt": "3\n" });
    });
    expect(work.told().slice(2)).toEqual([
      ["a.txt", "by the other\n", "2\n"],
      ["a.txt", "2\n", "3\n"],
    ]);
  });

  it("records nothing when it only reads", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1\n" }, options);
    await work.shell("cat a.txt; touch a.txt", ["a.txt"]);
    expect(work.told()).toEqual([]);
  });
});

describe("two chats at once", () => {
  it("can have calls with the same id, since some models count theirs", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1", "b.txt": "1" }, { git: false });
    const calls = ["a.txt", "b.txt"].map((name, at) => ({
      session: `s${at}`,
      toolCallId: "call_0",
      toolName: "edit",
      path: join(work.folder, name),
    }));
    for (const call of calls) await work.recorder.before(call);
    await putFiles(work.folder, { "a.txt": "2", "b.txt": "2" });
    for (const call of calls) await work.recorder.after(call);
    expect(work.told()).toEqual([
      ["a.txt", "1", "2"],
      ["b.txt", "1", "2"],
    ]);
    expect(work.seen.map(({ change }) => change.session)).toEqual(["s0", "s1"]);
  });
});

describe("a change that lacks memory to be packed", () => {
  it("is reported like one that cannot be recorded, and later ones are recorded", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1" }, { git: false });
    work.forgets = new Error("no memory");
    await expect(work.call("a.txt", () => putFiles(work.folder, { "a.txt": "2" }))).rejects.toThrow("no memory");
    work.forgets = undefined;
    await work.call("a.txt", () => putFiles(work.folder, { "a.txt": "3" }));
    expect(work.told().at(-1)).toEqual(["a.txt", "2", "3"]);
  });
});

describe("a command whose end is not reported", () => {
  it("ends with its session, and later manual changes are not attributed to the agent", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1\n", "b.txt": "1\n" }, { git: true });
    await work.recorder.before({ session: "s", toolCallId: "lost", toolName: "bash" });
    await work.byHand({ "a.txt": "by the command\n" });
    await work.recorder.endSession("s");
    await work.byHand({ "b.txt": "by hand\n" });
    await work.shell("true", []);
    expect(work.told()).toEqual([["a.txt", "1\n", "by the command\n"]]);
  });
});

describe("files that could not be scanned before a command", () => {
  it("are scanned before the next one", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "a.txt");
    await putFiles(folder, { "a.txt": "1" });
    let isBroken = true;
    const shell = new ShellBaselines({
      folder,
      git: undefined,
      read: readContent,
      listFiles: async () => {
        if (isBroken) throw new Error("The search is broken.");
        return [path];
      },
    });
    await expect(shell.begin()).rejects.toThrow("The search is broken.");
    isBroken = false;
    const run = await shell.begin();
    await putFiles(folder, { "a.txt": "2" });
    shell.touched(path);
    const [changed] = await shell.end(run);
    expect(changed?.before).toMatchObject({ bytes: Buffer.from("1") });
  });
});

describe("an unknown change", () => {
  it("is reported for a file in a folder that is too large to remember", async () => {
    const many = Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`f${index}`, ""]));
    const work = await RecordedWorkspace.make({ ...many, "a.txt": "1\n" }, { git: false });
    await work.shell("echo 2 >> a.txt", ["a.txt"]);
    await work.shell("echo 3 >> a.txt", ["a.txt"]);
    expect(work.told()).toEqual([
      ["a.txt", { unknown: "notSeen" }, "1\n2\n"],
      ["a.txt", "1\n2\n", "1\n2\n3\n"],
    ]);
  });

  it("is reported for a file that is too large", async () => {
    const work = await RecordedWorkspace.make({ "big.bin": "x".repeat(5_000_000) }, { git: true });
    await work.shell("echo y > big.bin", ["big.bin"]);
    expect(work.told()[0]?.[2]).toBe("y\n");
    expect(work.told()[0]?.[1]).toEqual({ unknown: "tooLarge" });
  });
});

describe("the store of contents", () => {
  it("survives a truncated line", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1" }, { git: false });
    await work.call("a.txt", () => writeFile(join(work.folder, "a.txt"), "2"));
    const path = join(work.storage, "changes.jsonl");
    await writeFile(path, `${await readFile(path, "utf8")}{"at":1,"sess`);
    expect(await new ChangeJournal(path, Change).all()).toHaveLength(1);
  });

  it("survives lines after a truncated one, in the next window", async () => {
    const work = await RecordedWorkspace.make({ "a.txt": "1" }, { git: false });
    await work.call("a.txt", () => writeFile(join(work.folder, "a.txt"), "2"));
    const path = join(work.storage, "changes.jsonl");
    const [change] = await new ChangeJournal(path, Change).all();
    if (change === undefined) throw new Error("Nothing was recorded.");
    await writeFile(path, `${await readFile(path, "utf8")}{"at":1,"sess`);
    const next = new ChangeJournal(path, Change);
    await Promise.all([next.add(change), next.add(change)]);
    await next.add(change);
    expect(await new ChangeJournal(path, Change).all()).toHaveLength(4);
  });

  it("drops contents that nothing names, and beyond its limit the oldest first", async () => {
    const folder = await temporaryFolder();
    const earlier = new ContentStore(folder);
    const [old, recent, unwanted] = await Promise.all(
      ["old", "recent", "unwanted"].map((text) => earlier.put(Buffer.from(text))),
    );
    const store = new ContentStore(folder);
    await store.collect([recent ?? "", old ?? ""], 10);
    expect((await store.get(recent ?? ""))?.toString()).toBe("recent");
    expect(await store.get(old ?? "")).toBeUndefined();
    expect(await store.get(unwanted ?? "")).toBeUndefined();
  });

  it("keeps new contents during a cleanup, before anything names them", async () => {
    const store = new ContentStore(await temporaryFolder());
    const collected = store.collect([], 10);
    const hash = await store.put(Buffer.from("new"));
    await Promise.all([collected, store.collect([], 10)]);
    expect((await store.get(hash))?.toString()).toBe("new");
  });

  it("rewrites a content that a crash truncated, and writes others once", async () => {
    const folder = await temporaryFolder();
    const hash = await new ContentStore(folder).put(Buffer.from("some content"));
    const place = join(folder, hash.slice(0, 2), hash);
    const { ino } = await stat(place);
    await new ContentStore(folder).put(Buffer.from("some content"));
    expect((await stat(place)).ino).toBe(ino);
    await truncate(place, 3);
    const store = new ContentStore(folder);
    expect(await store.get(hash)).toBeUndefined();
    await store.put(Buffer.from("some content"));
    expect((await store.get(hash))?.toString()).toBe("some content");
    expect(await readdir(join(folder, hash.slice(0, 2)))).toEqual([hash]);
  });

  it("is correct for contents of every length, packed here or by another thread", async () => {
    const store = new ContentStore(await temporaryFolder());
    for (const length of [0, 1, 16_383, 16_384, 1_000_000]) {
      const content = Buffer.alloc(length, "some text ");
      expect((await store.get(await store.put(content)))?.equals(content)).toBe(true);
    }
  });
});
