import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
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
function start(bodies: readonly string[], args: readonly string[] = []): AgentUnderTest {
  const files = bodies.map((body, index) => [`${index}.ts`, `export default (pi) => { ${body} };`]);
  const { agentDir, remove } = agentDirWith(Object.fromEntries(files));
  cleanups.push(remove);
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url, args: ["--no-session", ...args] });
  cleanups.push(() => agent.dispose());
  return agent;
}

/** Returns the result of the only tool call of a run. */
function outcome(frames: readonly Frame[]): { isError: unknown; text: unknown } {
  const end = frames.find(({ type }) => type === "tool_execution_end");
  const { content } = asRecord(end?.result);
  return { isError: end?.isError, text: Array.isArray(content) ? asRecord(content[0]).text : undefined };
}

describe("tool call handlers", () => {
  it("block a call with a reason; the first one wins", async () => {
    const agent = start([
      `pi.on("tool_call", async (event) => event.toolName === "bash" ? { block: true, reason: "not today" } : undefined);`,
      `pi.on("tool_call", () => ({ block: true, reason: "second" }));`,
    ]);
    model.enqueue(reply([toolCall("bash", { command: "touch made" })]), reply("ok"));
    expect(outcome(await agent.run("go"))).toEqual({ isError: true, text: "not today" });
  });

  it("block without a reason, and end the run if they want", async () => {
    const agent = start([`pi.on("tool_call", () => ({ block: true, terminate: true }));`]);
    model.enqueue(reply([toolCall("bash", { command: "true" })]));
    expect(outcome(await agent.run("go"))).toEqual({ isError: true, text: "Tool execution was blocked" });
    expect(model.requests).toHaveLength(1);
  });

  it("block by throwing", async () => {
    const agent = start([`pi.on("tool_call", () => { throw new Error("confused"); });`]);
    model.enqueue(reply([toolCall("bash", { command: "true" })]), reply("ok"));
    const frames = await agent.run("go");
    expect(outcome(frames)).toEqual({ isError: true, text: "Extension failed, blocking execution: confused" });
    expect(frames.find(({ type }) => type === "extension_error")).toMatchObject({
      event: "tool_call",
      error: "confused",
    });
  });

  it("change the arguments of the tool, but not the model's message", async () => {
    const agent = start([`pi.on("tool_call", (event) => { event.input.path = "b.txt"; });`]);
    writeFileSync(join(agent.cwd, "b.txt"), "from b");
    model.enqueue(reply([toolCall("read", { path: "a.txt" })]), reply("ok"));
    expect(outcome(await agent.run("go"))).toMatchObject({ isError: false, text: expect.stringContaining("from b") });
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain('"path":"a.txt"');
  });

  it("cannot set arguments that the tool does not accept", async () => {
    const agent = start([`pi.on("tool_call", (event) => { event.input.path = 5; });`]);
    model.enqueue(reply([toolCall("read", { path: "a.txt" })]), reply("ok"));
    expect(outcome(await agent.run("go"))).toMatchObject({
      isError: true,
      text: expect.stringContaining('Validation failed for tool "read"'),
    });
  });

  it("run before the permission gate, which judges the changed arguments", async () => {
    const change = `pi.on("tool_call", (event) => { event.input.command = "touch changed"; });`;
    const agent = start([change], ["--permission-mode", "confirm"]);
    model.enqueue(reply([toolCall("bash", { command: "echo original" })]), reply("ok"));
    const run = agent.run("go");
    const question = await agent.waitFor(({ method }) => method === "select");
    expect(question.title).toContain("touch changed");
    agent.send({ type: "extension_ui_response", id: question.id, value: "Deny" });
    expect(outcome(await run)).toMatchObject({ isError: true });
  });

  it("ask the user while queries are answered, and abort withdraws the question", async () => {
    const agent = start([
      `pi.on("tool_call", async (_e, ctx) => (await ctx.ui.confirm("Sure?", "Really?")) ? undefined : { block: true, reason: "no" });`,
    ]);
    model.enqueue(reply([toolCall("bash", { command: "true" })]));
    await agent.call("prompt", { message: "go" });
    const question = await agent.waitFor(({ method }) => method === "confirm");
    expect(await agent.call("get_state")).toMatchObject({ isStreaming: true });
    await agent.call("abort");
    expect(agent.frames.find(({ method }) => method === "cancel")).toMatchObject({ targetId: question.id });
    expect(outcome(agent.frames)).toEqual({ isError: true, text: "Operation aborted" });
  });

  it("that hang are released by abort", async () => {
    const agent = start([`pi.on("tool_call", () => new Promise(() => {}));`]);
    model.enqueue(reply([toolCall("bash", { command: "true" })]));
    await agent.call("prompt", { message: "go" });
    await agent.waitFor(({ type }) => type === "tool_execution_start");
    await agent.call("abort");
    expect(outcome(agent.frames)).toEqual({ isError: true, text: "Operation aborted" });
  });
});

describe("tool result handlers", () => {
  it("change the content one after the other, and one that throws is skipped", async () => {
    const agent = start([
      `pi.on("tool_result", (event) => ({ content: [{ type: "text", text: event.content[0].text.trim() + " one" }] }));`,
      `pi.on("tool_result", () => { throw new Error("oops"); });`,
      `pi.on("tool_result", (event) => ({ content: [{ type: "text", text: event.content[0].text + " two" }], isError: true }));`,
    ]);
    model.enqueue(reply([toolCall("bash", { command: "echo said" })]), reply("ok"));
    const frames = await agent.run("go");
    expect(outcome(frames)).toEqual({ isError: true, text: "said one two" });
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain("said one two");
    expect(frames.find(({ type }) => type === "extension_error")).toMatchObject({
      event: "tool_result",
      error: "oops",
    });
  });
});
