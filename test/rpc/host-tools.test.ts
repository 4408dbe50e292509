import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agent: AgentUnderTest;

const PICK = {
  name: "pick",
  description: "Picks a colour.",
  parameters: { type: "object", properties: { shade: { type: "string" } }, required: ["shade"] },
};

beforeEach(async () => {
  model = await ScriptedModel.start();
  agent = new AgentUnderTest({ modelUrl: model.url });
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
});

/** Starts a run whose model calls `pick`. @returns the frame that asks the host. */
async function callPick(args: Record<string, unknown> = { shade: "dark" }): Promise<Frame> {
  await agent.call("set_host_tools", { tools: [PICK] });
  model.enqueue(reply([toolCall("pick", args)], { stopReason: "tool_use" }), reply("ok"));
  await agent.call("prompt", { message: "go" });
  return agent.waitFor(({ type }) => type === "host_tool_call");
}

function toolEnd(): Promise<Frame> {
  return agent.waitFor(({ type }) => type === "tool_execution_end");
}

describe("set_host_tools", () => {
  it("answers with the names in order, and the model is offered the tools", async () => {
    const other = { ...PICK, name: "other" };
    expect(await agent.call("set_host_tools", { tools: [other, PICK] })).toEqual({ toolNames: ["other", "pick"] });
    model.enqueue(reply("ok"));
    await agent.run("go");
    expect(model.requests[0]?.body.tools?.map(({ name }) => name)).toEqual([
      "read",
      "bash",
      "edit",
      "write",
      "todo_write",
      "other",
      "pick",
    ]);
  });

  it.each([
    ["x", 'set_host_tools: "tools" must be an array'],
    [[{}], "Host tool at index 0 must provide a non-empty name"],
    [[{ name: "a", description: " " }], 'Host tool "a" must provide a non-empty description'],
    [[{ name: "a", description: "b", parameters: [] }], 'Host tool "a" must provide a JSON Schema object'],
    [[PICK, PICK], "RPC host tool names must be unique"],
    [[{ ...PICK, name: "bash" }], 'RPC host tool "bash" conflicts with an existing tool'],
    [[{ ...PICK, name: "grep" }], 'RPC host tool "grep" conflicts with an existing tool'],
  ])("refuses %j", async (tools, error) => {
    expect(await agent.request("set_host_tools", { tools })).toMatchObject({
      command: "set_host_tools",
      success: false,
      error,
    });
  });

  it("keeps the old tools when new ones are refused, and across new_session; hidden tools stay hidden", async () => {
    await agent.call("set_host_tools", { tools: [PICK, { ...PICK, name: "secret", hidden: true }] });
    await agent.request("set_host_tools", { tools: [{}] });
    await agent.call("new_session");
    const names = asRecord(await agent.call("get_state")).dumpTools;
    expect(JSON.stringify(names)).toContain('"pick"');
    expect(JSON.stringify(names)).not.toContain('"secret"');
  });
});

describe("host tool calls", () => {
  it("pass checked arguments to the host, forward its updates, and return its result", async () => {
    const call = await callPick();
    expect(call).toMatchObject({ toolName: "pick", arguments: { shade: "dark" } });
    agent.send({
      type: "host_tool_update",
      id: call.id,
      partialResult: { content: [{ type: "text", text: "hm" }] },
    });
    expect(await agent.waitFor(({ type }) => type === "tool_execution_update")).toMatchObject({
      toolCallId: call.toolCallId,
      partialResult: { content: [{ type: "text", text: "hm" }] },
    });
    agent.send({
      type: "host_tool_result",
      id: call.id,
      result: { content: [{ type: "text", text: "red" }], details: { n: 1 } },
    });
    expect(await toolEnd()).toMatchObject({
      isError: false,
      result: { content: [{ type: "text", text: "red" }], details: { n: 1 } },
    });
    await agent.settled();
  });

  it("do not reach the host when the arguments do not fit", async () => {
    await agent.call("set_host_tools", { tools: [PICK] });
    model.enqueue(reply([toolCall("pick", { shade: 5 })], { stopReason: "tool_use" }), reply("ok"));
    const frames = await agent.run("go");
    expect(frames.some(({ type }) => type === "host_tool_call")).toBe(false);
    expect(JSON.stringify(await toolEnd())).toContain('Validation failed for tool \\"pick\\":\\n  - shade:');
  });

  it.each([
    [{ result: { content: [{ type: "text", text: " no " }] }, isError: true }, "no", true],
    [{ result: { content: [] }, isError: true }, "Host tool execution failed", true],
    [{ result: { data: { a: 1 } } }, '{"a":1}', false],
    [{ result: "plain" }, "plain", false],
    [{ result: { content: "text" } }, "text", false],
    [{ error: "why", isError: true }, "why", true],
  ])("are settled by %j with the text %j", async (frame, expected, isError) => {
    const call = await callPick();
    agent.send({ type: "host_tool_result", id: call.id, ...frame });
    expect(await toolEnd()).toMatchObject({ isError, result: { content: [{ type: "text", text: expected }] } });
    await agent.settled();
  });

  it("ignore an unknown id and a second result without a response", async () => {
    const call = await callPick();
    agent.send({ type: "host_tool_result", id: "nobody", result: "x" });
    agent.send({ type: "host_tool_result", id: call.id, result: "first" });
    agent.send({ type: "host_tool_result", id: call.id, result: "second" });
    await agent.settled();
    await agent.call("get_state");
    expect(agent.frames.filter(({ type }) => type === "response")).toHaveLength(3);
  });

  it("are cancelled at the host by abort", async () => {
    const call = await callPick();
    await agent.call("abort");
    expect(agent.frames.find(({ type }) => type === "host_tool_cancel")).toMatchObject({ targetId: call.id });
    expect(JSON.stringify(await toolEnd())).toContain('Host tool \\"pick\\" was aborted');
    await agent.run("what now");
  });

  it("outlive a new set of tools, and two can be answered in any order", async () => {
    await agent.call("set_host_tools", { tools: [PICK] });
    const calls = [
      toolCall("pick", { shade: "a" }, { id: "toolu_1" }),
      toolCall("pick", { shade: "b" }, { id: "toolu_2" }),
    ];
    model.enqueue(reply(calls, { stopReason: "tool_use" }), reply("ok"));
    await agent.call("prompt", { message: "go" });
    const second = await agent.waitFor((f) => f.type === "host_tool_call" && f.toolCallId === "toolu_2");
    const first = await agent.waitFor((f) => f.type === "host_tool_call" && f.toolCallId === "toolu_1");
    await agent.call("set_host_tools", { tools: [] });
    agent.send({ type: "host_tool_result", id: second.id, result: "two" });
    await toolEnd();
    agent.send({ type: "host_tool_result", id: first.id, result: "one" });
    await agent.settled();
    const turn = agent.frames.find(({ type }) => type === "turn_end");
    expect(turn?.toolResults).toMatchObject([{ toolCallId: "toolu_1" }, { toolCallId: "toolu_2" }]);
  });
});

