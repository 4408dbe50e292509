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

/** An agent with one extension, whose function has this body. */
function start(body: string): AgentUnderTest {
  const { agentDir, remove } = agentDirWith({ "mine.ts": `export default (pi) => { ${body} };` });
  cleanups.push(remove);
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url });
  cleanups.push(() => agent.dispose());
  return agent;
}

/** A tool that says when it begins and ends, and waits for the other one, or for a while, in between. */
const waiting = (
  name: string,
  field: string,
) => `pi.registerTool({ name: "${name}", description: "Waits.", readOnly: true, ${field}
  async execute(_id, _params, _signal, _update, ctx) {
    ctx.ui.notify("begin ${name}");
    await Promise.race([globalThis.meeting.both(), new Promise((resolve) => setTimeout(resolve, 150))]);
    ctx.ui.notify("end ${name}");
    return { content: [] };
  } });`;
const MEETING = `const open = []; globalThis.meeting = { both: () => new Promise((resolve) => {
  open.push(resolve); if (open.length === 2) for (const go of open) go();
}) };`;

const notices = (frames: readonly Frame[]) =>
  frames.filter(({ method }) => method === "notify").map(({ message }) => message);
const results = (frames: readonly Frame[]) =>
  frames
    .filter(({ type }) => type === "tool_execution_end")
    .map(({ result }) => JSON.stringify(asRecord(result).content));

describe("a tool of an extension", () => {
  it.each([
    ['concurrency: "exclusive",', ["begin a", "end a", "begin b", "end b"]],
    ['executionMode: "sequential",', ["begin a", "end a", "begin b", "end b"]],
    ['concurrency: "shared",', ["begin a", "begin b", "end a", "end b"]],
    ['executionMode: "parallel",', ["begin a", "begin b", "end a", "end b"]],
    ["", ["begin a", "begin b", "end a", "end b"]],
  ])("with %j runs beside others or alone", async (field, expected) => {
    const agent = start(MEETING + waiting("a", field) + waiting("b", field));
    model.enqueue(reply([toolCall("a"), toolCall("b")]), reply("ok"));
    expect(notices(await agent.run("go"))).toEqual(expected);
  });

  it("is offered to the model while it says so, and can't be called when it no longer does", async () => {
    const agent = start(`let isOn = false;
      pi.registerTool({ name: "lamp", description: "Switches a lamp.", isOffered: () => isOn, execute: () => ({ content: [] }) });
      pi.registerCommand("on", { handler: () => { isOn = true; } });
      pi.registerCommand("off", { handler: () => { isOn = false; } });`);
    const isDeclared = (index: number) => JSON.stringify(model.requests[index]?.body.tools).includes('"lamp"');
    model.enqueue(reply("ok"), reply("ok"), reply([toolCall("lamp")]), reply("ok"));
    await agent.run("go");
    expect(isDeclared(0)).toBe(false);
    await agent.call("prompt", { message: "/on" });
    await agent.run("go");
    expect(isDeclared(1)).toBe(true);
    await agent.call("prompt", { message: "/off" });
    const frames = await agent.run("go");
    expect(isDeclared(2)).toBe(true); // for the sake of the cache
    expect(results(frames)[0]).toContain("Tool lamp is no longer available");
  });

  it("is described to the model with its snippet and its guidelines while it is active", async () => {
    const agent = start(`pi.registerTool({ name: "lamp", label: "Lamp", description: "Switches a lamp.",
        promptSnippet: "Light the room", promptGuidelines: ["Never leave the lamp on."], execute: () => ({ content: [] }) });
      pi.registerCommand("off", { handler: () => pi.setActiveTools(["read"]) });`);
    model.enqueue(reply("ok"), reply("ok"));
    await agent.run("go");
    const [before] = model.requests.map(({ body }) => JSON.stringify(body.system));
    expect(before).toContain("Light the room");
    expect(before).toContain("Never leave the lamp on.");
    await agent.call("prompt", { message: "/off" });
    await agent.run("go");
    expect(JSON.stringify(model.requests[1]?.body.system)).not.toContain("lamp");
  });

  it("can repair arguments before they are checked", async () => {
    const agent = start(`pi.registerTool({ name: "add", description: "Adds.", readOnly: true,
      parameters: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
      prepareArguments: (args) => { args.a = Number(args.a); if (!args.a) throw new Error("beyond repair"); return args; },
      execute: (_id, { a }) => ({ content: [{ type: "text", text: String(a + 1) }] }) });`);
    model.enqueue(reply([toolCall("add", { a: "41" }), toolCall("add", { a: "bad" })]), reply("ok"));
    const told = results(await agent.run("go")).join();
    expect(told).toContain('"text":"42"');
    expect(told).toContain("root: beyond repair");
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain('{"a":"41"}');
  });

  it("ends the run without another request when every result of the answer asks for it", async () => {
    const agent = start(
      `for (const [name, terminate] of [["last", true], ["more", false]]) pi.registerTool({ name, description: "Ends.", readOnly: true,
        execute: () => ({ content: [], terminate }) });`,
    );
    model.enqueue(reply([toolCall("last"), toolCall("more")]), reply([toolCall("last"), toolCall("last")]));
    const frames = await agent.run("go");
    expect(model.requests).toHaveLength(2);
    expect(frames.at(-1)).toMatchObject({ type: "agent_settled", aborted: false });
  });

  it("stops when the run is aborted, if it respects its signal", async () => {
    const agent = start(`pi.registerTool({ name: "wait", description: "Waits.", readOnly: true,
      execute: (_id, _params, signal, _update, ctx) => new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped early")));
        ctx.ui.notify("waiting");
      }) });`);
    model.enqueue(reply([toolCall("wait")]));
    await agent.call("prompt", { message: "go" });
    await agent.waitFor(({ message }) => message === "waiting");
    await agent.call("abort");
    expect(results(agent.frames)).toEqual([expect.stringContaining("stopped early")]);
  });
});

describe("API for terminals", () => {
  it("is accepted without effect: shortcuts, renderers and transformers", async () => {
    const agent = start(`pi.registerShortcut("ctrl+k", { description: "Kills", handler() {} });
      for (const name of ["registerMessageRenderer", "registerEntryRenderer"]) pi[name]("note", () => { throw new Error("never called"); });
      for (const name of ["registerMarkdownTransformer", "registerToolRenderer"]) pi[name](() => { throw new Error("never called"); });
      pi.registerCommand("go", { handler: () => pi.sendMessage({ customType: "note", content: "hello" }) });`);
    await agent.call("prompt", { message: "/go" });
    expect(await agent.waitFor(({ type }) => type === "message_end")).toMatchObject({ message: { content: "hello" } });
    expect(agent.types()).not.toContain("extension_error");
    await agent.end();
    expect(agent.stderr).toBe("");
  });
});
