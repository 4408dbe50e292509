import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CompactionResult } from "../../agent/protocol/compaction.ts";
import { gate, hang, httpError, reply, text, toolCall } from "../support/scripted-replies.ts";
import { LONG, SmallWindow, story } from "../support/small-window.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let small: SmallWindow;

beforeEach(async () => {
  small = await SmallWindow.start();
});

afterEach(() => small.stop());

describe("compact", () => {
  it("returns every field of the result and writes one entry, without auto_* events", async () => {
    small.model.enqueue(
      reply([toolCall("read", { path: "settings.json" })]),
      reply(LONG),
      reply("Fine"),
      reply("## Goal\nA summary", { usage: { input_tokens: 700, output_tokens: 60 } }),
    );
    await small.agent.run("first");
    await small.agent.run(LONG);
    const from = small.agent.frames.length;
    const result = await small.agent.call("compact", { customInstructions: "Mind the API." });
    expect(story(small.agent.frames.slice(from))).toEqual(["compaction_start", "compaction_end", "response compact"]);
    expect(small.agent.frames[from]).toEqual({ type: "compaction_start", reason: "manual" });
    expect(small.agent.frames[from + 1]).toEqual({
      type: "compaction_end",
      reason: "manual",
      result,
      aborted: false,
      willRetry: false,
    });
    expect(CompactionResult.parse(result)).toEqual(result);
    expect(result).toMatchObject({
      summary: "## Goal\nA summary\n\n<read-files>\nsettings.json (first)\n</read-files>",
      details: { readFiles: ["settings.json"], modifiedFiles: [] },
      usage: { input: 700, output: 60, totalTokens: 760 },
    });
    expect(result.tokensBefore).toBe(15);
    expect(Number(result.estimatedTokensAfter)).toBeGreaterThan(200);
    expect(small.lastRequest()).toContain("Mind the API.");
    expect(small.model.requests.at(-1)?.body).toMatchObject({ max_tokens: 1600 });
    expect(small.model.requests.at(-1)?.body.tools).toBeUndefined();
    const { sessionFile } = await small.agent.call("get_state");
    const lines = readFileSync(String(sessionFile), "utf8").trimEnd().split("\n");
    const { estimatedTokensAfter, ...stored } = result;
    expect(asRecord(JSON.parse(lines.at(-1) ?? ""))).toEqual({
      type: "compaction",
      ...stored,
      id: expect.any(String),
      parentId: expect.any(String),
      timestamp: expect.any(String),
    });
  });

  it("leaves the context usage unknown until the next answer, whose request begins with the summary", async () => {
    await small.talk();
    small.model.enqueue(reply("Notes"), reply("Beginning"), reply("Answer"));
    await small.agent.call("compact");
    const { contextUsage, cost, tokens } = await small.agent.call("get_session_stats");
    expect(contextUsage).toEqual({ tokens: null, contextWindow: 10_000, percent: null });
    expect({ cost, total: asRecord(tokens).total }).toEqual({ cost: 0, total: 60 });
    const { messages } = await small.agent.call("get_messages");
    expect(messages).toMatchObject([
      { role: "compactionSummary", summary: expect.stringMatching(/^Notes\n/) },
      { role: "assistant" },
    ]);
    await small.agent.run("third");
    expect(JSON.stringify(small.model.requests.at(-1)?.body.messages[0])).toContain("<summary>\\n");
    expect(asRecord((await small.agent.call("get_state")).contextUsage).tokens).toBe(15);
  });

  it("summarizes the beginning of a long turn separately", async () => {
    await small.talk();
    small.model.enqueue(reply("History"), reply("Beginning"));
    const { summary } = await small.agent.call("compact");
    expect(summary).toBe("History\n\n**Turn Context (split turn):**\n\nBeginning");
  });

  it("fails when repeated, and for a short session", async () => {
    small.model.enqueue(reply("Hello"));
    await small.agent.run("hi");
    const from = small.agent.frames.length;
    expect(await small.agent.request("compact")).toMatchObject({ error: "Nothing to compact (session too small)" });
    expect(small.agent.frames.slice(from, from + 2)).toEqual([
      { type: "compaction_start", reason: "manual" },
      {
        type: "compaction_end",
        reason: "manual",
        result: null,
        aborted: false,
        willRetry: false,
        errorMessage: "Compaction failed: Nothing to compact (session too small)",
      },
    ]);
    await small.talk();
    small.model.enqueue(reply("Notes"), reply("Beginning"));
    await small.agent.call("compact");
    expect(await small.agent.request("compact")).toMatchObject({ error: "Already compacted" });
  });

  it("reports a missing key, and the model's error when it failed", async () => {
    await small.talk();
    small.model.enqueue(httpError(400, "invalid_request_error", "No such thing"));
    expect((await small.agent.request("compact")).error).toMatch(/^Summarization failed: .*No such thing/);
    await small.restartWithoutKey();
    expect((await small.agent.request("compact")).error).toBe("No API key for local");
  });

  it("reports that there is no model, and what to do", async () => {
    const agent = new AgentUnderTest();
    try {
      expect((await agent.request("compact")).error).toMatch(/^No model selected\.\n\n/);
      expect(agent.frames.find(({ type }) => type === "compaction_end")?.errorMessage).toMatch(
        /^Compaction failed: No model selected\.\n/,
      );
    } finally {
      await agent.dispose();
    }
  });

  it("retries transient failures and reports it", async () => {
    await small.talk();
    small.model.enqueue(httpError(529, "overloaded_error", "Overloaded"), reply("History"), reply("Beginning"));
    const from = small.agent.frames.length;
    await small.agent.call("compact");
    expect(small.agent.frames.slice(from + 1, from + 4)).toMatchObject([
      { type: "summarization_retry_scheduled", attempt: 1, maxAttempts: 3, delayMs: 1 },
      { type: "summarization_retry_attempt_start", source: "compaction", reason: "manual" },
      { type: "summarization_retry_finished" },
    ]);
  });

  it("ends a streaming run first and keeps the queues", async () => {
    await small.talk();
    const held = gate();
    small.model.enqueue(reply([text(LONG), held]), reply("History"), reply("Beginning"));
    const third = small.agent.frames.length;
    await small.agent.call("prompt", { message: "third" });
    await small.agent.waitFor((frame) => asRecord(frame.assistantMessageEvent).delta === LONG, third);
    await small.agent.call("steer", { message: "later" });
    const from = small.agent.frames.length;
    await small.agent.call("compact");
    held.release();
    expect(story(small.agent.frames.slice(from))).toEqual([
      "message_end assistant",
      "turn_end",
      "agent_end",
      "agent_settled",
      "compaction_start",
      "compaction_end",
      "response compact",
    ]);
    expect(await small.agent.call("get_state")).toMatchObject({ pendingMessageCount: 1, isStreaming: false });
  });

  it("fails when aborted, and answers before the abort does", async () => {
    await small.talk();
    const stuck = hang();
    small.model.enqueue(stuck);
    await small.beginCompaction();
    expect(await small.agent.call("get_state")).toMatchObject({ isCompacting: true, isStreaming: false });
    const from = small.agent.frames.length;
    await small.agent.call("abort");
    expect(small.agent.frames.slice(from)).toMatchObject([
      { type: "compaction_end", aborted: true, result: null },
      { type: "response", command: "compact", success: false, error: "Compaction cancelled" },
      { type: "response", command: "abort", success: true },
    ]);
    expect(small.agent.frames[from]).not.toHaveProperty("errorMessage");
    expect(await small.agent.call("get_state")).toMatchObject({ isCompacting: false });
  });
});