describe("the permission gate", () => {
  const bashCall = () => toolCall("bash", { command: "echo ran > file" });

  async function ask(): Promise<Frame> {
    model.enqueue(reply([bashCall()], { stopReason: "tool_use" }), reply("ok"));
    await agent.call("prompt", { message: "go" });
    return agent.waitFor(({ type }) => type === "extension_ui_request");
  }

  beforeEach(async () => {
    await agent.dispose();
    agent = new AgentUnderTest({ modelUrl: model.url, args: ["--no-session", "--permission-mode", "confirm"] });
  });

  it("asks before a command runs, while queries still work", async () => {
    const question = await ask();
    expect(question).toMatchObject({
      method: "select",
      title: "Allow bash? echo ran > file",
      options: [
        "Allow once",
        "Allow for this session: bash > file",
        "Allow in this workspace: bash > file",
        "Allow always: bash > file",
        "Change the rule…",
        "Preview",
        "Deny",
      ],
    });
    expect(await agent.call("get_state")).toMatchObject({ isStreaming: true, permissionMode: "confirm" });
    agent.send({ type: "extension_ui_response", id: question.id, value: "Allow once" });
    expect(await toolEnd()).toMatchObject({ isError: false });
    await agent.settled();
  });

  it("blocks a denied call and tells the model", async () => {
    const question = await ask();
    agent.send({ type: "extension_ui_response", id: question.id, value: "Deny" });
    expect(await toolEnd()).toMatchObject({
      isError: true,
      result: { content: [{ type: "text", text: "Blocked by user: bash" }] },
    });
    await agent.settled();
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain("Blocked by user: bash");
  });

  it("treats an answer of the wrong form as a no", async () => {
    const question = await ask();
    agent.send({ type: "extension_ui_response", id: question.id, confirmed: true });
    expect(await toolEnd()).toMatchObject({ isError: true });
    await agent.settled();
  });

  it("does not ask again in this session when told so, but asks in the next one", async () => {
    const question = await ask();
    agent.send({ type: "extension_ui_response", id: question.id, value: "Allow for this session: bash > file" });
    await agent.settled();
    model.enqueue(reply([bashCall()], { stopReason: "tool_use" }), reply("ok"));
    const frames = await agent.run("again");
    expect(frames.some(({ type }) => type === "extension_ui_request")).toBe(false);
    await agent.call("new_session");
    const from = agent.frames.length;
    model.enqueue(reply([bashCall()], { stopReason: "tool_use" }));
    await agent.call("prompt", { message: "go" });
    await agent.waitFor(({ type }) => type === "extension_ui_request", from);
    await agent.call("abort");
  });

  it("withdraws the question after an abort", async () => {
    const question = await ask();
    await agent.call("abort");
    expect(agent.frames.find((frame) => frame.method === "cancel")).toMatchObject({ targetId: question.id });
    await agent.run("so");
  });

  it("lets commands change nothing in readonly mode, and reading tools run", async () => {
    await agent.call("set_permission_mode", { mode: "readonly", enforce: true });
    const calls = [bashCall(), toolCall("read", { path: "missing" })];
    model.enqueue(reply(calls, { stopReason: "tool_use" }), reply("ok"));
    const frames = await agent.run("go");
    const ends = frames
      .filter(({ type }) => type === "tool_execution_end")
      .map((frame) => JSON.stringify(frame.result));
    expect(ends.some((text) => text.includes("file: Read-only file system"))).toBe(true);
    expect(ends.some((text) => text.includes("ENOENT"))).toBe(true);
  });
});
