import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith } from "../support/extension-files.ts";
import { checkRuns } from "../support/run-grammar.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { hang, reply, text, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await model.stop();
});

/** An agent with an extension for each body, in this order. */
function start(...bodies: string[]): AgentUnderTest {
  const files = bodies.map((body, index) => [`${index}.ts`, `export default (pi) => { ${body} };`]);
  const { agentDir, remove } = agentDirWith(Object.fromEntries(files));
  cleanups.push(remove);
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url });
  cleanups.push(() => agent.dispose());
  return agent;
}

const notices = (frames: readonly Frame[]) =>
  frames.filter(({ method }) => method === "notify").map(({ message }) => message);
const errors = (frames: readonly Frame[]) => frames.filter(({ type }) => type === "extension_error");
const sent = (index: number) => JSON.stringify(model.requests[index]?.body.messages);

describe("event handlers", () => {
  it("see each event of a run before it is written, with the number of the turn", async () => {
    const agent =
      start(`for (const type of ["agent_start", "turn_start", "message_start", "message_end", "tool_execution_start",
      "tool_execution_end", "turn_end", "agent_end", "agent_settled"])
      pi.on(type, async (event, ctx) => { await null; ctx.ui.notify([event.type, event.turnIndex ?? event.message?.role ?? ""].join(" ").trim()); });`);
    model.enqueue(reply([toolCall("bash", { command: "true" })]), reply("ok"));
    const frames = await agent.run("go");
    const wire = frames.filter(({ type }) => type !== "message_update" && type !== "tool_execution_update");
    let turns = 0;
    for (let at = 0; at < wire.length; at += 2) {
      const [told, event] = [wire[at], wire[at + 1]];
      const { role } = asRecord(event?.message);
      const turn = event?.type === "turn_start" ? turns : event?.type === "turn_end" ? turns++ : undefined;
      expect(told?.message).toBe(
        [event?.type, turn ?? (event?.type.startsWith("message") ? role : "")].join(" ").trim(),
      );
    }
    expect(turns).toBe(2);
    expect(checkRuns(frames.filter(({ type }) => type !== "extension_ui_request"))).toBe(1);
  });

  it("see when a turn begins and ends", async () => {
    const agent = start(
      `for (const type of ["turn_start", "turn_end"]) pi.on(type, ({ timestamp }, ctx) => ctx.ui.notify(String(timestamp)));`,
    );
    model.enqueue(reply("ok"));
    const before = Date.now();
    const [begun, ended] = notices(await agent.run("go")).map(Number);
    expect([begun, ended].every((time) => time !== undefined && time >= before && time <= Date.now())).toBe(true);
  });

  it("see updates with the message so far", async () => {
    const agent = start(
      `pi.on("message_update", (event, ctx) => { if (event.assistantMessageEvent.type === "text_delta") ctx.ui.notify(event.message.content[0].text); });`,
    );
    model.enqueue(reply([text("abcdef", { chunks: 2 })]));
    expect(notices(await agent.run("go")).at(-1)).toBe("abcdef");
  });

  it("that throw are reported, and the next ones are called", async () => {
    const agent = start(
      `pi.on("agent_start", () => { throw new Error("dizzy"); });`,
      `pi.on("agent_start", (_e, ctx) => ctx.ui.notify("here"));`,
    );
    model.enqueue(reply("ok"));
    const frames = await agent.run("go");
    expect(notices(frames)).toEqual(["here"]);
    expect(errors(frames)).toMatchObject([{ event: "agent_start", error: "dizzy" }]);
  });

  it("that hang are released by abort", async () => {
    const agent = start(
      `pi.on("agent_start", (_e, ctx) => { ctx.ui.notify("stuck"); return new Promise(() => {}); });`,
    );
    await agent.call("prompt", { message: "go" });
    await agent.waitFor(({ message }) => message === "stuck");
    expect(await agent.call("get_state")).toMatchObject({ isStreaming: true });
    await agent.call("abort");
    expect(agent.frames.find(({ type }) => type === "agent_settled")).toMatchObject({ aborted: true });
  });

  it("can replace a message by one of the same role only", async () => {
    const agent = start(`pi.on("message_end", ({ message }) => {
      if (message.role === "assistant") return { message: { ...message, content: [{ type: "text", text: "better" }] } };
      if (message.role === "user") return { message: { role: "custom", customType: "x", content: "no", display: true, timestamp: 1 } };
    });`);
    model.enqueue(reply("worse"));
    const frames = await agent.run("go");
    expect(JSON.stringify(frames.find(({ type }) => type === "turn_end")?.message)).toContain("better");
    expect(await agent.call("get_last_assistant_text")).toEqual({ text: "better" });
    const { messages } = await agent.call("get_messages");
    expect(Array.isArray(messages) && messages.map((message: unknown) => asRecord(message).role)).toEqual([
      "user",
      "assistant",
    ]);
  });

  it("change what the model sees of the conversation, for one request", async () => {
    const agent = start(`pi.on("context", ({ messages }) => ({ messages: [...messages,
      { role: "user", content: "seen by the model only", timestamp: 1 }] }));`);
    model.enqueue(reply("ok"));
    await agent.run("go");
    expect(sent(0)).toContain("seen by the model only");
    expect(JSON.stringify(await agent.call("get_messages"))).not.toContain("seen by the model only");
  });

  it("change the whole request with system prompt and tools, for one request", async () => {
    const agent = start(
      `let first = true;
      pi.on("context_with_system", ({ messages: [system, ...rest] }) => {
        if (!first || !rest.some(({ customType }) => customType === "seen")) return undefined;
        first = false;
        const kept = system.toolsAdded.filter(({ name }) => name === "read");
        return { messages: [{ ...system, content: "Whisper.", toolsAdded: kept }, ...rest] };
      });
      pi.on("context", ({ messages }) => ({ messages: [...messages, { role: "custom", customType: "seen", content: "x", display: false, timestamp: 1 }] }));`,
      `pi.on("context_with_system", (event) => { event.messages[0].content += " And sing."; });`,
    );
    model.enqueue(reply("ok"), reply("ok"));
    await agent.run("go");
    await agent.run("on");
    const [one, two] = model.requests.map(({ body }) => ({
      system: JSON.stringify(body.system),
      tools: (body.tools ?? []).map(({ name }) => name),
    }));
    expect(one).toEqual({ system: expect.stringContaining('"Whisper. And sing."'), tools: ["read"] });
    expect(two?.system).toMatch(/You are .* And sing\./s);
    expect(two?.tools).toContain("bash");
  });

  it("leave the request unchanged when their result cannot be read", async () => {
    const agent = start(
      `pi.on("context_with_system", () => ({ messages: [{ role: "nobody" }] }));`,
      `pi.on("context_with_system", (event) => { event.messages.push("what?"); });`,
    );
    model.enqueue(reply("ok"));
    await agent.run("hello there");
    expect(sent(0)).toContain("hello there");
    expect(model.requests[0]?.body.tools?.map(({ name }) => name)).toContain("bash");
  });

  it("add a message and a system prompt to a run", async () => {
    const agent = start(
      `pi.on("before_agent_start", (event) => event.prompt === "go" ? { systemPrompt: event.systemPrompt + " Be brief.",
        message: { customType: "note", content: "remember this", display: true } } : undefined);`,
      `pi.on("before_agent_start", (event) => event.prompt === "go" ? { systemPrompt: event.systemPrompt + " Be kind." } : undefined);`,
    );
    model.enqueue(reply("ok"), reply("ok"));
    const frames = await agent.run("go");
    expect(JSON.stringify(model.requests[0]?.body.system)).toContain("Be brief. Be kind.");
    expect(sent(0)).toContain("remember this");
    expect(frames.find(({ message }) => asRecord(message).role === "custom")).toMatchObject({
      type: "message_start",
      message: { customType: "note", content: "remember this", display: true },
    });
    await agent.run("again");
    expect(JSON.stringify(model.requests[1]?.body.system)).not.toContain("Be brief.");
  });

  it("that hang before the first request are released by abort", async () => {
    const agent = start(`pi.on("before_agent_start", () => new Promise(() => {}));`);
    await agent.call("prompt", { message: "go" });
    await agent.call("abort");
    expect(agent.types().slice(-2)).toEqual(["agent_settled", "response"]);
    expect(model.requests).toEqual([]);
  });
});

