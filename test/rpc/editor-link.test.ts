import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agent: AgentUnderTest;

const hidden = (name: string) => ({ name, description: "For the agent itself.", parameters: {}, hidden: true });
const BEFORE = hidden("host_before_change");
const AFTER = hidden("host_after_change");
const BUFFER = hidden("host_buffer");

beforeEach(async () => {
  model = await ScriptedModel.start();
  agent = new AgentUnderTest({ modelUrl: model.url });
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
});

/** Registers tools, and answers each call with the result of `answer`. */
async function register(tools: readonly object[], answer: (call: Frame) => object): Promise<void> {
  await agent.call("set_host_tools", { tools, recordsChanges: true });
  let next = agent.frames.length;
  const serve = () => {
    while (next < agent.frames.length) {
      const frame = agent.frames[next++];
      if (frame?.type === "host_tool_call") agent.send({ type: "host_tool_result", id: frame.id, ...answer(frame) });
    }
    return agent.child.exitCode === null ? undefined : true;
  };
  agent.child.stdout.on("data", serve);
}

const nothing = { result: { content: [] } };
const calls = () => agent.frames.filter(({ type }) => type === "host_tool_call");
const resultText = (frames: readonly Frame[]) => {
  const end = frames.find(({ type }) => type === "tool_execution_end");
  return { isError: end?.isError, content: asRecord(end?.result).content };
};

/** A run in which the model calls one tool. */
async function runTool(name: string, args: object): Promise<Frame[]> {
  model.enqueue(reply([toolCall(name, { ...args })], { stopReason: "tool_use" }), reply("ok"));
  return agent.run("go");
}

describe("a host that registers host_before_change", () => {
  it("receives only calls that can change files, before they run", async () => {
    const seen: unknown[] = [];
    const file = join(agent.cwd, "a.txt");
    writeFileSync(file, "old\n");
    await register([BEFORE], ({ arguments: args }) => {
      seen.push({ ...asRecord(args), toolCallId: "id", text: readFileSync(file, "utf8") });
      return nothing;
    });
    await runTool("read", { path: "a.txt" });
    await runTool("write", { path: "a.txt", content: "new\n" });
    await runTool("bash", { command: "echo more >> a.txt" });
    await runTool("todo_write", { ops: [] });
    expect(seen).toEqual([
      { toolCallId: "id", toolName: "write", path: file, text: "old\n" },
      { toolCallId: "id", toolName: "bash", command: "echo more >> a.txt", text: "new\n" },
    ]);
  });

  it("refuses a call with its error, and nothing changes", async () => {
    writeFileSync(join(agent.cwd, "a.txt"), "mine");
    await register([BEFORE], () => ({ isError: true, result: "The user keeps a.txt as it is." }));
    const frames = await runTool("write", { path: "a.txt", content: "yours" });
    expect(resultText(frames)).toEqual({
      isError: true,
      content: [{ type: "text", text: "The user keeps a.txt as it is." }],
    });
    expect(readFileSync(join(agent.cwd, "a.txt"), "utf8")).toBe("mine");
  });

  it("no longer delays the agent once the run is aborted", async () => {
    await agent.call("set_host_tools", { tools: [BEFORE] });
    model.enqueue(reply([toolCall("write", { path: "a.txt", content: "x" })], { stopReason: "tool_use" }));
    await agent.call("prompt", { message: "go" });
    const call = await agent.waitFor(({ type }) => type === "host_tool_call");
    await agent.call("abort");
    expect(await agent.waitFor(({ type }) => type === "host_tool_cancel")).toMatchObject({ targetId: call.id });
    await agent.settled();
  });
});

describe("a host that registers host_after_change", () => {
  it("adds its text to the result of a change, for the model too", async () => {
    await register([AFTER], ({ arguments: args }) => ({
      result: { content: [{ type: "text", text: `Seen: ${JSON.stringify({ ...asRecord(args), toolCallId: "id" })}` }] },
    }));
    const frames = await runTool("write", { path: "a.txt", content: "x" });
    const said = `Seen: {"toolCallId":"id","toolName":"write","path":"${join(agent.cwd, "a.txt")}","isError":false}`;
    expect(resultText(frames).content).toEqual([
      { type: "text", text: "Successfully wrote 1 bytes to a.txt" },
      { type: "text", text: said },
    ]);
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain("Seen: ");
  });

  it("that fails takes nothing away from the result", async () => {
    await register([AFTER], () => ({ isError: true, result: "no" }));
    expect(resultText(await runTool("write", { path: "a.txt", content: "x" }))).toEqual({
      isError: false,
      content: [{ type: "text", text: "Successfully wrote 1 bytes to a.txt" }],
    });
    await agent.end();
    expect(agent.stderr).toContain("The editor said nothing of a change: no");
  });
});

