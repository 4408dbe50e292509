import { describe, expect, it } from "vitest";
import { extensionBench } from "../support/extension-bench.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { type AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

const bench = extensionBench();
/** A tool that calls others, and returns the result of `body` as text. */
const caller = (body: string) => `pi.registerTool({ name: "caller", description: "Calls others.", readOnly: true,
  async execute(id, params, signal, onUpdate, ctx) {
    const text = JSON.stringify(await (async () => { ${body} })());
    return { content: [{ type: "text", text }] };
  } });`;
const WORD = `pi.registerTool({ name: "word", description: "Gives a word.", readOnly: true,
  parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  outputSchema: { type: "object", properties: { word: { type: "string" } } },
  execute: (id, { word }, signal, onUpdate) => {
    onUpdate({ content: [{ type: "text", text: "half " + word }] });
    return { content: [{ type: "text", text: word }], structuredContent: { word }, usage: globalThis.usage };
  } });`;

/** Makes the model call the tool once. @returns the tool's result. */
async function given(agent: AgentUnderTest): Promise<unknown> {
  bench.model().enqueue(reply([toolCall("caller")]), reply("ok"));
  return JSON.parse(textOf(resultOf(await agent.run("go"))));
}
function resultOf(frames: readonly Frame[]) {
  const messages = frames.filter(({ type }) => type === "message_end").map(({ message }) => asRecord(message));
  return asRecord(messages.find(({ role, toolName }) => role === "toolResult" && toolName === "caller"));
}
function textOf({ content }: Record<string, unknown>): string {
  return String(asRecord(Array.isArray(content) ? content[0] : undefined).text);
}

