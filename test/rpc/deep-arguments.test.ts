import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_NESTING } from "../../agent/util/nesting.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const NOTE = "[left out: nested too deeply]";

let model: ScriptedModel;
let folder: string;
let path: string;
const agents: AgentUnderTest[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-deep-"));
  path = join(folder, "deep.jsonl");
});

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.dispose();
  rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

async function start(): Promise<AgentUnderTest> {
  for (const agent of agents.splice(0)) await agent.dispose();
  const agent = new AgentUnderTest({ modelUrl: model.url, cwd: folder, args: ["--session", path] });
  agents.push(agent);
  return agent;
}

/** Lists in lists, as JSON. */
function nested(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

/** Everything that tells of a conversation, from the agent that had it and from one that opens its file. */
async function expectTold(agent: AgentUnderTest, messageCount: number): Promise<unknown[]> {
  const told: unknown[] = [];
  for (const next of [async () => agent, start]) {
    const one = await next();
    expect(await one.call("get_state")).toMatchObject({ messageCount });
    const { messages } = await one.call("get_messages");
    told.push(messages);
    await one.call("get_tree");
    await one.call("get_session_stats");
    await one.call("export_html", { outputPath: join(folder, "page.html") });
    expect(one.stderr).toBe("");
  }
  expect(told[1]).toEqual(told[0]);
  return told;
}

describe("arguments nested 5,000 deep", () => {
  it("become an error result for the model; the session can be saved and opened as usual", async () => {
    const agent = await start();
    model.enqueue(
      reply([toolCall("bash", `{"command":"echo hi","more":${nested(5000)}}`, { pieces: 20 })]),
      reply("Done"),
    );
    const frames = await agent.run("go");
    expect(frames.filter(({ type }) => type === "extension_error")).toEqual([]);
    const end = frames.find(({ type }) => type === "tool_execution_end");
    expect(end).toMatchObject({ isError: true });
    const text = JSON.stringify(model.requests[1]?.body.messages.at(-1));
    expect(text).toContain('Validation failed for tool \\"bash\\"');
    expect(text).toContain(`nested more than ${MAX_NESTING} levels deep`);
    await expectTold(agent, 4);
  });

  it("run when they are one level below the limit", async () => {
    const agent = await start();
    const ask = (levels: number) => reply([toolCall("bash", `{"command":"echo hi","more":${nested(levels)}}`)]);
    model.enqueue(ask(MAX_NESTING - 1), ask(MAX_NESTING), reply("Done"));
    const ends = (await agent.run("go")).filter(({ type }) => type === "tool_execution_end");
    expect(ends.map(({ isError }) => isError)).toEqual([false, true]);
    await expectTold(agent, 6);
  });

  it("are cut in session files of other programs", async () => {
    const agent = await start();
    model.enqueue(reply([toolCall("bash", { command: "echo hi", more: "HERE" })]), reply("Done"));
    await agent.run("go");
    await agent.dispose();
    writeFileSync(path, readFileSync(path, "utf8").replaceAll('"HERE"', nested(5000)));
    const [messages] = await expectTold(await start(), 4);
    expect(JSON.stringify(messages)).toContain(NOTE);
  });
});

describe("details nested 5,000 deep", () => {
  it("are cut in results of extension tools and host tools", async () => {
    const extension = join(folder, "deep.ts");
    writeFileSync(
      extension,
      `export default (pi) => pi.registerTool({
         name: "deep", label: "Deep", description: "Deep", parameters: { type: "object", properties: {} },
         async execute(id, input, signal, onUpdate) {
           const details = JSON.parse("[".repeat(5000) + "]".repeat(5000));
           onUpdate({ content: [{ type: "text", text: "half" }], details });
           return { content: [{ type: "text", text: "whole" }], details };
         },
       });`,
    );
    const agent = new AgentUnderTest({ modelUrl: model.url, cwd: folder, args: ["--session", path, "-e", extension] });
    agents.push(agent);
    await agent.call("set_host_tools", {
      tools: [{ name: "from_host", description: "A host tool", parameters: { type: "object", properties: {} } }],
    });
    model.enqueue(reply([toolCall("deep", {}), toolCall("from_host", {})]), reply("Done"));
    agent.send({ type: "prompt", message: "go" });
    const call = await agent.waitFor(({ type }) => type === "host_tool_call");
    agent.write(
      `{"type":"host_tool_result","id":${JSON.stringify(call.id)},"result":{"content":"fine","details":${nested(5000)}}}\n`,
    );
    await agent.settled();
    const ends = agent.frames.filter(({ type }) => type === "tool_execution_end");
    expect(ends.map(({ isError }) => isError)).toEqual([false, false]);
    for (const { result } of ends) expect(JSON.stringify(asRecord(result).details)).toContain(NOTE);
    await expectTold(agent, 5);
  });
});
