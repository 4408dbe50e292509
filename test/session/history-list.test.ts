import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { History } from "../../agent/session/history/history.ts";
import { answered, chained, gave, HistoryBench, header, jsonLines, said } from "./history-bench.ts";

let bench: HistoryBench;

beforeEach(() => {
  bench = new HistoryBench();
});

afterEach(() => bench.dispose());

async function names(request: Parameters<History["list"]>[0] = {}, history = bench.history()): Promise<string[]> {
  const { sessions } = await history.list(request);
  return sessions.map(({ path }) => path.slice(path.lastIndexOf("/") + 1));
}

describe("the list of sessions", () => {
  it("is empty while there is no folder", async () => {
    expect(await bench.history().list({})).toEqual({ sessions: [], total: 0 });
    mkdirSync(bench.folder, { recursive: true });
    expect(await bench.history().list({ scope: "all" })).toEqual({ sessions: [], total: 0 });
  });

  it("shows what each session file contains", async () => {
    const path = bench.write(
      "a.jsonl",
      jsonLines(
        header({ cwd: bench.cwd, parentSession: "/elsewhere/p.jsonl", title: "A title" }),
        ...chained(
          { type: "model_change", provider: "acme", modelId: "m-1" },
          {
            type: "message",
            message: { role: "user", content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] },
          },
          said(`Fix\nthe   build, ${"please ".repeat(50)}`),
          gave("no message of user or model"),
          answered("Done."),
          { type: "session_info", name: "First" },
          { type: "session_info", name: "The build" },
        ),
      ),
    );
    const { sessions, total } = await bench.history().list({});
    expect(total).toBe(1);
    expect(sessions[0]).toEqual({
      path,
      id: "s-1",
      name: "The build",
      firstMessage: expect.stringMatching(/^Fix the build, please please .{160,}…$/),
      createdAt: Date.parse("2026-05-01T10:00:00.000Z"),
      modifiedAt: 1_790_000_000_000,
      messageCount: 3,
      sizeBytes: statSync(path).size,
      cwd: bench.cwd,
      model: "acme/m-1",
      parentSession: "/elsewhere/p.jsonl",
      isOpen: false,
      isLocked: false,
    });
    expect(sessions[0]?.firstMessage).toHaveLength(200);
  });

  it("uses the header's title until an entry changes the name, and the model that answered when none was selected", async () => {
    const titled = header({ title: "A title" });
    bench.write("kept.jsonl", jsonLines(titled, ...chained(said("hi"), answered("ho"))));
    bench.write("taken.jsonl", jsonLines(titled, ...chained(said("hi"), { type: "session_info" })));
    const { sessions } = await bench.history().list({});
    expect(sessions.map(({ name, model }) => [name, model])).toEqual([
      [undefined, undefined],
      ["A title", "acme/m-2"],
    ]);
  });

  it("shows every file, newest first, in pages that nothing shifts", async () => {
    for (let index = 0; index < 7; index++) bench.session(`${index}.jsonl`, said("hi"));
    const history = bench.history();
    const first = await history.list({ limit: 3 });
    expect(first.sessions.map(({ id }) => id)).toEqual(["6.jsonl", "5.jsonl", "4.jsonl"]);
    expect(first.total).toBe(7);
    bench.session("new.jsonl", said("hi"));
    rmSync(join(bench.folder, "4.jsonl"));
    const cursor = first.nextCursor;
    const second = await history.list({ limit: 3, cursor });
    expect(second.sessions.map(({ id }) => id)).toEqual(["3.jsonl", "2.jsonl", "1.jsonl"]);
    const last = await history.list({ limit: 3, cursor: second.nextCursor });
    expect(last).toMatchObject({ sessions: [{ id: "0.jsonl" }], total: 7 });
    expect(last.nextCursor).toBeUndefined();
  });

  it("refuses an invalid cursor", async () => {
    for (const cursor of ["", "x", "W10", Buffer.from('["a",1]').toString("base64url")]) {
      await expect(bench.history().list({ cursor })).rejects.toMatchObject({
        code: "invalid_request",
        message: 'list_sessions: "cursor" must be the nextCursor of an earlier answer',
      });
    }
  });

  it("sorts files of the same time by name, so that pages fit together", async () => {
    for (const name of ["b", "a", "c"]) utimesSync(bench.session(`${name}.jsonl`, said("hi")), 5, 5);
    const { sessions, nextCursor: cursor } = await bench.history().list({ limit: 2 });
    expect(sessions.map(({ id }) => id)).toEqual(["a.jsonl", "b.jsonl"]);
    expect(await names({ cursor })).toEqual(["c.jsonl"]);
  });

  it("shows unreadable files, with the reason", async () => {
    bench.write("empty.jsonl", "");
    bench.write("notes.jsonl", "just text\n");
    bench.write("long.jsonl", `{"type":"session","title":"${"x".repeat(100_000)}"`);
    symlinkSync(join(bench.root, "gone.jsonl"), join(bench.folder, "link.jsonl"));
    symlinkSync(join(bench.folder, "circle.jsonl"), join(bench.folder, "circle.jsonl"));
    execFileSync("mkfifo", [join(bench.folder, "pipe.jsonl")]);
    mkdirSync(join(bench.folder, "folder.jsonl"));
    const { sessions, total } = await bench.history().list({});
    const foreign = "Not a session: it does not begin with a session header.";
    expect(total).toBe(6);
    expect(
      Object.fromEntries(sessions.map(({ path, problem }) => [path.slice(bench.folder.length + 1), problem])),
    ).toEqual({
      "empty.jsonl": "The file is empty.",
      "notes.jsonl": foreign,
      "long.jsonl": foreign,
      "link.jsonl": "A link that leads nowhere.",
      "circle.jsonl": "A link that leads nowhere.",
      "pipe.jsonl": "Not a regular file.",
    });
    expect((await bench.history().list({ query: "just" })).total).toBe(0);
  });

  it("ignores a torn last line, and counts it once it is complete", async () => {
    const path = bench.session("a.jsonl", said("one"));
    const [line = ""] = jsonLines(...chained(said("two"))).split("\n");
    appendFileSync(path, line.slice(0, -10));
    const history = bench.history();
    const count = async () => (await history.list({})).sessions[0]?.messageCount;
    expect(await count()).toBe(1);
    appendFileSync(path, line.slice(-10));
    expect(await count()).toBe(2);
    appendFileSync(path, `\n${jsonLines(answered("three"))}garbage\n\n`);
    expect(await count()).toBe(3);
  });

  it("reads a replaced file again, even with the same size and time", async () => {
    const history = bench.history();
    const path = bench.session("a.jsonl", said("one"));
    const firstMessages = async () => (await history.list({})).sessions.map(({ firstMessage }) => firstMessage);
    expect(await firstMessages()).toEqual(["one"]);
    writeFileSync(path, jsonLines(header({ id: "a.jsonl", cwd: bench.cwd }), ...chained(said("two"))));
    utimesSync(path, 1_790_000_000, 1_790_000_000);
    expect(await firstMessages()).toEqual(["two"]);
    writeFileSync(path, jsonLines(header(), ...chained(said("a longer one"), answered("and more"))));
    expect(await firstMessages()).toEqual(["a longer one"]);
    writeFileSync(path, "nothing of the kind\n".repeat(11));
    expect(await firstMessages()).toEqual([undefined]);
    appendFileSync(path, jsonLines(header(), ...chained(said("too late"))));
    expect(await firstMessages()).toEqual([undefined]);
  });

  it("reads files of versions 1 and 2, of other programs and with other line layouts", async () => {
    const old = { type: "session", id: "v1", timestamp: "2025-01-01T00:00:00.000Z", cwd: bench.cwd };
    bench.write("v1.jsonl", jsonLines(old, said("of version one"), answered("yes")));
    const hook = { type: "message", message: { role: "hookMessage", content: "x", timestamp: 1 } };
    bench.write("v2.jsonl", jsonLines({ ...old, version: 2 }, ...chained(hook, said("of version two"))));
    const spaced = JSON.stringify(chained(said("spaced"))[0], null, 1).replace(/\n/g, "");
    const reversed = JSON.stringify({
      message: { content: "reversed", role: "user" },
      parentId: null,
      id: "e",
      type: "message",
    });
    bench.write("other.jsonl", `\uFEFF${JSON.stringify(header())}\r\n\r\n${spaced}\r\n${reversed}\r\n`);
    const { sessions } = await bench.history().list({});
    expect(sessions.map(({ messageCount, firstMessage, problem }) => [messageCount, firstMessage, problem])).toEqual([
      [2, "spaced", undefined],
      [1, "of version two", undefined],
      [2, "of version one", undefined],
    ]);
  });

  it("survives slow lines and endless names", async () => {
    const nested = `{"type":"message","message":{"role":"user","content":${"[".repeat(400_000)}`;
    const start = jsonLines(header({ cwd: bench.cwd }), { type: "session_info", name: "long ".repeat(20_000) });
    bench.write("a.jsonl", `${start}${nested}\n${nested.replace('"type":"message",', "")}\n${"{".repeat(6_000_000)}\n`);
    const before = process.cpuUsage();
    const { sessions } = await bench.history().list({});
    expect((await bench.history().list({ query: "needle" })).total).toBe(0);
    const { user, system } = process.cpuUsage(before);
    expect(sessions[0]).toMatchObject({ name: expect.stringMatching(/^long .*…$/), sizeBytes: expect.any(Number) });
    expect(sessions[0]?.name?.length).toBe(200);
    expect(user + system).toBeLessThan(2_000_000);
  });

  it("finds the first message even before an image of a megabyte", async () => {
    const image = { type: "image", data: "A".repeat(1_000_000), mimeType: "image/png" };
    const content = [{ type: "text", text: "What is this?" }, image];
    bench.session("a.jsonl", { type: "message", message: { role: "user", content, timestamp: 1 } }, answered("A cat."));
    expect((await bench.history().list({})).sessions[0]).toMatchObject({
      firstMessage: "What is this?",
      messageCount: 2,
    });
  });
});

