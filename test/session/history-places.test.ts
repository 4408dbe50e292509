import { renameSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { History } from "../../agent/session/history/history.ts";
import { HistoryBench, header, jsonLines, said } from "./history-bench.ts";

let bench: HistoryBench;

beforeEach(() => {
  bench = new HistoryBench();
});

afterEach(() => bench.dispose());

async function names(request: Parameters<History["list"]>[0] = {}, history = bench.history()): Promise<string[]> {
  const { sessions } = await history.list(request);
  return sessions.map(({ path }) => path.slice(path.lastIndexOf("/") + 1));
}

describe("session folders", () => {
  it("are the project's folder, or all of them", async () => {
    bench.session("here.jsonl", said("hi"));
    bench.write("there.jsonl", jsonLines(header()), join(bench.agentDir, "sessions", "--there--"));
    bench.write("loose.jsonl", jsonLines(header()), join(bench.agentDir, "sessions"));
    bench.write("deep.jsonl", jsonLines(header()), join(bench.agentDir, "sessions", "--there--", "deeper"));
    bench.write("notes.txt", "no session", bench.folder);
    expect(await names()).toEqual(["here.jsonl"]);
    expect(await names({ scope: "all" })).toEqual(["loose.jsonl", "there.jsonl", "here.jsonl"]);
  });

  it("count once when links lead to them", async () => {
    bench.session("a.jsonl", said("hi"));
    const moved = join(bench.root, "disk");
    renameSync(join(bench.agentDir, "sessions"), moved);
    symlinkSync(moved, join(bench.agentDir, "sessions"));
    symlinkSync(bench.folder, join(moved, "again"));
    symlinkSync(moved, join(moved, "circle"));
    const { sessions, total } = await bench.history().list({ scope: "all" });
    expect([total, sessions[0]?.path]).toEqual([1, join(bench.folder, "a.jsonl")]);
  });

  it("keep sessions of a moved working directory in the list of all", async () => {
    bench.write("a.jsonl", jsonLines(header({ cwd: "/was/here" })), join(bench.agentDir, "sessions", "--was-here--"));
    expect(await names()).toEqual([]);
    expect((await bench.history().list({ scope: "all" })).sessions).toMatchObject([{ cwd: "/was/here" }]);
  });

  it("selected by the user hold sessions of all projects: the list has those of this one, and those of no known project", async () => {
    const chosen = join(bench.root, "chosen");
    const linked = join(bench.root, "linked");
    symlinkSync(bench.cwd, linked);
    bench.write("mine.jsonl", jsonLines(header({ cwd: bench.cwd })), chosen);
    bench.write("linked.jsonl", jsonLines(header({ cwd: linked })), chosen);
    bench.write("other.jsonl", jsonLines(header({ cwd: "/other" })), chosen);
    bench.write("broken.jsonl", "?", chosen);
    bench.session("usual.jsonl", said("hi"));
    const history = bench.history(chosen);
    expect(await names({}, history)).toEqual(["broken.jsonl", "linked.jsonl", "mine.jsonl"]);
    expect(await names({ scope: "all" }, history)).toHaveLength(5);
  });

  it("show which session is open here, and which is in use elsewhere", async () => {
    bench.openFile = bench.session("open.jsonl", said("hi"));
    const used = bench.session("used.jsonl", said("hi"));
    const left = bench.session("left.jsonl", said("hi"));
    const lock = (path: string, pid: number) =>
      writeFileSync(`${path}.lock`, JSON.stringify({ pid, host: hostname(), token: "t" }));
    lock(bench.openFile, process.pid);
    lock(used, process.ppid);
    lock(left, 2 ** 30); // no process has this number
    const { sessions } = await bench.history().list({});
    expect(sessions.map(({ isOpen, isLocked }) => [isOpen, isLocked])).toEqual([
      [false, false],
      [false, true],
      [true, false],
    ]);
  });
});
