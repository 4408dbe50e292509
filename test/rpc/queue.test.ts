import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { type Gate, gate, httpError, reply, text, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  agent = new AgentUnderTest({ modelUrl: model.url });
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
});

/** A run that stands still in the middle of its first answer. */
async function startHeldRun(): Promise<Gate> {
  const held = gate();
  model.enqueue(reply([text("Working"), held, text(" on it")]));
  await agent.call("prompt", { message: "start" });
  await agent.waitFor((frame) => asRecord(frame.assistantMessageEvent).delta === "Working");
  return held;
}

/** User messages and turns, for comparison. */
function story(frames: readonly Frame[]): string[] {
  return frames.flatMap((frame) => {
    if (frame.type === "turn_start" || frame.type === "agent_start") return [frame.type];
    if (frame.type === "queue_update") return [`queue ${JSON.stringify([frame.steering, frame.followUp])}`];
    const message = asRecord(frame.message);
    return frame.type === "message_start" && message.role === "user" ? [`user ${textOf(message)}`] : [];
  });
}

function textOf(message: Record<string, unknown>): string {
  const { content } = message;
  return Array.isArray(content) ? content.map((block: unknown) => String(asRecord(block).text ?? "")).join("") : "";
}

describe("steering messages and follow-ups", () => {
  it("queue a prompt with steer while streaming and deliver it right after its queue_update", async () => {
    const held = await startHeldRun();
    const from = agent.frames.length;
    model.enqueue(reply("Done"));
    expect(await agent.call("prompt", { message: "left", streamingBehavior: "steer" })).toEqual({
      disposition: "queued",
    });
    held.release();
    await agent.settled();
    expect(story(agent.frames.slice(from))).toEqual([
      'queue [["left"],[]]',
      "turn_start",
      "queue [[],[]]",
      "user left",
    ]);
    expect(agent.frames[from]?.type).toBe("queue_update");
  });

  it("get a turn for each steering message, before any follow-up", async () => {
    const held = await startHeldRun();
    const from = agent.frames.length;
    model.enqueue(reply("1"), reply("2"), reply("3"));
    await agent.call("follow_up", { message: "later" });
    await agent.call("steer", { message: "a" });
    await agent.call("steer", { message: "b" });
    held.release();
    await agent.settled();
    expect(story(agent.frames.slice(from)).slice(3)).toEqual([
      "turn_start",
      'queue [["b"],["later"]]',
      "user a",
      "turn_start",
      'queue [[],["later"]]',
      "user b",
      "turn_start",
      "queue [[],[]]",
      "user later",
    ]);
  });

  it("share one turn in mode all", async () => {
    const held = await startHeldRun();
    const from = agent.frames.length;
    model.enqueue(reply("1"));
    await agent.call("set_steering_mode", { mode: "all" });
    await agent.call("steer", { message: "a" });
    await agent.call("steer", { message: "b" });
    held.release();
    await agent.settled();
    expect(story(agent.frames.slice(from)).slice(2)).toEqual([
      "turn_start",
      'queue [["b"],[]]',
      "user a",
      "queue [[],[]]",
      "user b",
    ]);
  });

  it("keep a steering message sent while idle for the next run", async () => {
    await agent.call("steer", { message: "first of all" });
    expect(await agent.call("get_state")).toMatchObject({
      isStreaming: false,
      pendingMessageCount: 1,
      queuedMessageCount: 1,
    });
    model.enqueue(reply("ok"));
    const frames = await agent.run("go");
    expect(story(frames)).toEqual(["agent_start", "turn_start", "user go", "queue [[],[]]", "user first of all"]);
  });

  it("are given back by clear_queue, with [Image] for an image alone", async () => {
    await agent.call("steer", { message: "", images: [{ type: "image", data: "aGk=", mimeType: "image/png" }] });
    await agent.call("follow_up", { message: "later" });
    const from = agent.frames.length;
    expect(await agent.call("clear_queue")).toEqual({ steering: ["[Image]"], followUp: ["later"] });
    expect(agent.frames[from]).toEqual({ type: "queue_update", steering: [], followUp: [] });
  });

  it("wait for all tools of the turn", async () => {
    const calls = [toolCall("bash", { command: "echo up; sleep 0.2" }), toolCall("bash", { command: "echo second" })];
    model.enqueue(reply(calls, { stopReason: "tool_use" }), reply("Done"));
    await agent.call("prompt", { message: "go" });
    await agent.waitFor(({ type }) => type === "tool_execution_update");
    await agent.call("steer", { message: "and then" });
    await agent.settled();
    const types = agent.types().filter((type) => /^tool_execution_end|^turn_|^queue_/.test(type));
    expect(types).toEqual([
      "turn_start",
      "queue_update",
      "tool_execution_end",
      "tool_execution_end",
      "turn_end",
      "turn_start",
      "queue_update",
      "turn_end",
    ]);
    expect(agent.frames.filter(({ isError }) => isError === true)).toEqual([]);
  });

  it("stop running tools and skip waiting ones in immediate mode", async () => {
    const immediate = new AgentUnderTest({ modelUrl: model.url });
    try {
      await immediate.call("set_interrupt_mode", { mode: "immediate" });
      const calls = [toolCall("bash", { command: "sleep 100" }), toolCall("bash", { command: "echo never" })];
      model.enqueue(reply(calls, { stopReason: "tool_use" }), reply("Stopped"));
      await immediate.call("prompt", { message: "go" });
      await immediate.waitFor(({ type }) => type === "tool_execution_update");
      await immediate.call("steer", { message: "stop that" });
      await immediate.settled();
      const ends = immediate.frames.filter(({ type }) => type === "tool_execution_end");
      expect(ends.map((frame) => asRecord(frame.result).content)).toEqual([
        [{ type: "text", text: "Skipped due to queued user message." }],
        [{ type: "text", text: "Skipped due to queued user message." }],
      ]);
      expect(ends.map(({ stopped }) => stopped)).toEqual(["skipped", "skipped"]);
      expect(story(immediate.frames)).toContain("user stop that");
    } finally {
      await immediate.dispose();
    }
  });
});