describe("a list of thousands of sessions", () => {
  it("is complete, does not block other work, and is not read again without need", async () => {
    const lines = chained(said("What is in here?"), gave("x".repeat(20_000)), answered("Nothing."));
    for (let index = 0; index < 3000; index++) {
      bench.write(`${index}.jsonl`, jsonLines(header({ id: `s-${index}`, cwd: bench.cwd }), ...lines));
    }
    const history = bench.history();
    let longest = 0;
    let last = process.cpuUsage();
    const ticks = setInterval(() => {
      const { user, system } = process.cpuUsage(last);
      longest = Math.max(longest, (user + system) / 1000);
      last = process.cpuUsage();
    }, 0);
    const before = process.cpuUsage();
    const seen = new Set<string | undefined>();
    for (let cursor: string | undefined, isOver = false; !isOver; isOver = cursor === undefined) {
      const page = await history.list({ limit: 500, cursor });
      for (const { id, messageCount } of page.sessions) if (messageCount === 2) seen.add(id);
      cursor = page.nextCursor;
    }
    const cold = process.cpuUsage(before);
    expect(seen.size).toBe(3000);
    const between = process.cpuUsage();
    await history.list({ limit: 500 });
    const warm = process.cpuUsage(between);
    clearInterval(ticks);
    const ms = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;
    expect(longest).toBeLessThan(100);
    expect(ms(warm)).toBeLessThan(ms(cold));
  });
});