describe("a host that registers host_buffer", () => {
  const open = (text: string) => ({ result: { content: [], details: { text, version: 7 } } });

  it("provides the text that is read, edited and written instead of the file, by version", async () => {
    const file = join(agent.cwd, "a.txt");
    writeFileSync(file, "on the disk\n");
    let text = "in the editor\n";
    const written: unknown[] = [];
    await register([BUFFER], ({ arguments: args }) => {
      const { op, ...rest } = asRecord(args);
      if (op === "read") return open(text);
      written.push(rest);
      text = String(rest.text);
      return nothing;
    });
    expect(resultText(await runTool("read", { path: "a.txt" })).content).toEqual([
      { type: "text", text: "in the editor\n" },
    ]);
    await runTool("edit", { path: "a.txt", edits: [{ oldText: "in the editor", newText: "changed" }] });
    await runTool("write", { path: "a.txt", content: "all new\n" });
    expect(written).toEqual([
      { path: file, text: "changed\n", version: 7 },
      { path: file, text: "all new\n", version: 7 },
    ]);
    expect(readFileSync(file, "utf8")).toBe("on the disk\n");
  });

  it("refuses a change of an older version, and the model reads why", async () => {
    await register([BUFFER], ({ arguments: args }) =>
      asRecord(args).op === "read" ? open("one") : { isError: true, result: "a.txt has changed. Read it again." },
    );
    expect(
      resultText(await runTool("edit", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] })),
    ).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "a.txt has changed. Read it again." }],
    });
  });

  it("opens documents without a file by URI, and a file of the same name is read from disk", async () => {
    const asked: unknown[] = [];
    await register([BUFFER], ({ arguments: args }) => {
      const { op, uri } = asRecord(args);
      if (op === "open") asked.push(uri);
      if (uri === "untitled:Untitled-1") return open("not saved yet\n");
      return op === "open" ? { isError: true, result: "The editor can't open it." } : nothing;
    });
    const read = async (path: string) => resultText(await runTool("read", { path }));
    expect((await read("untitled:Untitled-1")).content).toEqual([{ type: "text", text: "not saved yet\n" }]);
    expect(await read("git:/x/a.ts?HEAD")).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "The editor can't open it." }],
    });
    writeFileSync(join(agent.cwd, "log:today"), "on the disk\n");
    expect((await read("log:today")).content).toEqual([{ type: "text", text: "on the disk\n" }]);
    expect((await read("https://example.com/a")).isError).toBe(true);
    expect(asked).toEqual(["untitled:Untitled-1", "git:/x/a.ts?HEAD"]);
  });

  it("leaves a file to the disk when it has no text for it", async () => {
    writeFileSync(join(agent.cwd, "a.txt"), "one");
    await register([BUFFER], () => nothing);
    await runTool("edit", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] });
    expect(readFileSync(join(agent.cwd, "a.txt"), "utf8")).toBe("two");
    expect(calls()).toHaveLength(1);
  });
});

describe("a host that has a tool with line numbers", () => {
  it("makes read show them, unless the model does not want them", async () => {
    writeFileSync(join(agent.cwd, "a.txt"), "one\ntwo\n");
    const read = async (args: object = {}) => resultText(await runTool("read", { path: "a.txt", ...args })).content;
    const plain = [{ type: "text", text: "one\ntwo\n" }];
    expect(await read()).toEqual(plain);
    const place = { type: "object", properties: { path: { type: "string" }, line: { type: "integer" } } };
    const goTo = { name: "go_to", description: "Shows a place.", parameters: place };
    await register([goTo], () => nothing);
    expect(await read()).toEqual([{ type: "text", text: "1\tone\n2\ttwo\n" }]);
    expect(await read({ lineNumbers: false })).toEqual(plain);
    await register([], () => nothing);
    expect(await read()).toEqual(plain);
  });
});
