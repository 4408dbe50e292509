import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asRecord } from "../support/spawn-agent.ts";
import { answered, HistoryBench, header, jsonLines, said } from "./history-bench.ts";

let bench: HistoryBench;

beforeEach(() => {
  bench = new HistoryBench();
});

afterEach(() => bench.dispose());

function useElsewhere(path: string): void {
  writeFileSync(`${path}.lock`, JSON.stringify({ pid: process.ppid, host: hostname(), token: "t" }));
}

function linesOf(path: string): unknown[] {
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
}

function trash(): string[] {
  return readdirSync(join(bench.agentDir, "trash", "sessions")).sort();
}

const DAY_MS = 24 * 60 * 60 * 1000;

describe("a renamed session", () => {
  it("has one more entry at its leaf, and keeps its time", async () => {
    const path = bench.session("a.jsonl", said("hi"), answered("ho"));
    const before = readFileSync(path, "utf8");
    const history = bench.history();
    await history.list({});
    await history.rename({ sessionPath: path, name: "  The\r\nlamp " });
    expect(readFileSync(path, "utf8").startsWith(before)).toBe(true);
    expect(linesOf(path).slice(3)).toEqual([
      {
        type: "session_info",
        name: "The lamp",
        id: expect.stringMatching(/^[0-9a-f]{8}$/),
        parentId: "e1",
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
    const expected = [{ name: "The lamp", modifiedAt: 1_790_000_000_000 }];
    expect((await history.list({})).sessions).toMatchObject(expected);
    expect((await bench.history().list({ query: "lamp" })).sessions).toMatchObject(expected);
    expect(readdirSync(bench.folder)).toEqual(["a.jsonl"]);
  });

  it("loses a torn last line, and keeps one that only lacks its LF", async () => {
    const torn = bench.session("torn.jsonl", said("hi"));
    const whole = readFileSync(torn, "utf8");
    appendFileSync(torn, '{"type":"mess');
    const bare = bench.write("bare.jsonl", whole.trimEnd());
    for (const sessionPath of [torn, bare]) await bench.history().rename({ sessionPath, name: "n" });
    for (const path of [torn, bare]) {
      expect(readFileSync(path, "utf8").startsWith(whole)).toBe(true);
      expect(linesOf(path)).toHaveLength(3);
      expect(linesOf(path)[2]).toMatchObject({ type: "session_info", parentId: "e0" });
    }
  });

  it("is upgraded when it has an older version", async () => {
    const old = { type: "session", id: "v1", timestamp: "2025-01-01T00:00:00.000Z", cwd: bench.cwd };
    const path = bench.write("v1.jsonl", jsonLines(old, said("one"), answered("two")));
    await bench.history().rename({ sessionPath: path, name: "Old" });
    const [first, one, two, info] = linesOf(path).map(asRecord);
    expect([first, one, info]).toMatchObject([
      { version: 3 },
      { parentId: null },
      { type: "session_info", name: "Old" },
    ]);
    expect(info).toMatchObject({ parentId: expect.stringMatching(/^[0-9a-f]{8}$/) });
    expect(two).toMatchObject({ id: info?.parentId });
    expect(statSync(path).mtimeMs).toBe(1_790_000_000_000);
    expect(readdirSync(bench.folder)).toEqual(["v1.jsonl"]);
  });

  it("is refused while another agent or this one writes it, and without a name", async () => {
    const path = bench.session("a.jsonl", said("hi"));
    const before = readFileSync(path);
    const rename = (name: string) => bench.history().rename({ sessionPath: path, name });
    await expect(rename(" \n ")).rejects.toMatchObject({
      code: "invalid_request",
      message: "Session name cannot be empty",
    });
    useElsewhere(path);
    await expect(rename("n")).rejects.toMatchObject({
      code: "session_locked",
      message: `Session is in use by process ${process.ppid} on ${hostname()}: ${path}. Close it there, or open another session.`,
    });
    rmSync(`${path}.lock`);
    bench.openFile = path;
    await expect(rename("n")).rejects.toMatchObject({ code: "busy" });
    expect(readFileSync(path)).toEqual(before);
  });

  it("must be a session", async () => {
    for (const content of ["", "?\n", jsonLines({ some: "other" })]) {
      const path = bench.write("a.jsonl", content);
      await expect(bench.history().rename({ sessionPath: path, name: "n" })).rejects.toMatchObject({
        code: "session_corrupt",
        message: `Session file is not a valid tiller session: ${path}`,
      });
      expect(readFileSync(path, "utf8")).toBe(content);
    }
    expect(readdirSync(bench.folder)).toEqual(["a.jsonl"]);
  });
});

describe("a deleted session", () => {
  it("is restored byte for byte", async () => {
    const path = bench.session("a.jsonl", said("hi"));
    appendFileSync(path, Buffer.from([0xff, 0x00, 0x0d]));
    utimesSync(path, 7, 7);
    const bytes = readFileSync(path);
    writeFileSync(join(bench.folder, "a.txt"), "stays");
    const history = bench.history();
    const { trashId } = history.remove({ sessionPath: path });
    expect((await history.list({})).total).toBe(0);
    expect(readdirSync(bench.folder)).toEqual(["a.txt"]);
    expect(trash()).toEqual([`${trashId}.json`, `${trashId}.jsonl`]);
    rmSync(bench.folder, { recursive: true });
    expect(bench.history().restore({ trashId })).toEqual({ sessionPath: path });
    expect(readFileSync(path)).toEqual(bytes);
    expect(statSync(path).mtimeMs).toBe(7000);
    expect(trash()).toEqual([]);
  });

  it("can be a file that is not a session", async () => {
    const path = bench.write("broken.jsonl", "?");
    const { trashId } = bench.history().remove({ sessionPath: path });
    bench.history().restore({ trashId });
    expect(readFileSync(path, "utf8")).toBe("?");
  });

  it("overwrites nothing when it is restored", async () => {
    const path = bench.session("a.jsonl", said("hi"));
    const { trashId } = bench.history().remove({ sessionPath: path });
    writeFileSync(path, "another");
    expect(() => bench.history().restore({ trashId })).toThrow(
      `A file already exists at ${path}. Move it, and try again.`,
    );
    expect(readFileSync(path, "utf8")).toBe("another");
    rmSync(path);
    symlinkSync(join(bench.root, "nowhere"), path);
    expect(() => bench.history().restore({ trashId })).toThrow("A file already exists");
    rmSync(path);
    bench.history().restore({ trashId });
    expect(linesOf(path)).toHaveLength(2);
    expect(() => bench.history().restore({ trashId })).toThrow(`No deleted session "${trashId}".`);
  });

  it("must be neither open here nor in another agent", async () => {
    const path = bench.session("a.jsonl", said("hi"));
    const link = join(bench.root, "link");
    symlinkSync(bench.folder, link);
    bench.openFile = join(link, "a.jsonl");
    const remove = () => bench.history().remove({ sessionPath: path });
    expect(remove).toThrow(`The session is open: ${path}. Open another session first.`);
    bench.openFile = undefined;
    useElsewhere(path);
    expect(remove).toThrow(`Session is in use by process ${process.ppid} on ${hostname()}`);
    writeFileSync(`${path}.lock`, JSON.stringify({ pid: process.pid, host: hostname(), token: "t" }));
    expect(remove).toThrow("The session is open");
    expect(existsSync(path)).toBe(true);
  });

  it("is removed for good 30 days later at the next deletion, and no other file is", async () => {
    const remove = (name: string) => bench.history().remove({ sessionPath: bench.session(name, said("hi")) }).trashId;
    bench.now = 1_000 * DAY_MS;
    const old = remove("old.jsonl");
    bench.now += 2 * DAY_MS;
    const young = remove("young.jsonl");
    const folder = join(bench.agentDir, "trash", "sessions");
    const foreign = "0190e0a0-0000-7000-8000-000000000000";
    writeFileSync(join(folder, "notes.json"), '{"sessionPath":"/a.jsonl","deletedAt":0}');
    writeFileSync(join(folder, `${foreign}.jsonl`), "without a note");
    writeFileSync(join(bench.agentDir, "trash", `${foreign}.json`), '{"sessionPath":"/a.jsonl","deletedAt":0}');
    bench.now += 29 * DAY_MS;
    const last = remove("last.jsonl");
    const both = (id: string) => [`${id}.json`, `${id}.jsonl`];
    expect(trash()).toEqual([...both(young), ...both(last), "notes.json", `${foreign}.jsonl`].sort());
    expect(() => bench.history().restore({ trashId: old })).toThrow(`No deleted session "${old}".`);
    expect(readdirSync(join(bench.agentDir, "trash")).sort()).toEqual([`${foreign}.json`, "sessions"]);
  });
});

describe("the path of a session", () => {
  it.each([
    ["with .. that leads elsewhere", () => join(bench.folder, "..", "..", "..", "secret.jsonl")],
    ["to a file beside the folders", () => join(bench.root, "secret.jsonl")],
    ["through a link to another folder", () => join(bench.root, "way", "secret.jsonl")],
    ["into the trash", () => join(bench.agentDir, "trash", "sessions", "x.jsonl")],
    ["into a folder within a folder", () => join(bench.folder, "deep", "x.jsonl")],
    ["to something that is no session file", () => join(bench.folder, "notes.txt")],
    ["to a lock", () => join(bench.folder, "a.jsonl.lock")],
    ["to the folder itself", () => `${bench.folder}/..`],
    ["with a NUL", () => `${bench.folder}/a\0.jsonl`],
    ["of nothing", () => ""],
  ])("is refused when it belongs to no session: %s", async (_title, path) => {
    for (const folder of ["trash/sessions", `sessions/${basename(bench.folder)}/deep`]) {
      mkdirSync(join(bench.agentDir, folder), { recursive: true });
      writeFileSync(join(bench.agentDir, folder, "x.jsonl"), jsonLines(header()));
    }
    writeFileSync(join(bench.root, "secret.jsonl"), jsonLines(header()));
    writeFileSync(join(bench.folder, "notes.txt"), jsonLines(header()));
    writeFileSync(join(bench.folder, "a.jsonl.lock"), "{}");
    symlinkSync(bench.root, join(bench.root, "way"));
    const sessionPath = path();
    expect(() => bench.history().remove({ sessionPath })).toThrow(`Not in a folder of sessions: ${sessionPath}`);
    await expect(bench.history().rename({ sessionPath, name: "n" })).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("is not followed through a link", async () => {
    const secret = join(bench.root, "secret.jsonl");
    writeFileSync(secret, jsonLines(header()));
    mkdirSync(bench.folder, { recursive: true });
    const sessionPath = join(bench.folder, "a.jsonl");
    symlinkSync(secret, sessionPath);
    expect(() => bench.history().remove({ sessionPath })).toThrow(`Not a regular file: ${sessionPath}`);
    await expect(bench.history().rename({ sessionPath, name: "n" })).rejects.toMatchObject({ code: "invalid_request" });
    expect(linesOf(secret)).toHaveLength(1);
  });

  it("must exist", async () => {
    const sessionPath = bench.session("a.jsonl", said("hi"));
    rmSync(sessionPath);
    const error = { code: "not_found", message: `No session found matching '${sessionPath}'` };
    expect(() => bench.history().remove({ sessionPath })).toThrow(error.message);
    await expect(bench.history().rename({ sessionPath, name: "n" })).rejects.toMatchObject(error);
    await expect(bench.history().read({ sessionPath })).rejects.toMatchObject(error);
    expect(readdirSync(bench.folder)).toEqual([]);
  });

  it.each(["", "..", "../../a", "0190e0a0-0000-7000-8000-000000000000", "x/../0190e0a0-0000-7000-8000-000000000000"])(
    "cannot be disguised as the id %j of the trash",
    (trashId) => {
      expect(() => bench.history().restore({ trashId })).toThrow(`No deleted session "${trashId}".`);
    },
  );

  it("can be relative, and go through a link to the folder", async () => {
    bench.session("a.jsonl", said("hi"));
    symlinkSync(bench.folder, join(bench.cwd, "mine"));
    const { trashId } = bench.history().remove({ sessionPath: "mine/a.jsonl" });
    expect(bench.history().restore({ trashId })).toEqual({ sessionPath: join(bench.folder, "a.jsonl") });
  });
});
