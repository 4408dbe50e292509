import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkRuns } from "../support/run-grammar.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { cutMidStream, httpError, reply, text, thinking, toolCall } from "../support/scripted-replies.ts";
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

function messageOf(frame: Frame | undefined): Record<string, unknown> {
  return asRecord(frame?.message);
}

function countOf(type: string): number {
  return agent.frames.filter((frame) => frame.type === type).length;
}

describe("a run", () => {
  it("with thinking, tools and text follows the grammar, and its turn begins before the user's message", async () => {
    const calls = [toolCall("bash", { command: "echo hi" }, { pieces: 4 }), toolCall("read", { path: "missing" })];
    model.enqueue(
      reply([thinking("Hm. ", { chunks: 2 }), text("I look", { chunks: 3 }), ...calls]),
      reply([text("Done", { chunks: 2 })]),
    );
    const frames = await agent.run("go");
    expect(checkRuns(frames)).toBe(1);
    const turnStart = frames.findIndex(({ type }) => type === "turn_start");
    expect(messageOf(frames[turnStart + 1])).toMatchObject({ role: "user" });
  });

  it("lists its messages at the end, and is settled once and last", async () => {
    model.enqueue(reply("Hello"));
    const frames = await agent.run("hi");
    const end = frames.find(({ type }) => type === "agent_end");
    expect(end?.messages).toMatchObject([
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "assistant", content: [{ type: "text", text: "Hello" }] },
    ]);
    await agent.call("get_state");
    expect(countOf("agent_settled")).toBe(1);
    expect(frames.at(-1)?.type).toBe("agent_settled");
  });

  it("streams thinking before text under an index of its own", async () => {
    model.enqueue(reply([thinking("First.", { chunks: 2 }), text("Then.", { chunks: 2 })]));
    const frames = await agent.run("hi");
    const steps = frames.map((frame) => asRecord(frame.assistantMessageEvent)).filter(({ type }) => type !== undefined);
    const indices = steps.map(({ type, contentIndex }) => `${String(type)} ${String(contentIndex)}`);
    expect(indices[0]).toBe("thinking_start 0");
    expect(indices.indexOf("thinking_end 0")).toBeLessThan(indices.indexOf("text_start 1"));
    expect(indices.at(-1)).toBe("text_end 1");
  });

  it("starts although the prompt names a behavior for a running one", async () => {
    model.enqueue(reply("a"), reply("b"));
    expect(await agent.call("prompt", { message: "x", streamingBehavior: "steer" })).toEqual({
      disposition: "started",
    });
    await agent.settled();
    const from = agent.frames.length;
    expect(await agent.call("prompt", { message: "y", streamingBehavior: "followUp" })).toEqual({
      disposition: "started",
    });
    await agent.settled(from);
  });

  it("that fails after acceptance is answered once", async () => {
    model.enqueue(httpError(400, "invalid_request_error", "no"));
    agent.send({ id: "p", type: "prompt", message: "go" });
    await agent.settled();
    await agent.call("get_state");
    expect(agent.frames.filter(({ id }) => id === "p")).toHaveLength(1);
    expect(checkRuns(agent.frames)).toBe(1);
  });

  it("starts with abort_and_prompt while idle, in the language of the prompt", async () => {
    model.enqueue(reply("a"), reply("b"));
    expect(await agent.call("abort_and_prompt", { message: "x" })).toEqual({ disposition: "started" });
    await agent.settled();
    await agent.run("y", { locale: "de-CH" });
    expect(JSON.stringify(model.requests[1]?.body.system)).toContain("de-CH");
    expect(checkRuns(agent.frames)).toBe(2);
  });
});

describe("an aborted run", () => {
  it("drops an incomplete tool call and gives complete ones a result", async () => {
    const whole = toolCall("bash", { command: "echo never" }, { id: "toolu_whole" });
    const half = toolCall("read", { path: "x" }, { id: "toolu_half", delayMs: 60_000 });
    model.enqueue(reply([text("Both"), whole, half], { stopReason: "tool_use" }));
    await agent.call("prompt", { message: "go" });
    await agent.waitFor((frame) => asRecord(frame.assistantMessageEvent).id === "toolu_half");
    const from = agent.frames.length;
    await agent.call("abort");
    const frames = agent.frames.slice(from);
    expect(messageOf(frames[0]).content).toMatchObject([{ type: "text" }, { type: "toolCall", id: "toolu_whole" }]);
    expect(frames.filter(({ type }) => type === "tool_execution_end")).toMatchObject([
      {
        toolCallId: "toolu_whole",
        isError: true,
        result: { content: [{ type: "text", text: "Tool execution was aborted: Request was aborted" }] },
      },
    ]);
    expect(checkRuns(agent.frames)).toBe(1);
  });

  it("is settled only after its prompt is answered when it had not begun", async () => {
    agent.write('{"id":"p","type":"prompt","message":"go"}\n{"id":"a","type":"abort"}\n');
    await agent.waitFor(({ id }) => id === "a");
    await agent.waitFor(({ id }) => id === "p");
    const told = agent.frames.map(({ type, id }) => (type === "response" ? `response ${String(id)}` : type));
    expect(told.slice(1)).toEqual(["response p", "agent_settled", "response a"]);
  });
});

describe("a run whose provider breaks off", () => {
  it("keeps the grammar across retries", async () => {
    model.enqueue(cutMidStream([text("Half")]), reply("Whole"));
    const frames = await agent.run("go");
    expect(checkRuns(frames)).toBe(1);
    expect(frames.filter(({ type }) => type === "auto_retry_start")).toHaveLength(1);
  });
});
