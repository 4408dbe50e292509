import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, httpError, reply, text, thinking, toolCall } from "../support/scripted-replies.ts";
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

/** The steps of a run as short words, for comparison with the grammar. */
function steps(frames: readonly Frame[]): string[] {
  return frames
    .filter(({ type }) => type !== "message_update")
    .map((frame) => {
      const role = asRecord(frame.message).role;
      return frame.type.startsWith("message_") ? `${frame.type} ${String(role)}` : frame.type;
    });
}

function updates(frames: readonly Frame[]): Record<string, unknown>[] {
  return frames.filter(({ type }) => type === "message_update").map((frame) => asRecord(frame.assistantMessageEvent));
}

describe("prompt", () => {
  it("answers before the run begins and reports the whole run in order", async () => {
    model.enqueue(reply("Hello"));
    const frames = await agent.run("hi");
    expect(steps(frames)).toEqual([
      "agent_start",
      "turn_start",
      "message_start user",
      "message_end user",
      "message_start assistant",
      "message_end assistant",
      "turn_end",
      "agent_end",
      "agent_settled",
    ]);
    const types = agent.frames.map(({ type }) => type);
    expect(types.indexOf("response")).toBeLessThan(types.indexOf("agent_start"));
    expect(frames.at(-1)).toEqual({ type: "agent_settled", aborted: false });
  });

  it("streams blocks whose deltas make up the final text, at the index of their content", async () => {
    model.enqueue(reply([thinking("Let me see."), text("One two three", { chunks: 3 })]));
    const frames = await agent.run("hi");
    const final = asRecord(frames.find((f) => f.type === "turn_end")?.message);
    expect(final.content).toMatchObject([
      { type: "thinking", thinking: "Let me see." },
      { type: "text", text: "One two three" },
    ]);
    const textSteps = updates(frames).filter((step) => step.contentIndex === 1);
    expect(textSteps[0]?.type).toBe("text_start");
    expect(textSteps.at(-1)).toMatchObject({ type: "text_end", content: "One two three" });
    expect(textSteps.map((step) => step.delta ?? "").join("")).toBe("One two three");
  });

  it("repeats the message in full updates, and sends no snapshot in delta updates", async () => {
    model.enqueue(reply("a"), reply("b"));
    const full = (await agent.run("hi")).filter(({ type }) => type === "message_update");
    for (const frame of full) expect(frame.message).toEqual(asRecord(frame.assistantMessageEvent).partial);
    await agent.call("set_stream_options", { messageUpdate: "delta" });
    const slim = (await agent.run("hi")).filter(({ type }) => type === "message_update");
    expect(slim.length).toBeGreaterThan(0);
    for (const frame of slim) {
      expect(frame).not.toHaveProperty("message");
      expect(frame.assistantMessageEvent).not.toHaveProperty("partial");
    }
  });

  it("runs a tool call, delivers its result and asks the model again", async () => {
    model.enqueue(reply([toolCall("ls", { path: "." })], { stopReason: "tool_use" }), reply("Empty."));
    await agent.dispose();
    agent = new AgentUnderTest({ modelUrl: model.url, args: ["--no-session", "--tools", "ls,bash"] });
    const frames = await agent.run("list");
    expect(steps(frames).slice(4)).toEqual([
      "message_start assistant",
      "message_end assistant",
      "tool_execution_start",
      "tool_execution_end",
      "message_start toolResult",
      "message_end toolResult",
      "turn_end",
      "turn_start",
      "message_start assistant",
      "message_end assistant",
      "turn_end",
      "agent_end",
      "agent_settled",
    ]);
    expect(frames.find((f) => f.type === "tool_execution_end")).toMatchObject({
      isError: false,
      result: { content: [{ type: "text", text: "(empty directory)" }] },
    });
  });

  it("reports a provider that fails before any chunk as a message without updates", async () => {
    model.enqueue(httpError(400, "invalid_request_error", "bad luck"));
    const frames = await agent.run("hi");
    expect(steps(frames).slice(4)).toEqual([
      "message_start assistant",
      "message_end assistant",
      "turn_end",
      "agent_end",
      "agent_settled",
    ]);
    expect(updates(frames)).toEqual([]);
    expect(asRecord(frames.find((f) => f.type === "turn_end")?.message)).toMatchObject({ stopReason: "error" });
  });

  it("refuses a second prompt while the first runs, also when both are piped at once", async () => {
    const held = gate();
    model.enqueue(reply([text("a"), held]));
    agent.send({ id: "1", type: "prompt", message: "one" });
    agent.send({ id: "2", type: "prompt", message: "two" });
    const second = await agent.waitFor((frame) => frame.id === "2");
    expect(second).toMatchObject({
      success: false,
      error: "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.",
    });
    expect(await agent.waitFor((frame) => frame.id === "1")).toMatchObject({
      success: true,
      data: { disposition: "started" },
    });
    held.release();
    await agent.settled();
  });

  it("refuses an empty message and a broken image", async () => {
    expect(await agent.request("prompt", { message: " " })).toMatchObject({
      success: false,
      error: 'prompt: "message" must not be empty',
    });
    expect(await agent.request("prompt", { message: "x", images: [{ type: "image" }] })).toMatchObject({
      success: false,
      error: 'prompt: images[0] must be {type:"image", data, mimeType}',
    });
  });

  it("sends an image to the provider", async () => {
    model.enqueue(reply("A dot."));
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await agent.run("what is it", {
      images: [{ type: "image", data: `data:image/png;base64,${data}`, mimeType: "image/png" }],
    });
    const [request] = model.requests;
    expect(JSON.stringify(request?.body.messages)).toContain(data);
  });
});

describe("prompt without a model", () => {
  it("starts without a model and explains how to get one", async () => {
    const bare = new AgentUnderTest();
    try {
      expect((await bare.call("get_state")).model).toBeNull();
      const refused = await bare.request("prompt", { message: "hi" });
      expect(refused.error).toMatch(/^No model selected\.\n/);
    } finally {
      await bare.dispose();
    }
  });
});
