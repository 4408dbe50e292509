import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, reply, text } from "../support/scripted-replies.ts";
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
function start(body: string, args: readonly string[] = []): AgentUnderTest {
  const { agentDir, remove } = agentDirWith({ "mine.ts": `export default (pi) => { ${body} };` });
  cleanups.push(remove);
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url, args });
  cleanups.push(() => agent.dispose());
  return agent;
}

/** A command `/go` that does this. */
const go = (body: string) => `pi.registerCommand("go", { handler: async (args, ctx) => { ${body} } });`;
const runGo = (agent: AgentUnderTest, args = "") => agent.call("prompt", { message: `/go ${args}` });
const sent = (index: number) => JSON.stringify(model.requests[index]?.body.messages);
const noticed = async (agent: AgentUnderTest) => (await agent.waitFor(({ method }) => method === "notify")).message;
const roles = (frames: readonly Frame[]) =>
  frames.flatMap(({ type, message }) => (type === "message_end" ? [asRecord(message).role] : []));

describe("the session API of extensions", () => {
  it("cannot be used while they are loaded", async () => {
    const agent = start(`pi.setSessionName("early");`);
    expect((await agent.waitFor(({ type }) => type === "extension_error")).error).toContain(
      "Failed to load extension: Extension runtime not initialized. Action methods cannot be called during extension loading.",
    );
  });

  it("sends messages that wait for the next prompt or start a run", async () => {
    const agent = start(
      go(`pi.sendMessage({ customType: "note", content: "kept quietly" });
        pi.sendMessage({ customType: "note", content: "for later", display: false }, { deliverAs: "nextTurn" });
        if (args === "run") pi.sendMessage({ customType: "note", content: "do it" }, { triggerTurn: true });`),
    );
    await runGo(agent);
    await agent.waitFor(({ type }) => type === "message_end");
    model.enqueue(reply("ok"), reply("ok"));
    expect(roles(await agent.run("hello"))).toEqual(["user", "custom", "assistant"]);
    for (const content of ["kept quietly", "for later", "hello"]) expect(sent(0)).toContain(content);
    const from = agent.frames.length;
    await runGo(agent, "run");
    await agent.settled(from);
    expect(sent(1)).toContain("do it");
  });

  it("begins a run without the parts of a prompt", async () => {
    const agent = start(
      `${go(`pi.sendMessage({ customType: "note", content: "for later" }, { deliverAs: "nextTurn" });
        pi.sendMessage({ customType: "note", content: "do it" }, { triggerTurn: true });`)}
      pi.on("before_agent_start", ({ prompt, messageType }) => ({ message: { customType: "note", content: "about " + prompt + " of a " + messageType } }));`,
    );
    model.enqueue(reply("done"), reply("ok"));
    await runGo(agent);
    await agent.settled();
    await agent.run("hello");
    expect(sent(0)).toContain("do it");
    expect(sent(0)).not.toMatch(/for later|about/);
    for (const content of ["for later", "about hello of a user"]) expect(sent(1)).toContain(content);
  });

  it("continues after a run from agent_settled, and unknown events are no errors", async () => {
    const agent = start(`
      let left = 1;
      pi.on("agent_settled", () => { if (left-- > 0) pi.sendMessage({ customType: "note", content: "go on" }, { triggerTurn: true }); });
      pi.on("cache_warming_decision", () => ({ action: "stop" }));`);
    model.enqueue(reply("one"), reply("two"));
    await agent.run("hello");
    await agent.settled(agent.frames.findIndex(({ type }) => type === "agent_settled") + 1);
    expect(sent(1)).toContain("go on");
    expect(agent.frames.filter(({ type }) => type === "extension_error")).toEqual([]);
  });

  it("sends messages as the user, even during a run", async () => {
    const agent = start(`${go(`pi.sendUserMessage("first words");`)}
      pi.registerCommand("more", { handler: () => pi.sendUserMessage("and then", { deliverAs: "followUp" }) });
      pi.registerCommand("wrong", { handler: () => pi.sendUserMessage("now") });
      pi.on("agent_start", (_e, ctx) => ctx.ui.notify("seen"));`);
    const hold = gate();
    model.enqueue(reply([hold, text("one")]), reply("two"));
    await runGo(agent);
    await hold.reached.promise;
    await agent.call("prompt", { message: "/more" });
    await agent.call("prompt", { message: "/wrong" });
    expect(agent.frames.find(({ type }) => type === "extension_error")).toMatchObject({
      extensionPath: "<runtime>",
      event: "send_user_message",
      error: "Agent is already processing. Specify deliverAs ('steer' or 'followUp') to queue the message.",
    });
    hold.release();
    await agent.settled();
    expect(sent(0)).toContain("first words");
    expect(sent(1)).toContain("and then");
    expect(await noticed(agent)).toBe("seen");
  });

  it("reports a run that cannot start", async () => {
    const { agentDir, remove } = agentDirWith({
      "a.js": `export default (pi) => { ${go(`pi.sendUserMessage("x");`)} };`,
    });
    cleanups.push(remove);
    const agent = new AgentUnderTest({ agentDir });
    cleanups.push(() => agent.dispose());
    await runGo(agent);
    expect((await agent.waitFor(({ type }) => type === "extension_error")).error).toMatch(/^No model selected\./);
  });

  it("stores entries, names and labels, and reads them back", async () => {
    const agent = start(
      go(`pi.appendEntry("mine", { count: 1 }); pi.setSessionName("A name");
      const [entry] = ctx.sessionManager.getEntries().filter(({ type }) => type === "custom");
      pi.setLabel(entry.id, "here");
      const s = ctx.sessionManager;
      ctx.ui.notify(JSON.stringify([entry.customType, entry.data, pi.getSessionName(), s.getSessionName(), s.getLabel(entry.id), s.getCwd() === ctx.cwd,
        s.getBranch().some(({ id }) => id === entry.id), typeof s.getSessionFile(), s.getEntry(entry.id).type, s.getSessionId() === s.getHeader().id]));`),
    );
    await runGo(agent);
    expect(JSON.parse(String(await noticed(agent)))).toEqual([
      "mine",
      { count: 1 },
      "A name",
      "A name",
      "here",
      true,
      true,
      "string",
      "custom",
      true,
    ]);
    expect(agent.frames.find(({ type }) => type === "entry_appended")?.entry).toMatchObject({
      customType: "mine",
      data: { count: 1 },
    });
    expect(agent.frames.find(({ type }) => type === "session_info_changed")).toMatchObject({ name: "A name" });
    expect(await agent.call("get_state")).toMatchObject({ sessionName: "A name" });
  });

  it("reports an entry when it is stored, not when the handler is done", async () => {
    const agent = start(`pi.on("agent_end", async (_e, ctx) => {
      pi.appendEntry("mine", { count: 1 });
      await ctx.ui.confirm("Go on?", "Really?");
    });`);
    model.enqueue(reply("hi"));
    await agent.call("prompt", { message: "hello" });
    const { id } = await agent.waitFor(({ type }) => type === "extension_ui_request");
    expect((await agent.waitFor(({ type }) => type === "entry_appended")).entry).toMatchObject({ customType: "mine" });
    expect(agent.types()).not.toContain("agent_end");
    agent.send({ type: "extension_ui_response", id, confirmed: true });
    await agent.settled();
  });

  it("selects tools", async () => {
    const agent = start(
      go(`pi.setActiveTools(["read", "grep", "nothing"]);
      ctx.ui.notify(JSON.stringify([pi.getActiveTools(), pi.getAllTools().map(({ name }) => name).includes("bash")]));`),
    );
    await runGo(agent);
    expect(JSON.parse(String(await noticed(agent)))).toEqual([["read", "grep"], true]);
    model.enqueue(reply("ok"));
    await agent.run("hello");
    expect(model.requests[0]?.body.tools?.map(({ name }) => name)).toEqual(["read", "grep"]);
  });

  it("shows where tools come from", async () => {
    const agent = start(
      `pi.registerTool({ name: "mine", description: "Mine.", promptGuidelines: ["Be quick."], execute: async () => ({ content: [] }) });
      ${go(`ctx.ui.notify(JSON.stringify(pi.getAllTools().filter(({ name }) => ["ls", "mine", "from_host"].includes(name))));`)}`,
    );
    await agent.call("set_host_tools", {
      tools: [{ name: "from_host", description: "A host tool.", parameters: { type: "object" } }],
    });
    await runGo(agent);
    const told: unknown = JSON.parse(String(await noticed(agent)));
    const from = (source: string, name: string) => ({
      name,
      sourceInfo: { path: `<${source}:${name}>`, source, scope: "temporary", origin: "top-level" },
    });
    expect(told).toMatchObject([
      from("builtin", "ls"),
      { ...from("extension", "mine"), promptGuidelines: ["Be quick."] },
      from("host", "from_host"),
    ]);
  });

  it("selects a model and its thinking level", async () => {
    const agent = start(
      go(`
      const found = ctx.modelRegistry.find("anthropic", "claude-haiku-4-5");
      const changed = [await pi.setModel(found), await pi.setModel({ provider: "none", id: "x" })];
      pi.setThinkingLevel("high");
      ctx.ui.notify(JSON.stringify([changed, ctx.model.id, pi.getThinkingLevel(), ctx.modelRegistry.getAll().length > 3,
        ctx.modelRegistry.getAvailable().every(({ provider }) => provider === "anthropic")]));`),
    );
    await runGo(agent);
    expect(JSON.parse(String(await noticed(agent)))).toEqual([[true, false], "claude-haiku-4-5", "high", true, true]);
    expect(await agent.call("get_state")).toMatchObject({ thinkingLevel: "high", model: { id: "claude-haiku-4-5" } });
  });

  it("shows the thinking level and the models of the user's list", async () => {
    const tell = go(
      `ctx.ui.notify(JSON.stringify([ctx.thinkingLevel, ctx.scopedModels.map(({ model, thinkingLevel }) => [model.id, thinkingLevel])]));`,
    );
    const limited = start(tell, ["--models", "claude-haiku-4-5:low,claude-sonnet-4-5"]);
    await runGo(limited);
    expect(JSON.parse(String(await noticed(limited)))).toEqual([
      "low",
      [
        ["claude-haiku-4-5", "low"],
        ["claude-sonnet-4-5", null],
      ],
    ]);
    const free = start(tell, ["--thinking", "high"]);
    await runGo(free);
    expect(JSON.parse(String(await noticed(free)))).toEqual(["high", []]);
  });

  it("shows the run, waits for its end and aborts it", async () => {
    const agent =
      start(`${go(`ctx.ui.notify(JSON.stringify([ctx.isIdle(), ctx.hasPendingMessages(), ctx.signal?.aborted,
        ctx.getSystemPrompt().length > 100, typeof ctx.getContextUsage()?.contextWindow]));
        await ctx.waitForIdle(); ctx.ui.setStatus("idle", String(ctx.isIdle()));`)}
      pi.registerCommand("halt", { handler: (_a, ctx) => ctx.abort() });`);
    const hold = gate();
    model.enqueue(reply([hold]));
    await agent.call("prompt", { message: "hello" });
    await hold.reached.promise;
    await agent.call("follow_up", { message: "later" });
    agent.send({ type: "prompt", message: "/go" });
    expect(JSON.parse(String(await noticed(agent)))).toEqual([false, true, false, true, "number"]);
    await agent.call("prompt", { message: "/halt" });
    expect(await agent.waitFor(({ method }) => method === "setStatus")).toMatchObject({ statusText: "true" });
    expect(agent.frames.find(({ type }) => type === "agent_settled")).toMatchObject({ aborted: true });
  });

  it("requests a compaction and learns why it fails", async () => {
    const agent = start(go(`ctx.compact({ onError: (error) => ctx.ui.notify(error.message) });`));
    await runGo(agent);
    expect(await noticed(agent)).toBe("Nothing to compact (session too small)");
  });
});
