import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LoopEvent } from "../../agent/loop/loop-host.ts";
import { RequestPrefix } from "../../agent/loop/request-prefix.ts";
import { RequestRepairs } from "../../agent/loop/request-repairs.ts";
import { runToolCalls } from "../../agent/loop/tool-calls.ts";
import type { AgentMessage } from "../../agent/protocol/messages.ts";
import { anyTool } from "../../agent/tools/tool.ts";
import { checkRuns } from "../support/run-grammar.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, type ScriptedBlock, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  agent = new AgentUnderTest({ modelUrl: model.url });
  await agent.call("set_host_tools", {
    tools: [
      {
        name: "ask",
        description: "Asks the host.",
        parameters: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
      },
    ],
  });
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
});

/** A run whose model makes these calls and is content with what comes. */
async function callTools(...calls: ScriptedBlock[]): Promise<Frame[]> {
  model.enqueue(reply(calls, { stopReason: "tool_use" }), reply("ok"));
  const frames = await agent.run("go");
  expect(checkRuns(frames)).toBe(1);
  return frames;
}

function resultTexts(frames: readonly Frame[]): unknown[] {
  return frames.filter(({ type }) => type === "tool_execution_end").map(({ result }) => asRecord(result).content);
}

/** The frames of tools, without what they say. */
function toolStory(frames: readonly Frame[]): string[] {
  return frames.flatMap((frame) => {
    const { toolCallId, role } = asRecord(frame.message);
    if (frame.type.startsWith("tool_execution")) return [`${frame.type.slice(15)} ${String(frame.toolCallId)}`];
    return frame.type === "message_end" && role === "toolResult" ? [`result ${String(toolCallId)}`] : [];
  });
}

function answerHost(frame: Frame | undefined, text: string): void {
  agent.send({ type: "host_tool_result", id: frame?.id, result: text });
}

