import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answered, chained, gave, HistoryBench, header, jsonLines, said } from "./history-bench.ts";

const NOON = new Date(2026, 4, 20, 12).getTime();
const DAY_MS = 86_400_000;

let bench: HistoryBench;

beforeEach(() => {
  bench = new HistoryBench();
  bench.now = NOON;
});

afterEach(() => bench.dispose());

/** An answer that has cost something. */
function spent(at: number, costUsd: number, { model = "m-1", tools = [] as string[], text = "ok" } = {}): object {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: costUsd };
  const usage = { input: 10, output: 5, cacheRead: 80, cacheWrite: 5, totalTokens: 100, cost };
  const calls = tools.map((name, index) => ({ type: "toolCall", id: `t${index}`, name, arguments: {} }));
  const content = [{ type: "text", text }, ...calls];
  const message = { role: "assistant", content, api: "a", provider: "acme", model, usage, stopReason: "stop" };
  return { type: "message", timestamp: new Date(at).toISOString(), message: { ...message, timestamp: at } };
}

const sums = { input: 10, output: 5, cacheRead: 80, cacheWrite: 5 };

describe("the usage of sessions", () => {
  it("is added up by day, project and model, with the dearest sessions first", async () => {
    bench.session("a.jsonl", said("Fix it"), spent(NOON, 1), spent(NOON - DAY_MS, 2, { model: "m-2" }));
    bench.session("b.jsonl", said("Think"), spent(NOON, 5), { type: "session_info", name: "Thoughts" });
    bench.session("c.jsonl", said("free"), answered("nothing in range"));
    const { rows, sessions, sessionCount, unreadableCount } = await bench.history().usage();
    const project = bench.cwd;
    expect(rows).toEqual([
      {
        ...{ day: "2026-05-20", project, model: "acme/m-1", requests: 2, costUsd: 6 },
        ...{ input: 20, output: 10, cacheRead: 160, cacheWrite: 10 },
      },
      { day: "2026-05-19", project, model: "acme/m-2", requests: 1, costUsd: 2, ...sums },
    ]);
    expect(sessions.map(({ id, name, firstMessage, costUsd }) => [id, name ?? firstMessage, costUsd])).toEqual([
      ["b.jsonl", "Thoughts", 5],
      ["a.jsonl", "Fix it", 3],
    ]);
    expect([sessionCount, unreadableCount]).toEqual([2, 0]);
  });

  it("begins with the first of the days that are asked for", async () => {
    bench.session("a.jsonl", spent(NOON - DAY_MS, 1), spent(NOON - 7 * DAY_MS, 2));
    const costs = async (days: number) => (await bench.history().usage(days)).rows.map(({ costUsd }) => costUsd);
    expect(await costs(1)).toEqual([]);
    expect(await costs(2)).toEqual([1]);
    expect(await costs(8)).toEqual([1, 2]);
  });

  it("shares the cost of an answer among the calls that it makes", async () => {
    bench.session("a.jsonl", spent(NOON, 3, { tools: ["bash", "bash", "read"] }), gave("x"), spent(NOON, 1));
    const { tools } = await bench.history().usage();
    expect(tools.map(({ tool, calls, costUsd }) => [tool, calls, costUsd])).toEqual([
      ["bash", 2, 2],
      ["read", 1, 1],
    ]);
  });

  it("counts what a fork has copied once, and summaries with the model before them", async () => {
    const own = spent(NOON - 1000, 1);
    bench.session("a.jsonl", own);
    const forkedAt = new Date(NOON).toISOString();
    const fork = header({ id: "b", cwd: bench.cwd, timestamp: forkedAt, parentSession: "/s/a.jsonl" });
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 4 };
    const compaction = { type: "compaction", summary: "s", usage: { ...sums, totalTokens: 100, cost } };
    bench.write(
      "b.jsonl",
      jsonLines(fork, ...chained(own, spent(NOON + 1, 2), { ...compaction, timestamp: forkedAt })),
    );
    const { rows } = await bench.history().usage();
    expect(rows.map(({ model, costUsd, requests }) => [model, costUsd, requests])).toEqual([["acme/m-1", 7, 3]]);
  });

  it("survives hostile files, and counts those that it can't read", async () => {
    bench.write("a.jsonl", "no session\n");
    const bad = { type: "message", message: { role: "assistant", provider: {}, usage: { input: -5, output: "x" } } };
    const far = {
      type: "message",
      message: { role: "assistant", content: 7, model: "m", usage: {}, timestamp: 1e300 },
    };
    bench.write(
      "b.jsonl",
      `${jsonLines(header({ cwd: bench.cwd }), ...chained(bad, far, spent(NOON, 1)))}{"type":"mess`,
    );
    const { rows, unreadableCount } = await bench.history().usage();
    expect(rows.map(({ costUsd }) => costUsd)).toEqual([1]);
    expect(unreadableCount).toBe(1);
  });

  it("finds the usage behind a very long answer", async () => {
    bench.session("a.jsonl", spent(NOON, 1, { text: "x".repeat(2_000_000) }));
    expect((await bench.history().usage()).rows).toHaveLength(1);
  });
});
