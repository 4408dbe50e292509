import { appendFileSync, closeSync, openSync, writeSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SessionMatch } from "../../agent/protocol/history.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";
import { answered, chained, gave, HistoryBench, header, jsonLines, said } from "./history-bench.ts";

let bench: HistoryBench;

beforeEach(() => {
  bench = new HistoryBench();
});

afterEach(() => bench.dispose());

async function search(query: string): Promise<(SessionMatch | undefined)[]> {
  const { sessions } = await bench.history().list({ query });
  return sessions.map(({ match }) => match);
}

describe("a search of sessions", () => {
  it("finds messages of user and model, with their place", async () => {
    bench.session("a.jsonl", said("Why does the Build fail?"), answered("A comma is missing in lines.ts."));
    expect(await search("BUILD")).toEqual([{ text: "Why does the Build fail?", entryId: "e0", role: "user" }]);
    expect(await search("comma")).toEqual([
      { text: "A comma is missing in lines.ts.", entryId: "e1", role: "assistant" },
    ]);
    expect(await search("semicolon")).toEqual([]);
  });

  it("requires all words, anywhere, and shows the text with the most of them", async () => {
    bench.session("a.jsonl", said("the red one"), answered("the red and the blue one"), said("green"));
    expect(await search("green  RED\tblue")).toEqual([
      { text: "the red and the blue one", entryId: "e1", role: "assistant" },
    ]);
    expect(await search("green red black")).toEqual([]);
  });

  it("shows words that are far apart in one excerpt", async () => {
    const text = `The parser ${"goes on ".repeat(50)}and the lamp ${"stays on ".repeat(50)}`;
    bench.session("a.jsonl", said(text));
    const [match] = await search("lamp parser");
    expect(match?.text).toMatch(/^The parser goes on .*… ….*and the lamp stays.*…$/);
    expect(match?.text.length).toBeLessThanOrEqual(200);
  });

  it("finds commands and paths of tools, commands of the user and the session's name", async () => {
    const call = { type: "toolCall", id: "t1", name: "bash", arguments: { command: "npm run lint", path: "src/a.ts" } };
    const bash = {
      role: "bashExecution",
      command: "git status",
      output: "clean",
      cancelled: false,
      truncated: false,
      timestamp: 1,
    };
    bench.session(
      "a.jsonl",
      said("hi"),
      answered("ok", call),
      { type: "message", message: bash },
      { type: "session_info", name: "Old name" },
      { type: "session_info", name: "Lamp and table" },
    );
    expect(await search("lint")).toEqual([{ text: "npm run lint", entryId: "e1", role: "tool" }]);
    expect(await search("src/a")).toEqual([{ text: "src/a.ts", entryId: "e1", role: "tool" }]);
    expect(await search("status")).toEqual([{ text: "git status", entryId: "e2", role: "bash" }]);
    expect(await search("hi lamp")).toEqual([{ text: "hi", entryId: "e0", role: "user" }]);
    expect(await search("table")).toEqual([{ text: "Lamp and table", role: "name" }]);
    expect(await search("old")).toEqual([]);
    expect(await search("clean")).toEqual([]);
  });

  it("ignores thinking, results, images and the file format", async () => {
    const image = { type: "image", data: "c2VjcmV0", mimeType: "image/png" };
    bench.session(
      "a.jsonl",
      { type: "message", message: { role: "user", content: [image, { type: "text", text: "hi" }], timestamp: 1 } },
      answered("ho", { type: "thinking", thinking: "pondering" }),
      gave("result"),
      { type: "custom", customType: "data", data: { text: "custom" } },
    );
    for (const query of ["c2vjcmv0", "pondering", "result", "custom", "role", "timestamp", "toolcall"]) {
      expect(await search(query), query).toEqual([]);
    }
  });

  it("shows at most 200 characters around the match, on one line and without half characters", async () => {
    const text = `${"😀 ".repeat(300)}\n\nthe   needle\tis here ${"🎈".repeat(300)}`;
    bench.session("a.jsonl", said(text));
    const [match] = await search("needle");
    expect(match?.text).toMatch(/^….*the needle is here .*…$/u);
    expect(match?.text.length).toBeLessThanOrEqual(200);
    expect(() => encodeURIComponent(String(match?.text))).not.toThrow();
  });

  it("ignores case and accents of other languages, in any encoding", async () => {
    bench.session("a.jsonl", said("İstanbul, ÀÉÎ, СЕССИЯ, e\u0301te\u0301"));
    for (const query of ["àéî", "сессия", "été", "stanbul"]) expect(await search(query), query).toHaveLength(1);
  });

  it("skips broken lines and reads an unfinished last line", async () => {
    const path = bench.session("a.jsonl", said("first"));
    appendFileSync(
      path,
      `{"type":"message","message":{"role":"user","content":"torn\n${JSON.stringify(chained(said("last"))[0])}`,
    );
    expect(await search("torn")).toEqual([]);
    expect(await search("last first")).toHaveLength(1);
  });

  it("counts all matches, returns pages of them, and notices changes in between", async () => {
    for (let index = 0; index < 5; index++) bench.session(`${index}.jsonl`, said(index === 2 ? "no" : "yes"));
    const history = bench.history();
    const first = await history.list({ query: "yes", limit: 2 });
    expect(first).toMatchObject({ sessions: [{ id: "4.jsonl" }, { id: "3.jsonl" }], total: 4 });
    bench.write("0.jsonl", jsonLines(header({ id: "0.jsonl" }), ...chained(said("not any more"))));
    const second = await history.list({ query: "Yes ", limit: 2, cursor: first.nextCursor });
    expect(second).toMatchObject({ sessions: [{ id: "1.jsonl" }], total: 3 });
  });

  it("with only spaces finds nothing", async () => {
    bench.session("a.jsonl", said("hi"));
    expect(await bench.history().list({ query: " \n" })).toMatchObject({ sessions: [{ id: "a.jsonl" }], total: 1 });
  });
});