describe("a batch of tool calls", () => {
  it("runs shared calls at the same time, and returns results in the order of the calls, also in turn_end", async () => {
    const calls = [toolCall("ask", { what: "1" }, { id: "one" }), toolCall("ask", { what: "2" }, { id: "two" })];
    model.enqueue(reply(calls, { stopReason: "tool_use" }), reply("ok"));
    await agent.call("prompt", { message: "go" });
    const asked = await agent.until(() => {
      const found = agent.frames.filter(({ type }) => type === "host_tool_call");
      return found.length < 2 ? undefined : found;
    }, "both calls");
    answerHost(asked[1], "second");
    await agent.waitFor((frame) => frame.type === "tool_execution_end" && frame.toolCallId === "two");
    answerHost(asked[0], "first");
    await agent.settled();
    expect(toolStory(agent.frames)).toEqual([
      "start one",
      "start two",
      "end two",
      "end one",
      "result one",
      "result two",
    ]);
    const turn = agent.frames.find(({ type }) => type === "turn_end");
    expect(turn?.toolResults).toMatchObject([{ toolCallId: "one" }, { toolCallId: "two" }]);
    expect(checkRuns(agent.frames)).toBe(1);
  });

  it("starts an exclusive call after the shared ones before it, and holds back the next ones until it is done", async () => {
    const calls = [
      toolCall("ask", { what: "1" }, { id: "shared" }),
      toolCall("bash", { command: "touch made" }, { id: "exclusive" }),
      toolCall("read", { path: "missing" }, { id: "later" }),
    ];
    model.enqueue(reply(calls, { stopReason: "tool_use" }), reply("ok"));
    await agent.call("prompt", { message: "go" });
    const asked = await agent.waitFor(({ type }) => type === "host_tool_call");
    await agent.call("get_state");
    expect(toolStory(agent.frames)).toEqual(["start shared"]);
    answerHost(asked, "done");
    await agent.settled();
    expect(toolStory(agent.frames).filter((step) => !step.startsWith("update"))).toEqual([
      "start shared",
      "end shared",
      "result shared",
      "start exclusive",
      "end exclusive",
      "result exclusive",
      "start later",
      "end later",
      "result later",
    ]);
  });

  it("runs commands that only read at the same time, and returns results in the order of the calls", async () => {
    const startedAt = performance.now();
    const calls = ["1.3", "1.2", "1.1", "1"].map((time) =>
      toolCall("bash", { command: `sleep ${time}; echo ${time}` }),
    );
    const frames = await callTools(...calls);
    expect(performance.now() - startedAt).toBeLessThan(3000);
    const started = frames.findIndex(({ type }) => type === "tool_execution_end");
    expect(frames.slice(0, started).filter(({ type }) => type === "tool_execution_start")).toHaveLength(4);
    const results = frames.filter(
      ({ type, message }) => type === "message_end" && asRecord(message).role === "toolResult",
    );
    expect(results.map(({ message }) => asRecord(message).content)).toEqual(
      ["1.3", "1.2", "1.1", "1"].map((text) => [{ type: "text", text }]),
    );
  });

  it("keeps commands that write in order with those that read", async () => {
    const frames = await callTools(
      toolCall("bash", { command: "sleep 0.3; echo one > file" }),
      toolCall("bash", { command: "sleep 0.1; cat file" }),
      toolCall("write", { path: "file", content: "two" }),
      toolCall("bash", { command: "cat file" }),
      toolCall("bash", { command: "printf three > file" }),
      toolCall("read", { path: "file" }),
    );
    const texts = resultTexts(frames).map((content) => (Array.isArray(content) ? asRecord(content[0]).text : ""));
    expect([texts[1], texts[3], texts[5]]).toEqual(["one", "two", "three"]);
  });

  it("runs at most eight calls at once", async () => {
    const calls = Array.from({ length: 10 }, (_, index) => toolCall("ask", { what: String(index) }));
    model.enqueue(reply(calls, { stopReason: "tool_use" }), reply("ok"));
    await agent.call("prompt", { message: "go" });
    const asked = (count: number) =>
      agent.until(() => {
        const found = agent.frames.filter(({ type }) => type === "host_tool_call");
        return found.length < count ? undefined : found;
      }, `${count} calls`);
    const first = await asked(8);
    await agent.call("get_state");
    expect(first).toHaveLength(8);
    expect(agent.frames.filter(({ type }) => type === "host_tool_call")).toHaveLength(8);
    answerHost(first[3], "done");
    for (const frame of (await asked(9)).toSpliced(3, 1)) answerHost(frame, "done");
    answerHost((await asked(10))[9], "done");
    await agent.settled();
    expect(resultTexts(agent.frames)).toHaveLength(10);
  });

  it("gives every one of the commands that run at the same time a result when it is aborted", async () => {
    const ids = ["a", "b", "c"];
    const calls = ids.map((id) => toolCall("bash", { command: `echo ${id}; sleep 60` }, { id }));
    model.enqueue(reply(calls, { stopReason: "tool_use" }));
    await agent.call("prompt", { message: "go" });
    for (const id of ids) {
      await agent.waitFor((frame) => frame.type === "tool_execution_start" && frame.toolCallId === id);
    }
    await agent.call("abort");
    await agent.settled();
    const ends = agent.frames.filter(({ type }) => type === "tool_execution_end");
    expect(ends).toHaveLength(3);
    for (const end of ends) expect(end).toMatchObject({ isError: true, stopped: "aborted" });
    expect(checkRuns(agent.frames)).toBe(1);
  });

  it("answers calls of unknown tools and with wrong arguments, and continues", async () => {
    const frames = await callTools(
      toolCall("teapot", {}),
      toolCall("read", { path: 5 }),
      toolCall("read", "[1]"),
      toolCall("ask", {}),
    );
    const texts = resultTexts(frames).map((content) => JSON.stringify(content));
    expect(texts[0]).toMatch(/"Tool teapot not found\. Tools: (?=.*\bread\b)(?=.*\bask\b)/);
    for (const [index, name, field] of [
      [1, "read", "path"],
      [2, "read", "root"],
      [3, "ask", "what"],
    ] as const) {
      expect(texts[index]).toContain(`Validation failed for tool \\"${name}\\":`);
      expect(texts[index]).toContain(`- ${field}:`);
      expect(texts[index]).toContain(`Call it like this: ${name} {`);
      expect(texts[index]).toContain("Received arguments:");
    }
    expect(frames.some(({ type }) => type === "host_tool_call")).toBe(false);
    expect(await agent.call("get_last_assistant_text")).toEqual({ text: "ok" });
  });

  it("sends updates that contain everything so far, and none after the end", async () => {
    const command = "for i in 1 2 3; do echo line $i; sleep 0.15; done";
    const frames = await callTools(toolCall("bash", { command }, { id: "b" }));
    const updates = frames.filter(({ type }) => type === "tool_execution_update");
    const texts = updates.map(({ partialResult }) => {
      const { content } = asRecord(partialResult);
      return Array.isArray(content) ? content.map((block: unknown) => String(asRecord(block).text)).join("") : "";
    });
    expect(texts[0]).toBe("");
    expect(texts.length).toBeGreaterThan(2);
    for (const [index, text] of texts.entries()) expect(text.startsWith(texts[index - 1] ?? "")).toBe(true);
    const types = agent.frames.map(({ type }) => type);
    expect(types.lastIndexOf("tool_execution_update")).toBeLessThan(types.indexOf("tool_execution_end"));
  });

  it("runs none of the calls of an answer that hit its output limit", async () => {
    const calls = [toolCall("bash", { command: "touch made" }), toolCall("bash", { command: "touch made" })];
    model.enqueue(reply(calls, { stopReason: "max_tokens" }), reply("ok"));
    const frames = await agent.run("go");
    const [content] = resultTexts(frames);
    expect(resultTexts(frames)).toHaveLength(2);
    expect(JSON.stringify(content)).toContain(
      'Tool call \\"bash\\" was not executed: the response hit the output token limit',
    );
    expect((await agent.call("bash", { command: "ls" })).output).toBe("");
    expect(checkRuns(frames)).toBe(1);
  });
});

describe("a tool that ignores its signal", () => {
  it("is abandoned ten seconds after the abort", async () => {
    vi.useFakeTimers();
    try {
      const stuck = anyTool<unknown>({
        name: "stuck",
        label: "stuck",
        description: "Never ends.",
        origin: "builtin",
        concurrency: "shared",
        isReadOnly: true,
        parameters: {},
        parse: (input) => ({ ok: true, input }),
        summarize: () => "",
        run: () => new Promise(() => undefined),
      });
      const controller = new AbortController();
      const batch = runStuck(stuck, controller.signal);
      await vi.advanceTimersByTimeAsync(0);
      controller.abort();
      await vi.advanceTimersByTimeAsync(9_999);
      expect(batch.events.some(({ type }) => type === "tool_execution_end")).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect((await batch.done).results).toMatchObject([
        { isError: true, content: [{ type: "text", text: "Operation aborted" }] },
      ]);
    } finally {
      vi.useRealTimers();
    }
  });
});

function runStuck(tool: ReturnType<typeof anyTool>, signal: AbortSignal) {
  const events: LoopEvent[] = [];
  const none = new AbortController().signal;
  const host = {
    emit: (event: LoopEvent) => void events.push(event),
    keep: <Message extends AgentMessage>(message: Message) => Promise.resolve(message),
    gate: () => Promise.resolve(undefined),
    toolContext: () => ({ cwd: "/", shell: {}, env: {} }),
    ready: () => undefined,
    context: () => [],
    repairs: new RequestRepairs(),
    prefix: new RequestPrefix(),
    warn: () => undefined,
    requestSettings() {
      throw new Error("A batch asks no model.");
    },
    takeSteering: () => [],
    takeFollowUps: () => [],
    hasQueued: () => false,
    betweenTurns: () => Promise.resolve(undefined),
    interruptSignal: () => ({ signal: none, dispose: () => undefined }),
  };
  const call = { type: "toolCall" as const, id: "t", name: "stuck", arguments: {} };
  const tools = new Map([["stuck", tool]]);
  return { events, done: runToolCalls([call], { host, tools, brokenCalls: new Map(), signal, interrupt: none }) };
}