describe("abort", () => {
  it("ends a streaming run and answers last", async () => {
    const held = await startHeldRun();
    const from = agent.frames.length;
    await agent.call("abort");
    expect(agent.types(agent.frames.slice(from))).toEqual([
      "message_end",
      "turn_end",
      "agent_end",
      "agent_settled",
      "response",
    ]);
    expect(asRecord(agent.frames[from]?.message)).toMatchObject({
      stopReason: "aborted",
      errorMessage: "Request was aborted",
      content: [{ type: "text", text: "Working" }],
    });
    expect(await agent.call("get_state")).toMatchObject({ isStreaming: false });
    held.release();
  });

  it("ends running tools, then closes with an empty aborted message", async () => {
    model.enqueue(reply([toolCall("bash", { command: "echo hi; sleep 100" })], { stopReason: "tool_use" }));
    await agent.call("prompt", { message: "go" });
    await agent.waitFor((frame) => frame.type === "tool_execution_update" && JSON.stringify(frame).includes("hi"));
    const from = agent.frames.length;
    await agent.call("abort");
    const tail = agent.frames.slice(from).filter(({ type }) => type !== "tool_execution_update");
    expect(agent.types(tail)).toEqual([
      "tool_execution_end",
      "message_start",
      "message_end",
      "turn_end",
      "turn_start",
      "message_start",
      "message_end",
      "turn_end",
      "agent_end",
      "agent_settled",
      "response",
    ]);
    expect(JSON.stringify(tail[0])).toContain("Command aborted");
    expect(asRecord(tail[5]?.message)).toMatchObject({ role: "assistant", content: [], stopReason: "aborted" });
  });

  it("keeps the queues, and does nothing while idle", async () => {
    const held = await startHeldRun();
    await agent.call("follow_up", { message: "later" });
    await agent.call("abort");
    expect(await agent.call("get_state")).toMatchObject({ pendingMessageCount: 1 });
    await agent.call("abort");
    held.release();
  });

  it("is followed by another run with abort_and_prompt", async () => {
    const held = await startHeldRun();
    const from = agent.frames.length;
    model.enqueue(reply("New"));
    expect(await agent.call("abort_and_prompt", { message: "rather this" })).toEqual({ disposition: "started" });
    await agent.waitFor((frame) => frame.type === "agent_settled" && frame.aborted === false);
    expect(agent.types(agent.frames.slice(from)).slice(0, 6)).toEqual([
      "message_end",
      "turn_end",
      "agent_end",
      "agent_settled",
      "response",
      "agent_start",
    ]);
    held.release();
  });

  it("happens before new_session, which empties the queues, and nothing of the old session follows", async () => {
    const held = await startHeldRun();
    await agent.call("steer", { message: "never" });
    const before = await agent.call("get_state");
    await agent.call("new_session");
    held.release();
    expect(agent.frames.at(-1)?.type).toBe("response");
    const after = await agent.call("get_state");
    expect(after).toMatchObject({ messageCount: 0, pendingMessageCount: 0, isStreaming: false });
    expect(after.sessionId).not.toBe(before.sessionId);
  });
});

describe("a retry", () => {
  it("follows a transient error without repeating the user's message, and reports success", async () => {
    model.enqueue(httpError(529, "overloaded_error", "Overloaded", { "retry-after": "0" }), reply("Here"));
    await agent.dispose();
    agent = new AgentUnderTest({ modelUrl: model.url });
    const frames = await agent.run("go");
    expect(agent.types(frames).slice(4)).toEqual([
      "message_start",
      "message_end",
      "turn_end",
      "agent_end",
      "auto_retry_start",
      "agent_start",
      "turn_start",
      "message_start",
      "message_end",
      "auto_retry_end",
      "turn_end",
      "agent_end",
      "agent_settled",
    ]);
    expect(frames.find(({ type }) => type === "auto_retry_start")).toMatchObject({
      attempt: 1,
      maxAttempts: 3,
      delayMs: 2000,
    });
    expect(model.requests.map(({ body }) => body.messages.length)).toEqual([1, 1]);
  });

  it("ends when abort comes during its wait, and permanent errors are not retried", async () => {
    model.enqueue(httpError(500, "api_error", "Internal"));
    await agent.call("prompt", { message: "go" });
    await agent.waitFor(({ type }) => type === "auto_retry_start");
    const from = agent.frames.length;
    await agent.call("abort");
    expect(agent.frames.slice(from)).toMatchObject([
      { type: "auto_retry_end", success: false, finalError: "Retry cancelled", aborted: true },
      { type: "agent_settled", aborted: true },
      { type: "response" },
    ]);
    model.enqueue(httpError(401, "authentication_error", "invalid x-api-key"));
    const frames = await agent.run("again");
    expect(agent.types(frames)).not.toContain("auto_retry_start");
    expect(frames.find(({ type }) => type === "agent_end")).toMatchObject({ willRetry: false });
  });
});