describe("a tool that calls other tools", () => {
  it("gets their results as data, and its own result has a record of the calls", async () => {
    const agent = bench.start(`${WORD}
      ${caller(`const parts = [];
        const { toolCall, result, isError } = await ctx.executeTool("word", { word: "tea" }, { onUpdate: (part) => parts.push(part.content[0].text) });
        return [toolCall.id === id + "/1", toolCall.name, result.structuredContent, isError, parts];`)}`);
    expect(await given(agent)).toEqual([true, "word", { word: "tea" }, false, ["half tea"]]);
    const { nestedCalls, toolCallId } = resultOf(agent.frames);
    expect(nestedCalls).toMatchObject({
      complete: true,
      calls: [{ id: `${toolCallId}/1`, name: "word", arguments: { word: "tea" }, status: "ok" }],
    });
    const nested = agent.frames.filter(({ parentToolCallId }) => parentToolCallId === toolCallId);
    expect(nested.map(({ type }) => type)).toEqual([
      "tool_execution_start",
      "tool_execution_update",
      "tool_execution_end",
    ]);
    expect(JSON.stringify(bench.model().requests[1]?.body.messages)).not.toContain(`${toolCallId}/1`);
  });

  it("gets failures as results: an unknown tool, wrong arguments, a call that is blocked, and one that throws", async () => {
    const agent = bench.start(`${WORD}
      pi.registerTool({ name: "bad", description: "Fails.", readOnly: true, execute: () => { throw new Error("broken"); } });
      pi.on("tool_call", ({ toolName, input, parentToolCallId }) =>
        parentToolCallId && input.word === "rum" ? { block: true, reason: "no " + toolName } : undefined);
      ${caller(`const calls = [["nobody", {}], ["word", {}], ["word", { word: "rum" }], ["bad"], ["word", "text"]];
        const done = await Promise.all(calls.map(([name, args]) => ctx.executeTool(name, args)));
        return done.map(({ isError, result }) => [isError, result.content[0].text]);`)}`);
    expect(await given(agent)).toEqual([
      [true, expect.stringContaining("nobody")],
      [true, expect.stringContaining("word")],
      [true, "no word"],
      [true, "broken"],
      [true, "The arguments of a tool must be an object."],
    ]);
    const { nestedCalls } = resultOf(agent.frames);
    expect(asRecord(nestedCalls).calls).toMatchObject([
      { status: "error" },
      { status: "error" },
      { status: "error", error: "no word" },
      { status: "error", error: "broken" },
    ]);
  });

  it("asks the user for a call that needs approval", async () => {
    const agent = bench.start(
      caller(`return (await ctx.executeTool("bash", { command: "touch made" })).result.content[0].text;`),
      { args: ["--no-session", "--permission-mode", "confirm"] },
    );
    const done = given(agent);
    const question = await agent.waitFor(({ type, method }) => type === "extension_ui_request" && method === "select");
    agent.send({ type: "extension_ui_response", id: question.id, value: "Deny" });
    expect(await done).toMatch(/denied|blocked|not allowed/i);
  });

  it("sees the tools that it can call: not those that are for the model only, hidden, or switched off", async () => {
    const tool = (name: string, fields: string) =>
      `pi.registerTool({ name: "${name}", description: "Is there.", readOnly: true, ${fields} execute: () => ({ content: [] }) });`;
    const agent = bench.start(`${tool("plain", `annotations: { readOnlyHint: true }, namespace: { name: "things" },`)}
      ${tool("modelOnly", `exposure: "model-only",`)} ${tool("hidden", `exposure: "hidden",`)}
      ${tool("later", `exposure: "deferred",`)} ${tool("off", `defaultActive: false,`)}
      ${caller(`const wanted = ["plain", "modelOnly", "hidden", "later", "off"];
        pi.setActiveTools([...pi.getActiveTools(), "hidden"]);
        const hidden = await ctx.executeTool("hidden", {});
        const info = pi.getAllTools().filter(({ name }) => wanted.includes(name));
        return [ctx.tools.map(({ name }) => name).filter((name) => wanted.includes(name)), hidden.isError,
          pi.getActiveTools().includes("hidden"), info.map(({ name, exposure, annotations, namespace }) => [name, exposure, annotations, namespace])];`)}`);
    expect(await given(agent)).toEqual([
      ["plain", "later"],
      true,
      false,
      [
        ["plain", "direct", { readOnlyHint: true }, { name: "things" }],
        ["modelOnly", "model-only", null, null],
        ["hidden", "hidden", null, null],
        ["later", "deferred", null, null],
        ["off", "direct", null, null],
      ],
    ]);
    const told = (bench.model().requests[0]?.body.tools ?? []).map(({ name }) => name);
    expect(told).toEqual(expect.arrayContaining(["plain", "modelOnly"]));
    expect(told).not.toContain("hidden");
  });

  it("pays for what they cost, and can't call any more when it has ended", async () => {
    const agent = bench.start(`globalThis.usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 } };
      ${WORD} let late;
      ${caller(`late = ctx; await ctx.executeTool("word", { word: "a" }); await ctx.executeTool("word", { word: "x".repeat(9000) }); return 1;`)}
      pi.registerCommand("late", { handler: async (args, ctx) => ctx.ui.notify((await late.executeTool("word", { word: "b" })).result.content[0].text) });`);
    await given(agent);
    const { usage, nestedCalls } = resultOf(agent.frames);
    expect(usage).toMatchObject({ input: 2, output: 4, cost: { total: 1 } });
    expect(nestedCalls).toMatchObject({ complete: false, calls: [{}, { argumentsBytes: 9011, status: "ok" }] });
    expect(await agent.call("get_session_stats")).toMatchObject({ cost: expect.closeTo(1, 1) });
    await agent.call("prompt", { message: "/late" });
    const { message } = await agent.waitFor(({ method }) => method === "notify");
    expect(message).toContain("has ended");
  });
});

describe("a result of a tool", () => {
  it("can be data, and an error that keeps its details", async () => {
    const agent = bench.start(`
      pi.registerTool({ name: "caller", description: "Fails.", readOnly: true,
        execute: () => ({ content: [{ type: "text", text: "no" }], details: { code: 7 }, structuredContent: { code: 7 }, isError: true }) });
      pi.on("tool_result", ({ structuredContent, isError }, ctx) => ctx.ui.notify(JSON.stringify([structuredContent, isError])));
      pi.on("tool_result", () => ({ content: [{ type: "text", text: "changed" }] }));
      pi.on("tool_result", ({ structuredContent }, ctx) => ctx.ui.notify(JSON.stringify(structuredContent ?? null)));`);
    bench.model().enqueue(reply([toolCall("caller")]), reply("ok"));
    const result = resultOf(await agent.run("go"));
    expect(result).toMatchObject({ isError: true, details: { code: 7 } });
    expect(textOf(result)).toBe("changed");
    const notices = agent.frames.filter(({ method }) => method === "notify").map(({ message }) => message);
    expect(notices).toEqual(['[{"code":7},true]', "null"]);
  });
});