describe("input handlers", () => {
  it("can handle a message themselves, and no run follows", async () => {
    const agent = start(
      `pi.on("input", (event, ctx) => { if (event.text === "mine") { ctx.ui.notify(event.source); return { action: "handled" }; } });`,
    );
    expect(await agent.call("prompt", { message: "mine" })).toEqual({ disposition: "handled" });
    expect(notices(agent.frames)).toEqual(["rpc"]);
    expect(agent.types()).not.toContain("agent_start");
    expect(await agent.call("get_state")).toMatchObject({ isStreaming: false });
  });

  it("change a message one after the other", async () => {
    const agent = start(
      `pi.on("input", ({ text }) => ({ action: "transform", text: text + " one" }));`,
      `pi.on("input", ({ text }) => ({ action: "transform", text: text + " two" }));`,
    );
    model.enqueue(reply("ok"));
    await agent.run("go");
    expect(sent(0)).toContain("go one two");
  });

  it("see queued messages too", async () => {
    const agent = start(`pi.on("input", ({ text, streamingBehavior }) => text === "first" ? undefined
      : { action: "transform", text: text + " " + streamingBehavior });`);
    model.enqueue(hang());
    await agent.call("prompt", { message: "first" });
    await agent.call("steer", { message: "a" });
    await agent.call("prompt", { message: "b", streamingBehavior: "followUp" });
    expect(agent.frames.findLast(({ type }) => type === "queue_update")).toMatchObject({
      steering: ["a steer"],
      followUp: ["b followUp"],
    });
    await agent.call("abort");
  });
});