describe("a manual compaction", () => {
  it("is ended by abort_and_prompt, whose run follows", async () => {
    await small.talk();
    small.model.enqueue(hang(), reply("Instead"));
    await small.beginCompaction();
    const from = small.agent.frames.length;
    expect(await small.agent.call("abort_and_prompt", { message: "rather this" })).toEqual({ disposition: "started" });
    await small.agent.settled(from);
    expect(story(small.agent.frames.slice(from)).slice(0, 4)).toEqual([
      "compaction_end",
      "response compact",
      "response abort_and_prompt",
      "agent_start",
    ]);
  });

  it("ends with the process and writes nothing", async () => {
    await small.talk();
    const { sessionFile } = await small.agent.call("get_state");
    small.model.enqueue(hang());
    await small.beginCompaction();
    expect(await small.agent.end()).toEqual({ code: 0, signal: null });
    expect(small.agent.frames.at(-1)).toMatchObject({ command: "compact", error: "Compaction cancelled" });
    expect(readFileSync(String(sessionFile), "utf8")).not.toContain('"compaction"');
  });

  it("holds back the message of a shell command until it is over", async () => {
    await small.talk();
    const held = gate();
    small.model.enqueue(reply([held, text("History")]), reply("Beginning"));
    await small.beginCompaction();
    await small.agent.call("bash", { command: "echo meanwhile" });
    expect(JSON.stringify(await small.agent.call("get_messages"))).not.toContain("meanwhile");
    held.release();
    await small.agent.waitFor(({ id }) => id === "c");
    expect(asRecord(await small.agent.call("get_messages")).messages).toMatchObject([
      { role: "compactionSummary" },
      { role: "assistant" },
      { role: "bashExecution", output: "meanwhile\n" },
    ]);
  });
});
