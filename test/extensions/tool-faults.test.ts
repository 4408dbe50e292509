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

function start(extensions: Record<string, string>, args: readonly string[] = ["--no-session"]): AgentUnderTest {
  const { agentDir, remove } = agentDirWith(extensions);
  cleanups.push(remove);
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url, args });
  cleanups.push(() => agent.dispose());
  return agent;
}

const errors = (frames: readonly Frame[]) => frames.filter(({ type }) => type === "extension_error");
const pathIn = (agent: AgentUnderTest, name: string) => join(agent.agentDir, "extensions", name);

async function expectGoesOn(agent: AgentUnderTest): Promise<void> {
  model.enqueue(reply("still here"));
  expect(JSON.stringify(await agent.run("and now?"))).toContain("still here");
}

describe("a broken tool", () => {
  const tool = (fields: string) =>
    `export default (pi) => pi.registerTool({ name: "t", description: "d", execute: () => ({ content: [] }), ${fields} });`;

  it("is left out, and its extension is reported", async () => {
    const agent = start({
      "a.ts": tool("parameters: 7"),
      "b.ts": tool("parameters: { type: 'string' }"),
      "c.ts": tool("parameters: { type: 'object', properties: { big: { const: 1n } } }"),
      "d.ts": `const loop = { type: "object", properties: {} }; loop.properties.self = loop;\n${tool("parameters: loop")}`,
      "e.ts": tool(`parameters: { type: "object", description: "x".repeat(300_000) }`),
      "f.ts": tool(`name: "two words"`),
      "g.ts": tool(`execute: "no"`),
      "h.ts": tool(`get description() { throw new Error("secret"); }`),
      "i.ts": `export default (pi) => pi.registerTool();`,
      "ok.ts": tool(`name: "fine"`),
    });
    model.enqueue(reply("ok"));
    await agent.run("go");
    const told = errors(agent.frames);
    const names = ["a.ts", "b.ts", "c.ts", "d.ts", "e.ts", "f.ts", "g.ts", "h.ts", "i.ts"];
    expect(told.map(({ extensionPath }) => extensionPath)).toEqual(names.map((name) => pathIn(agent, name)));
    expect(told.every(({ event }) => event === "load")).toBe(true);
    for (const [index, part] of [
      "parameters",
      'type "object"',
      "BigInt",
      "circular",
      "200000 characters",
      "name",
      "execute",
      "secret",
      "Tool",
    ].entries()) {
      expect(told[index]?.error).toContain(part);
    }
    const { tools } = asRecord(model.requests[0]?.body);
    expect(JSON.stringify(tools)).toContain('"fine"');
  });

  it("with an unreadable result becomes an error for the model, or a result with a note", async () => {
    const agent = start({
      "x.ts": `export default (pi) => {
        const give = { undefined: () => undefined, text: () => "x", content: () => ({ content: "x" }), block: () => ({ content: [{ type: "video" }] }),
          loop: () => { const details = {}; details.self = details; return { content: [{ type: "text", text: "fine" }], details }; },
          tree: () => { const root = {}; root.left = { root, up: root }; root.right = { root, up: root }; return { content: [{ type: "text", text: "fine" }], details: root }; },
          getter: () => ({ content: [{ type: "text", text: "fine" }], details: { get x() { throw new Error("not now"); } } }) };
        pi.registerTool({ name: "t", description: "d", parameters: { type: "object", properties: { what: { type: "string" } } }, execute: (_id, { what }) => give[what]() });
      };`,
    });
    const calls = ["undefined", "text", "content", "block", "loop", "tree", "getter"].map((what) =>
      toolCall("t", { what }),
    );
    model.enqueue(reply(calls), reply("ok"));
    const ends = (await agent.run("go")).filter(({ type }) => type === "tool_execution_end");
    expect(ends.map(({ isError }) => isError)).toEqual([true, true, true, true, false, false, false]);
    expect(JSON.stringify(ends[0])).toContain("Tool t gave a result that cannot be read:");
    expect(JSON.stringify(ends[4])).toContain("circular structure");
    expect(JSON.stringify(ends[5])).toContain("circular structure");
    expect(JSON.stringify(ends[6])).toContain("not now");
    await expectGoesOn(agent);
  });

  it("with a name that another extension uses is left out; a command gets a number; the same extension can replace its own", async () => {
    const agent = start({
      "a.ts": `export default (pi) => {
        for (const description of ["old", "new"]) pi.registerTool({ name: "t", description, execute: () => ({ content: [] }) });
        for (const n of [1, 2]) pi.registerCommand("c", { handler: (_a, ctx) => ctx.ui.notify("a" + n) }); };`,
      "b.ts": `export default (pi) => {
        pi.registerTool({ name: "t", description: "other", execute: () => ({ content: [] }) });
        pi.registerCommand("c", { handler: (_a, ctx) => ctx.ui.notify("b") }); };`,
    });
    for (const message of ["/c", "/c:1", "/c:2"]) await agent.call("prompt", { message });
    const told = agent.frames.filter(({ method }) => method === "notify").map(({ message }) => message);
    expect(told).toEqual(["a2", "a2", "b"]);
    model.enqueue(reply("ok"));
    await agent.run("go");
    const { tools } = asRecord(model.requests[0]?.body);
    expect(JSON.stringify(tools)).toContain('"description":"new"');
    expect(JSON.stringify(tools)).not.toMatch(/"old"|"other"/);
    await agent.end();
    expect(agent.stderr).toContain(
      `The tool "t" of ${pathIn(agent, "b.ts")} is left out: ${pathIn(agent, "a.ts")} has one of the same name.`,
    );
  });
});
