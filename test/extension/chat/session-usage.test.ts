import { describe, expect, test } from "vitest";
import type { AssistantMessage } from "../../../agent/protocol/messages.ts";
import { contextParts } from "../../../extension/chat/context-window.ts";
import { type PassedLimit, SessionUsage, wordPassedLimit } from "../../../extension/chat/session-usage.ts";

function answer(total: number, stopReason: AssistantMessage["stopReason"] = "stop", model = "m"): AssistantMessage {
  const cost = { input: 0, output: total, cacheRead: 0, cacheWrite: 0, total };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
  return { role: "assistant", content: [], api: "a", provider: "p", model, usage, stopReason, timestamp: 1 };
}

/** A session whose agent counts `agentCost.usd`. */
function watch(limit: { usd: number }, agentCost: { usd: number | undefined } = { usd: undefined }) {
  const shown: unknown[] = [];
  const seen: string[] = [];
  const passed: PassedLimit[] = [];
  const usage = new SessionUsage({
    readCost: async () => agentCost.usd,
    show: (ui) => shown.push(ui),
    limitUsd: () => limit.usd,
    hasQueued: () => false,
    stopRun: () => seen.push("stop"),
    passed: (what) => passed.push(what),
    failed: (error) => seen.push(String(error)),
  });
  usage.take("s1", []);
  const turn = (total: number, stopReason?: AssistantMessage["stopReason"]) =>
    usage.observe({ type: "turn_end", message: answer(total, stopReason), toolResults: [] });
  const settle = () => usage.observe({ type: "agent_settled", aborted: false });
  return { usage, shown, seen, passed, turn, settle };
}

describe("the cost of a session", () => {
  test("is added up turn by turn, and is the agent's own number after a run", async () => {
    const agentCost: { usd: number | undefined } = { usd: undefined };
    const { shown, turn, settle } = watch({ usd: 0 }, agentCost);
    turn(0.25, "toolUse");
    turn(0.25);
    expect(shown.at(-1)).toEqual({ costUsd: 0.5, costLimitUsd: undefined });
    agentCost.usd = 0.75;
    settle();
    await expect.poll(() => shown.at(-1)).toEqual({ costUsd: 0.75, costLimitUsd: undefined });
  });

  test("of zero is not shown, since the price may be unknown", () => {
    const { shown, turn } = watch({ usd: 2 });
    turn(0);
    expect(shown.at(-1)).toEqual({ costUsd: undefined, costLimitUsd: 2 });
  });

  test("over the limit stops a run each time it continues", () => {
    const { usage, seen, passed, turn } = watch({ usd: 1 });
    turn(0.75, "toolUse");
    expect(seen).toEqual([]);
    turn(0.5, "toolUse");
    expect(seen).toEqual(["stop"]);
    expect(passed).toEqual([{ costUsd: 1.25, limitUsd: 1, wasStopped: true }]);
    expect(usage.wasStopped).toBe(true);
    usage.observe({ type: "agent_start" });
    turn(0.25, "toolUse");
    expect(seen).toEqual(["stop", "stop"]);
  });

  test("over the limit at the end of a run is reported once, and stops nothing", async () => {
    const { seen, passed, turn, settle } = watch({ usd: 1 });
    turn(1.5);
    settle();
    await expect.poll(() => passed).toEqual([{ costUsd: 1.5, limitUsd: 1, wasStopped: false }]);
    settle();
    turn(0.25);
    settle();
    await Promise.resolve();
    expect(passed).toHaveLength(1);
    expect(seen).toEqual([]);
  });

  test("can rise once the limit of the session is raised, until another session begins", () => {
    const { usage, seen, turn } = watch({ usd: 1 });
    turn(1.5, "toolUse");
    usage.raiseLimit(3);
    turn(0.5, "toolUse");
    expect(seen).toEqual(["stop"]);
    usage.take("s2", [answer(9, "stop", "x"), answer(9)]);
    expect(usage.limitUsd).toBe(1);
    expect(usage.models).toEqual(["p/m", "p/x"]);
  });

  test("is shown with both amounts", () => {
    expect(wordPassedLimit({ costUsd: 1.254, limitUsd: 1, wasStopped: true })).toBe(
      "This session has cost $1.25, which is over your limit of $1.00. Tiller stopped the run.",
    );
  });
});

describe("context usage", () => {
  const dumpTools = [{ name: "t", description: "d".repeat(400), parameters: {} }];
  const systemPrompt = "s".repeat(800);
  const usage = (tokens: number | null) => ({ tokens, contextWindow: 1_000, percent: null });

  test("is the agent's number, split by estimates for prompt and tools", () => {
    expect(contextParts({ systemPrompt, dumpTools, contextUsage: usage(700) })).toEqual({
      systemPrompt: 200,
      tools: 112,
      conversation: 388,
      free: 300,
    });
  });

  test("is prompt and tools alone before the first message", () => {
    const found = { name: "u", description: "u".repeat(4000), parameters: {}, deferred: true };
    const parts = contextParts({ systemPrompt, dumpTools: [...dumpTools, found], contextUsage: usage(0) });
    expect(parts).toEqual({ systemPrompt: 200, tools: 112, conversation: 0, free: 688 });
  });

  test("names the files of instructions by their path in the working directory", () => {
    const { instructions } = contextParts({
      cwd: "/home/ada/engine",
      instructionFiles: [
        { path: "/home/ada/engine/app/AGENTS.md", state: "sent" },
        { path: "/home/ada/engine-room/AGENTS.md", state: "matching", globs: ["*.ts"] },
      ],
    });
    expect(instructions).toEqual([
      { name: "app/AGENTS.md", path: "/home/ada/engine/app/AGENTS.md", state: "sent" },
      { name: "/home/ada/engine-room/AGENTS.md", path: "/home/ada/engine-room/AGENTS.md", state: "matching" },
    ]);
  });

  test("is left out when the agent does not report it, or when an estimate is more than the whole", () => {
    expect(contextParts({ systemPrompt, contextUsage: usage(null) })).toEqual({ systemPrompt: 200 });
    expect(contextParts({})).toEqual({});
    expect(contextParts({ systemPrompt, contextUsage: usage(150) })).toEqual({ systemPrompt: 200, free: 850 });
  });
});
