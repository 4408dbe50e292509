import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CompactionResult } from "../../agent/protocol/events.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, hang, httpError, reply, text, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agent: AgentUnderTest;
let folder: string;

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-compaction-"));
  const tiny = { id: "tiny", contextWindow: 10_000, maxTokens: 3000 };
  const local = { baseUrl: model.url, api: "anthropic-messages", apiKey: "LOCAL_KEY", models: [tiny] };
  writeFileSync(join(folder, "models.json"), JSON.stringify({ providers: { local } }));
  const compaction = { reserveTokens: 2000, keepRecentTokens: 100 };
  writeFileSync(join(folder, "settings.json"), JSON.stringify({ compaction, retry: { baseDelayMs: 1 } }));
  agent = start({ LOCAL_KEY: "k" });
});

afterEach(async () => {
  await agent.dispose();
  rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

function start(env: Record<string, string>): AgentUnderTest {
  return new AgentUnderTest({ agentDir: folder, cwd: folder, args: ["--model", "local/tiny"], env });
}

const LONG = "word ".repeat(200);
const NEARLY_FULL = { usage: { input_tokens: 9000 } };

/** Two long exchanges, so that the older one can be summarised. */
async function talk(): Promise<void> {
  model.enqueue(reply(LONG), reply(LONG));
  await agent.run("first");
  await agent.run("second");
}

/** The frames of a run, without the updates. */
async function run(message: string): Promise<Frame[]> {
  return (await agent.run(message)).filter(({ type }) => type !== "message_update");
}

/** Types of frames; answers and messages are named by what they are. */
function story(frames: readonly Frame[]): string[] {
  return frames
    .filter(({ type }) => type !== "message_update")
    .map((frame) => {
      if (frame.type === "response") return `response ${String(frame.command)}`;
      const { role } = asRecord(frame.message);
      return frame.type.startsWith("message_") ? `${frame.type} ${String(role)}` : frame.type;
    });
}

/** What the model was asked in its last request, as one text. */
function lastRequest(): string {
  return JSON.stringify(model.requests.at(-1)?.body);
}

describe("compact", () => {
  it("C158 gives every field of the result and writes one entry, C157 without auto_* frames", async () => {
    model.enqueue(
      reply([toolCall("read", { path: "settings.json" })]),
      reply(LONG),
      reply("Fine"),
      reply("## Goal\nA summary", { usage: { input_tokens: 700, output_tokens: 60 } }),
    );
    await agent.run("first");
    await agent.run(LONG);
    const from = agent.frames.length;
    const result = await agent.call("compact", { customInstructions: "Mind the API." });
    expect(story(agent.frames.slice(from))).toEqual(["compaction_start", "compaction_end", "response compact"]);
    expect(agent.frames[from]).toEqual({ type: "compaction_start", reason: "manual" });
    expect(agent.frames[from + 1]).toEqual({
      type: "compaction_end",
      reason: "manual",
      result,
      aborted: false,
      willRetry: false,
    });
    expect(CompactionResult.parse(result)).toEqual(result);
    expect(result).toMatchObject({
      summary: "## Goal\nA summary\n\n<read-files>\nsettings.json\n</read-files>",
      details: { readFiles: ["settings.json"], modifiedFiles: [] },
      usage: { input: 700, output: 60, totalTokens: 760 },
    });
    expect(result.tokensBefore).toBe(15);
    expect(Number(result.estimatedTokensAfter)).toBeGreaterThan(200);
    expect(lastRequest()).toContain("Mind the API.");
    expect(model.requests.at(-1)?.body).toMatchObject({ max_tokens: 1600 });
    expect(model.requests.at(-1)?.body.tools).toBeUndefined();
    const { sessionFile } = await agent.call("get_state");
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

  it("C163 leaves the fill unknown until the next answer, whose request begins with the summary", async () => {
    await talk();
    model.enqueue(reply("Notes"), reply("Beginning"), reply("Answer"));
    await agent.call("compact");
    const { contextUsage, cost, tokens } = await agent.call("get_session_stats");
    expect(contextUsage).toEqual({ tokens: null, contextWindow: 10_000, percent: null });
    expect({ cost, total: asRecord(tokens).total }).toEqual({ cost: 0, total: 60 });
    const { messages } = await agent.call("get_messages");
    expect(messages).toMatchObject([
      { role: "compactionSummary", summary: expect.stringMatching(/^Notes\n/) },
      { role: "assistant" },
    ]);
    await agent.run("third");
    expect(JSON.stringify(model.requests.at(-1)?.body.messages[0])).toContain("<summary>\\n");
    expect(asRecord((await agent.call("get_state")).contextUsage).tokens).toBe(15);
  });

  it("summarises the beginning of a long turn by itself", async () => {
    await talk();
    model.enqueue(reply("History"), reply("Beginning"));
    const { summary } = await agent.call("compact");
    expect(summary).toBe("History\n\n**Turn Context (split turn):**\n\nBeginning");
  });

  it("C159 twice says so, C160 and so does a short session", async () => {
    model.enqueue(reply("Hello"));
    await agent.run("hi");
    const from = agent.frames.length;
    expect(await agent.request("compact")).toMatchObject({ error: "Nothing to compact (session too small)" });
    expect(agent.frames.slice(from, from + 2)).toEqual([
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
    await talk();
    model.enqueue(reply("Notes"), reply("Beginning"));
    await agent.call("compact");
    expect(await agent.request("compact")).toMatchObject({ error: "Already compacted" });
  });

  it("says what is missing when there is no key, and what the model said when it failed", async () => {
    await talk();
    model.enqueue(httpError(400, "invalid_request_error", "No such thing"));
    expect((await agent.request("compact")).error).toMatch(/^Summarization failed: .*No such thing/);
    await agent.dispose();
    agent = start({});
    expect((await agent.request("compact")).error).toBe("No API key for local");
  });

  it("tries transient failures again and tells so", async () => {
    await talk();
    model.enqueue(httpError(529, "overloaded_error", "Overloaded"), reply("History"), reply("Beginning"));
    const from = agent.frames.length;
    await agent.call("compact");
    expect(agent.frames.slice(from + 1, from + 4)).toMatchObject([
      { type: "summarization_retry_scheduled", attempt: 1, maxAttempts: 3, delayMs: 1 },
      { type: "summarization_retry_attempt_start", source: "compaction", reason: "manual" },
      { type: "summarization_retry_finished" },
    ]);
  });

  it("C161 ends a streaming run first, and keeps the queues", async () => {
    await talk();
    const held = gate();
    model.enqueue(reply([text(LONG), held]), reply("History"), reply("Beginning"));
    const third = agent.frames.length;
    await agent.call("prompt", { message: "third" });
    await agent.waitFor((frame) => asRecord(frame.assistantMessageEvent).delta === LONG, third);
    await agent.call("steer", { message: "later" });
    const from = agent.frames.length;
    await agent.call("compact");
    held.release();
    expect(story(agent.frames.slice(from))).toEqual([
      "message_end assistant",
      "turn_end",
      "agent_end",
      "agent_settled",
      "compaction_start",
      "compaction_end",
      "response compact",
    ]);
    expect(await agent.call("get_state")).toMatchObject({ pendingMessageCount: 1, isStreaming: false });
  });

  it("C144 fails when it is aborted, and answers before the abort does", async () => {
    await talk();
    const stuck = hang();
    model.enqueue(stuck);
    agent.send({ id: "c", type: "compact" });
    await agent.waitFor(({ type }) => type === "compaction_start");
    expect(await agent.call("get_state")).toMatchObject({ isCompacting: true, isStreaming: false });
    const from = agent.frames.length;
    await agent.call("abort");
    expect(agent.frames.slice(from)).toMatchObject([
      { type: "compaction_end", aborted: true, result: null },
      { type: "response", command: "compact", success: false, error: "Compaction cancelled" },
      { type: "response", command: "abort", success: true },
    ]);
    expect(agent.frames[from]).not.toHaveProperty("errorMessage");
    expect(await agent.call("get_state")).toMatchObject({ isCompacting: false });
  });
});

describe("a manual compaction", () => {
  it("is ended by abort_and_prompt, whose run follows", async () => {
    await talk();
    model.enqueue(hang(), reply("Instead"));
    agent.send({ id: "c", type: "compact" });
    await agent.waitFor(({ type }) => type === "compaction_start");
    const from = agent.frames.length;
    expect(await agent.call("abort_and_prompt", { message: "rather this" })).toEqual({ disposition: "started" });
    await agent.settled(from);
    expect(story(agent.frames.slice(from)).slice(0, 4)).toEqual([
      "compaction_end",
      "response compact",
      "response abort_and_prompt",
      "agent_start",
    ]);
  });

  it("ends with the process, and writes nothing", async () => {
    await talk();
    const { sessionFile } = await agent.call("get_state");
    model.enqueue(hang());
    agent.send({ id: "c", type: "compact" });
    await agent.waitFor(({ type }) => type === "compaction_start");
    expect(await agent.end()).toEqual({ code: 0, signal: null });
    expect(agent.frames.at(-1)).toMatchObject({ command: "compact", error: "Compaction cancelled" });
    expect(readFileSync(String(sessionFile), "utf8")).not.toContain('"compaction"');
  });

  it("keeps the message of a shell command until it is over", async () => {
    await talk();
    const held = gate();
    model.enqueue(reply([held, text("History")]), reply("Beginning"));
    agent.send({ id: "c", type: "compact" });
    await agent.waitFor(({ type }) => type === "compaction_start");
    await agent.call("bash", { command: "echo meanwhile" });
    expect(JSON.stringify(await agent.call("get_messages"))).not.toContain("meanwhile");
    held.release();
    await agent.waitFor(({ id }) => id === "c");
    expect(asRecord(await agent.call("get_messages")).messages).toMatchObject([
      { role: "compactionSummary" },
      { role: "assistant" },
      { role: "bashExecution", output: "meanwhile\n" },
    ]);
  });
});

describe("prompts during a manual compaction", () => {
  it("C091 are held and run after it, one after the other", async () => {
    await talk();
    const held = gate();
    model.enqueue(reply([held, text("History")]), reply("Beginning"), reply("A"), reply("B"));
    agent.send({ id: "c", type: "compact" });
    await agent.waitFor(({ type }) => type === "compaction_start");
    const from = agent.frames.length;
    expect(await agent.call("prompt", { message: "third" })).toEqual({ disposition: "queued" });
    expect(await agent.call("prompt", { message: "fourth" })).toEqual({ disposition: "queued" });
    await agent.call("steer", { message: "by the way" });
    expect(await agent.call("get_state")).toMatchObject({ isStreaming: true, isCompacting: true });
    held.release();
    const settled = await agent.settled(from);
    await agent.settled(agent.frames.indexOf(settled) + 1);
    const said = story(agent.frames.slice(from)).filter((line) => /^(agent_|compaction|message_start user)/.test(line));
    expect(said).toEqual([
      "compaction_end",
      "agent_start",
      "message_start user",
      "message_start user",
      "agent_end",
      "agent_settled",
      "agent_start",
      "message_start user",
      "agent_end",
      "agent_settled",
    ]);
    expect(lastRequest()).toContain("fourth");
    expect(await agent.call("get_state")).toMatchObject({ isStreaming: false });
  });

  it("are dropped by clear_queue, which gives their texts back, and by abort", async () => {
    await talk();
    const held = gate();
    model.enqueue(reply([held, text("Never")]));
    agent.send({ id: "c", type: "compact" });
    await agent.waitFor(({ type }) => type === "compaction_start");
    await agent.call("follow_up", { message: "later" });
    await agent.call("prompt", { message: "third" });
    const from = agent.frames.length;
    expect(await agent.call("clear_queue")).toEqual({ steering: [], followUp: ["later", "third"] });
    expect(agent.frames.slice(from, from + 2)).toEqual([
      { type: "queue_update", steering: [], followUp: [] },
      { type: "agent_settled", aborted: true },
    ]);
    await agent.call("prompt", { message: "fourth" });
    const before = agent.frames.length;
    await agent.call("abort");
    expect(story(agent.frames.slice(before))).toEqual([
      "compaction_end",
      "response compact",
      "agent_settled",
      "response abort",
    ]);
    expect(await agent.call("get_state")).toMatchObject({ isStreaming: false });
    held.release();
  });

  it("that arrive before new_session is done run in the new session", async () => {
    await talk();
    const held = gate();
    model.enqueue(reply([held, text("History")]), reply("Beginning"), reply("Fresh"));
    agent.send({ id: "c", type: "compact" });
    await agent.waitFor(({ type }) => type === "compaction_start");
    const from = agent.frames.length;
    agent.send({ id: "n", type: "new_session" });
    expect(await agent.call("prompt", { message: "afresh" })).toEqual({ disposition: "queued" });
    held.release();
    await agent.settled(from);
    expect(model.requests.at(-1)?.body.messages).toHaveLength(1);
    expect(story(agent.frames.slice(from)).slice(1, 5)).toEqual([
      "compaction_end",
      "response compact",
      "response new_session",
      "agent_start",
    ]);
  });
});

const PAIR = ["compaction_start", "auto_compaction_start", "auto_compaction_end", "compaction_end"];

describe("automatic compaction", () => {
  it("C154 makes room between two turns", async () => {
    model.enqueue(reply(LONG), reply([text(LONG), toolCall("ls")], NEARLY_FULL), reply("H"), reply("B"), reply("Done"));
    await agent.run("first");
    const frames = await run("second");
    const at = story(frames).indexOf("compaction_start");
    expect(story(frames).slice(at - 1, at + 5)).toEqual(["turn_end", ...PAIR, "turn_start"]);
    expect(frames[at]).toEqual({ type: "compaction_start", reason: "threshold" });
    expect(frames[at + 1]).toEqual({ type: "auto_compaction_start", reason: "threshold", action: "context-full" });
    const { result } = asRecord(frames[at + 3]);
    expect(frames[at + 2]).toMatchObject({ action: "context-full", result, aborted: false, willRetry: false });
    expect(result).toMatchObject({ summary: "H\n\n**Turn Context (split turn):**\n\nB" });
    expect(story(frames).filter((type) => type === "agent_start")).toHaveLength(1);
  });

  it("follows a run that filled the window, and does not continue it", async () => {
    model.enqueue(reply(LONG), reply(LONG, NEARLY_FULL), reply("H"), reply("B"));
    await agent.run("first");
    const frames = await run("second");
    expect(story(frames).slice(-6)).toEqual(["agent_end", ...PAIR, "agent_settled"]);
    expect(frames.at(-6)).toMatchObject({ willRetry: false, willContinue: false });
  });

  it("comes before a new prompt when it was off until then, C164 and never while it is off", async () => {
    await agent.call("set_auto_compaction", { enabled: false });
    model.enqueue(reply(LONG), reply(LONG, NEARLY_FULL));
    await agent.run("first");
    expect(story(await agent.run("second"))).not.toContain("compaction_start");
    await agent.call("set_auto_compaction", { enabled: true });
    model.enqueue(reply("H"), reply("B"), reply("Answer"));
    const frames = await run("third");
    expect(story(frames).slice(0, 6)).toEqual([...PAIR, "agent_start", "turn_start"]);
    expect(lastRequest()).toContain("third");
  });

  it("C155 makes room after an overflow and asks again", async () => {
    await talk();
    const overflow = httpError(400, "invalid_request_error", "prompt is too long: 12000 tokens > 10000 maximum");
    model.enqueue(overflow, reply("H"), reply("B"), reply("Now it fits"));
    const frames = await run("third");
    const at = story(frames).indexOf("agent_end");
    expect(story(frames).slice(at, at + 6)).toEqual(["agent_end", ...PAIR, "agent_start"]);
    expect(frames[at]).toMatchObject({ willRetry: false, willContinue: true });
    expect(frames[at + 4]).toMatchObject({ reason: "overflow", willRetry: true, aborted: false });
    expect(lastRequest()).toContain("third");
    expect(await agent.call("get_last_assistant_text")).toEqual({ text: "Now it fits" });
  });

  it("C156 gives up after a second overflow in the run", async () => {
    await talk();
    const overflow = httpError(400, "invalid_request_error", "prompt is too long: 12000 tokens > 10000 maximum");
    model.enqueue(overflow, reply("H"), reply("B"), overflow);
    const frames = await run("third");
    expect(story(frames).slice(-6)).toEqual(["agent_end", ...PAIR, "agent_settled"]);
    expect(frames.at(-6)).toMatchObject({ willContinue: false });
    expect(frames.at(-2)).toEqual({
      type: "compaction_end",
      reason: "overflow",
      result: null,
      aborted: false,
      willRetry: false,
      errorMessage:
        "Context overflow recovery failed after one compact-and-retry attempt. Try reducing context or switching to a larger-context model.",
    });
  });

  it("takes an answer that was cut below the model's own limit for an overflow, and one at the limit for an answer", async () => {
    await talk();
    const cut = { stopReason: "max_tokens", usage: { output_tokens: 100 } };
    model.enqueue(reply(LONG, cut), reply("H"), reply("B"), reply("whole"));
    expect(story(await agent.run("third")).filter((type) => type === "agent_start")).toHaveLength(2);
    model.enqueue(reply(LONG, { stopReason: "max_tokens", usage: { output_tokens: 3000 } }));
    expect(story(await agent.run("fourth"))).not.toContain("compaction_start");
  });

  it("says why it failed, and the run goes on", async () => {
    model.enqueue(reply(LONG), reply([text(LONG), toolCall("ls")], NEARLY_FULL));
    model.enqueue(httpError(400, "invalid_request_error", "No such thing"), reply("Done"));
    await agent.run("first");
    const frames = await run("second");
    const end = frames.find(({ type }) => type === "compaction_end");
    expect(end).toMatchObject({ result: null, aborted: false, willRetry: false });
    expect(end?.errorMessage).toMatch(/^Auto-compaction failed: Summarization failed: .*No such thing/);
    expect(await agent.call("get_last_assistant_text")).toEqual({ text: "Done" });
  });

  it.each([
    ["between turns", reply([text(LONG), toolCall("ls")], NEARLY_FULL), ["agent_end", "agent_settled"]],
    ["after a run", reply(LONG, NEARLY_FULL), ["agent_settled"]],
  ])("C143 is aborted %s: both end frames say so", async (_, answer, end) => {
    model.enqueue(reply(LONG), answer, hang());
    await agent.run("first");
    await agent.call("prompt", { message: "second" });
    await agent.waitFor(({ type }) => type === "auto_compaction_start");
    expect(await agent.call("get_state")).toMatchObject({ isCompacting: true, isStreaming: true });
    const from = agent.frames.length;
    await agent.call("abort");
    const frames = agent.frames.slice(from);
    expect(story(frames)).toEqual(["auto_compaction_end", "compaction_end", ...end, "response abort"]);
    expect(frames[0]).toEqual({ type: "auto_compaction_end", action: "context-full", aborted: true, willRetry: false });
    expect(frames[1]).toMatchObject({ result: null, aborted: true, willRetry: false });
    expect(frames.at(-2)).toEqual({ type: "agent_settled", aborted: true });
  });
});