describe("a long search", () => {
  /** A session of 200 MB, most of it in results of tools and images. */
  function writeLarge(): void {
    const path = bench.session("large.jsonl", said("begin"));
    const line = jsonLines(...chained(gave("needle ".repeat(150_000))));
    const image = { type: "image", data: "QUJD".repeat(3_000_000), mimeType: "image/png" };
    const fd = openSync(path, "a");
    for (let index = 0; index < 190; index++) writeSync(fd, line);
    const content = [{ type: "text", text: "Look at this" }, image, { type: "text", text: "unseen" }];
    writeSync(fd, jsonLines({ type: "message", id: "p", message: { role: "user", content, timestamp: 1 } }));
    writeSync(fd, jsonLines({ ...said("the end"), id: "z" }));
    closeSync(fd);
  }

  it("lets other work continue", async () => {
    writeLarge();
    const history = bench.history();
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    expect((await history.list({ query: "needle" })).total).toBe(0);
    expect((await history.list({ query: "look" })).total).toBe(1);
    const [last] = (await history.list({ query: "the end" })).sessions;
    expect(last?.match).toEqual({ text: "the end", entryId: "z", role: "user" });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(10);
  });

  it("works in an agent with less memory than half of the file", async () => {
    writeLarge();
    const env = { NODE_OPTIONS: "--max-old-space-size=96" };
    const agent = new AgentUnderTest({ cwd: bench.cwd, agentDir: bench.agentDir, env });
    try {
      expect(await agent.call("list_sessions", { query: "the end" })).toMatchObject({ total: 1 });
    } finally {
      await agent.dispose();
    }
  });

  it("ends when other words are searched for, or when the plain list is requested", async () => {
    writeLarge();
    const history = bench.history();
    const over = { sessions: [], total: 0, isSuperseded: true };
    const first = history.list({ query: "needle" });
    const second = history.list({ query: "needl" });
    const page = history.list({ query: "needl", limit: 1 });
    expect(await first).toEqual(over);
    const plain = await history.list({});
    expect(plain.total).toBe(1);
    expect(await second).toEqual(over);
    expect(await page).toEqual(over);
    expect((await history.list({ query: "begin" })).total).toBe(1);
  });

  it("fails when the agent ends", async () => {
    writeLarge();
    const searching = bench.history().list({ query: "needle" });
    bench.end();
    await expect(searching).rejects.toThrow("It is over.");
  });
});
