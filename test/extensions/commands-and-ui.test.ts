import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, reply, text, toolCall } from "../support/scripted-replies.ts";
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
function start(body: string, { env = {}, args = [] }: { env?: Record<string, string>; args?: string[] } = {}) {
  const { agentDir, remove } = agentDirWith({ "mine.ts": `export default async function (pi) { ${body} }` });
  cleanups.push(remove);
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url, env, args: ["--no-session", ...args] });
  cleanups.push(() => agent.dispose());
  return agent;
}

const dialog = (agent: AgentUnderTest, method: string) => agent.waitFor((frame) => frame.method === method);
const notices = (agent: AgentUnderTest) =>
  agent.frames.filter(({ method }) => method === "notify").map(({ message }) => message);
const answer = (agent: AgentUnderTest, frame: Frame, fields: object) =>
  agent.send({ type: "extension_ui_response", id: frame.id, ...fields });
const noticed = (agent: AgentUnderTest, message: string) => agent.waitFor((frame) => frame.message === message);

describe("commands of extensions", () => {
  const GREET = `pi.registerCommand("greet", { description: "Greets", handler: async (args, ctx) => ctx.ui.notify("hello " + args) });`;

  it("run when a prompt names them, and start no run of the model", async () => {
    const agent = start(GREET);
    expect(await agent.call("prompt", { message: "/greet big  world " })).toEqual({ disposition: "handled" });
    expect(await agent.call("abort_and_prompt", { message: "/greet" })).toEqual({ disposition: "handled" });
    expect(notices(agent)).toEqual(["hello big  world", "hello "]);
    expect(agent.types()).not.toContain("agent_start");
    expect(model.requests).toEqual([]);
  });

  it("run while the model answers, and are never queued", async () => {
    const agent = start(GREET);
    const hold = gate();
    model.enqueue(reply([hold, text("done")]));
    await agent.call("prompt", { message: "go" });
    await hold.reached.promise;
    expect(await agent.call("prompt", { message: "/greet you" })).toEqual({ disposition: "handled" });
    for (const type of ["steer", "follow_up"]) {
      expect(await agent.request(type, { message: "/greet you" })).toMatchObject({
        success: false,
        error: 'Extension command "/greet" cannot be queued. Use prompt() or execute the command when not streaming.',
      });
    }
    hold.release();
    await agent.settled();
    expect(notices(agent)).toEqual(["hello you"]);
  });

  it("that throw are reported, and the prompt still counts as handled", async () => {
    const agent = start(`pi.registerCommand("bad", { handler() { throw new Error("broken"); } });`);
    expect(await agent.call("prompt", { message: "/bad" })).toEqual({ disposition: "handled" });
    expect(agent.frames.find(({ type }) => type === "extension_error")).toEqual({
      type: "extension_error",
      extensionPath: "command:bad",
      event: "command",
      error: "broken",
    });
  });

  it("that wait for an answer delay neither prompts nor queries", async () => {
    const agent = start(
      `pi.registerCommand("ask", { handler: async (_args, ctx) => ctx.ui.notify("got " + await ctx.ui.input("Name?")) });`,
    );
    agent.send({ id: "ask", type: "prompt", message: "/ask" });
    const question = await dialog(agent, "input");
    model.enqueue(reply("meanwhile"));
    await agent.run("go");
    expect(agent.frames.some(({ id, type }) => type === "response" && id === "ask")).toBe(false);
    answer(agent, question, { value: "Zoë" });
    expect(await agent.waitFor(({ id, type }) => type === "response" && id === "ask")).toMatchObject({
      data: { disposition: "handled" },
    });
    expect(notices(agent)).toEqual(["got Zoë"]);
  });

  it("that are slow are answered after ten seconds and continue", async () => {
    const agent = start(`pi.registerCommand("slow", { handler: async (_args, ctx) => {
      await ctx.ui.confirm("Go on?", "now"); ctx.ui.notify("went on");
    } });`);
    expect(await agent.call("prompt", { message: "/slow" })).toEqual({ disposition: "handled" });
    answer(agent, await dialog(agent, "confirm"), { confirmed: true });
    await noticed(agent, "went on");
  });

  it("with the same name can all be called", async () => {
    const agent = start(`pi.registerCommand("x", { handler: (_a, ctx) => ctx.ui.notify("first") });`);
    await agent.dispose();
    const body = (word: string) =>
      `export default (pi) => pi.registerCommand("x", { handler: (_a, ctx) => ctx.ui.notify("${word}") });`;
    const { agentDir, remove } = agentDirWith({ "a.js": body("first"), "b.js": body("second") });
    cleanups.push(remove);
    const both = new AgentUnderTest({ agentDir });
    cleanups.push(() => both.dispose());
    for (const message of ["/x", "/x:1", "/x:2"]) await both.call("prompt", { message });
    expect(notices(both)).toEqual(["first", "first", "second"]);
  });
});

describe("an extension at the start and end of the process", () => {
  it("can ask in session_start and gets the answer", async () => {
    const agent = start(
      `pi.on("session_start", async (event, ctx) => ctx.ui.notify(event.reason + " " + await ctx.ui.input("Name?")));`,
    );
    answer(agent, await dialog(agent, "input"), { value: "Ada" });
    await noticed(agent, "startup Ada");
    expect(agent.frames[0]?.type).toBe("ready");
  });

  it("that hangs in session_start delays no query", async () => {
    const agent = start(`pi.on("session_start", () => new Promise(() => {}));`);
    expect(await agent.call("get_state")).toMatchObject({ isStreaming: false });
    agent.send({ type: "prompt", message: "waits for its turn" });
    expect(await agent.end()).toEqual({ code: 0, signal: null });
  });

  it("gets the default of an open dialog at the end of input, and then session_shutdown", async () => {
    const agent = start(`
      pi.on("session_start", async (_e, ctx) => console.error("answer " + await ctx.ui.confirm("Sure?", "Really?")));
      pi.on("session_shutdown", async (event) => { await null; console.error("bye " + event.reason); });`);
    await dialog(agent, "confirm");
    expect(await agent.end()).toEqual({ code: 0, signal: null });
    expect(agent.stderr).toContain("answer false");
    expect(agent.stderr).toContain("bye quit");
  });

  it("can send notices in session_shutdown, but asks nothing anymore", async () => {
    const agent = start(`pi.on("session_shutdown", async (_e, ctx) => {
      ctx.ui.setStatus("mine", undefined);
      ctx.ui.notify("saved: " + await ctx.ui.confirm("Sure?", "Really?"));
    });`);
    await agent.call("get_state");
    expect(await agent.end()).toEqual({ code: 0, signal: null });
    const told = agent.frames.filter(({ type }) => type === "extension_ui_request");
    expect(told).toMatchObject([
      { method: "setStatus", statusKey: "mine" },
      { method: "notify", message: "saved: false" },
    ]);
  });

  it("can end the process with shutdown() while idle", async () => {
    const agent = start(
      `pi.registerCommand("quit", { handler: (_a, ctx) => { setTimeout(() => ctx.shutdown(), 1); } });`,
    );
    await agent.call("prompt", { message: "/quit" });
    expect(await agent.exited).toEqual({ code: 0, signal: null });
  });

  it("ends the process only after the run with shutdown()", async () => {
    const agent = start(`pi.registerTool({ name: "quit", description: "Quits.", readOnly: true,
      execute: async (_id, _params, _signal, _update, ctx) => { ctx.shutdown(); return { content: [] }; } });`);
    model.enqueue(reply([toolCall("quit")]), reply("last words"));
    await agent.call("prompt", { message: "go" });
    expect(await agent.exited).toEqual({ code: 0, signal: null });
    expect(agent.frames.at(-1)?.type).toBe("agent_settled");
  });
});

describe("the ui object of extensions", () => {
  const command = (body: string) => `pi.registerCommand("go", { handler: async (_args, ctx) => { ${body} } });`;

  it("carries each dialog to the host and its answer back", async () => {
    const agent = start(
      command(`const ui = ctx.ui;
      const got = [await ui.select("Which?", ["a", "b"], { timeout: 9000 }), await ui.confirm("Sure?", "Final."),
        await ui.input("Name?", "yours"), await ui.editor("Text", "so far")];
      ui.notify(JSON.stringify(got));`),
    );
    agent.send({ type: "prompt", message: "/go" });
    const select = await dialog(agent, "select");
    expect(select).toMatchObject({ title: "Which?", options: ["a", "b"], timeout: 9000 });
    answer(agent, select, { value: "b" });
    answer(agent, await dialog(agent, "confirm"), { confirmed: true });
    answer(agent, await dialog(agent, "input"), { value: "Zoë" });
    answer(agent, await dialog(agent, "editor"), { cancelled: true });
    await noticed(agent, '["b",true,"Zoë",null]');
  });

  it("reports waits for the user, and several questions at once as one wait", async () => {
    const agent = start(`
      for (const name of ["ui_prompt_start", "ui_prompt_end"])
        pi.on(name, ({ reason, kind, title }, ctx) => ctx.ui.notify([name, reason, kind, title].join(" ")));
      pi.registerCommand("ask", { handler: (_a, ctx) => Promise.all([ctx.ui.input("Who?"), ctx.ui.confirm("Sure?", "Really?")]) });`);
    agent.send({ type: "prompt", message: "/ask" });
    const [who, sure] = [await dialog(agent, "input"), await dialog(agent, "confirm")];
    answer(agent, who, { value: "Ada" });
    await noticed(agent, "ui_prompt_start ui_prompt input Who?");
    expect(notices(agent)).toHaveLength(1);
    answer(agent, sure, { confirmed: true });
    await noticed(agent, "ui_prompt_end ui_prompt input Who?");
    expect(notices(agent)).toHaveLength(2);
  });

  it("reports the wait for a question that is asked when another wait ends", async () => {
    const agent = start(`
      pi.on("ui_prompt_start", ({ title }, ctx) => ctx.ui.notify("start " + title));
      pi.on("ui_prompt_end", ({ title }, ctx) => { ctx.ui.notify("end " + title); if (title === "One?") return ctx.ui.input("Two?"); });
      pi.registerCommand("ask", { handler: (_a, ctx) => ctx.ui.input("One?") });`);
    agent.send({ type: "prompt", message: "/ask" });
    for (const title of ["One?", "Two?"]) {
      const question = await agent.waitFor((frame) => frame.title === title);
      agent.send({ type: "extension_ui_response", id: question.id, value: "Ada" });
    }
    await noticed(agent, "end Two?");
    expect(notices(agent)).toEqual(["start One?", "end One?", "start Two?", "end Two?"]);
  });

  it("ends dialogs by timeout and by signal, and titles are never empty", async () => {
    const agent = start(
      command(`
      const late = await new Promise((resolve) => { void ctx.ui.confirm("", "", { timeout: 5, onTimeout: () => resolve("late") }); });
      const stopped = await ctx.ui.input("Never shown", "", { signal: AbortSignal.abort() });
      ctx.ui.notify(late + " " + stopped);`),
    );
    await agent.call("prompt", { message: "/go" });
    expect(agent.frames.filter(({ type }) => type === "extension_ui_request")).toMatchObject([
      { method: "confirm", title: "mine", message: "mine", timeout: 5 },
      { method: "cancel" },
      { method: "notify", message: "late undefined" },
    ]);
  });

  it("shows and clears notices, statuses and widgets, but no components", async () => {
    const agent = start(
      command(`
      ctx.ui.notify("plain"); ctx.ui.notify("bad", "error");
      ctx.ui.setStatus("k", "busy"); ctx.ui.setStatus("k", undefined);
      ctx.ui.setWidget("w", ["1", "2"], { placement: "belowEditor" }); ctx.ui.setWidget("w", undefined);
      ctx.ui.setWidget("w", () => ({ render: () => [] }));
      ctx.ui.setEditorText("draft"); ctx.ui.pasteToEditor("pasted"); ctx.ui.setTitle("unwanted");`),
    );
    await agent.call("prompt", { message: "/go" });
    const told = agent.frames.filter(({ type }) => type === "extension_ui_request");
    expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
    expect(told.map(({ type: _type, id: _id, ...rest }) => rest)).toEqual([
      { method: "notify", message: "plain" },
      { method: "notify", message: "bad", notifyType: "error" },
      { method: "setStatus", statusKey: "k", statusText: "busy" },
      { method: "setStatus", statusKey: "k" },
      { method: "setWidget", widgetKey: "w", widgetLines: ["1", "2"], widgetPlacement: "belowEditor" },
      { method: "setWidget", widgetKey: "w" },
      { method: "set_editor_text", text: "draft" },
      { method: "set_editor_text", text: "pasted" },
    ]);
  });

  it.each(["1", "true", " YES "])("sends titles when PI_RPC_EMIT_TITLE is %j", async (value) => {
    const agent = start(command(`ctx.ui.setTitle("Mine");`), { env: { PI_RPC_EMIT_TITLE: value } });
    await agent.call("prompt", { message: "/go" });
    expect(agent.frames).toContainEqual(expect.objectContaining({ method: "setTitle", title: "Mine" }));
  });

  it("has the functions that need a terminal, without effect", async () => {
    const agent = start(
      command(`const ui = ctx.ui;
      for (const name of ["setWorkingMessage", "setWorkingVisible", "setWorkingIndicator", "setHiddenThinkingLabel", "setFooter",
        "setHeader", "setEditorComponent", "setToolsExpanded", "addAutocompleteProvider"]) ui[name]("x");
      ui.onTerminalInput(() => {})();
      await ui.custom(() => {}); await ui.custom(() => {});
      ui.notify(JSON.stringify([ctx.mode, ctx.hasUI, ctx.cwd, ui.getEditorText(), typeof ui.getEditorComponent(), ui.getToolsExpanded(),
        ui.getAllThemes(), typeof ui.getTheme("x"), ui.setTheme("x"), ui.theme.fg("accent", "t"), ui.theme.bold("b")]));`),
    );
    await agent.call("prompt", { message: "/go" });
    expect(JSON.parse(String(notices(agent)[0]))).toEqual([
      "rpc",
      true,
      agent.cwd,
      "",
      "undefined",
      false,
      [],
      "undefined",
      { success: false, error: "Theme switching not supported in RPC mode" },
      "t",
      "b",
    ]);
    await agent.end();
    expect(agent.stderr.match(/ctx\.ui\.custom\(\) needs a terminal/g)).toHaveLength(1);
  });
});

describe("tools of extensions", () => {
  const ADD = `pi.registerTool({ name: "add", label: "Add", description: "Adds.", readOnly: true,
    parameters: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
    async execute(id, params, signal, onUpdate, ctx) {
      onUpdate({ content: [{ type: "text", text: "so far" }] });
      return { content: [{ type: "text", text: String(params.a + 1) }], details: { cwd: ctx.cwd, big: 1n } };
    } });`;

  const result = (frames: readonly Frame[]) => frames.find(({ type }) => type === "tool_execution_end");

  it("are offered to the model and run, even with details that are not JSON", async () => {
    const agent = start(ADD);
    model.enqueue(reply([toolCall("add", { a: 41 })]), reply("42"));
    const frames = await agent.run("go");
    expect(model.requests[0]?.body.tools?.map(({ name }) => name)).toContain("add");
    expect(frames.find(({ type }) => type === "tool_execution_update")?.partialResult).toMatchObject({
      content: [{ type: "text", text: "so far" }],
    });
    expect(result(frames)).toMatchObject({
      isError: false,
      result: {
        content: [{ type: "text", text: "42" }],
        details: { cwd: agent.cwd, big: { unserializable: true, reason: "BigInt" } },
      },
    });
  });

  it("are reported before they run, even when they block the process", async () => {
    const agent = start(`const { existsSync } = await import("node:fs");
      pi.registerTool({ name: "spin", description: "Spins.", readOnly: true,
        execute(id, params, signal, onUpdate, ctx) { while (!existsSync(ctx.cwd + "/enough")); return { content: [] }; } });`);
    model.enqueue(reply([toolCall("spin")]), reply("ok"));
    await agent.call("prompt", { message: "go" });
    await agent.waitFor(({ type }) => type === "tool_execution_start");
    writeFileSync(join(agent.cwd, "enough"), "");
    await agent.settled();
  });

  it("get arguments that fit their schema, and what they throw becomes the result", async () => {
    const agent = start(
      `${ADD} pi.registerTool({ name: "fail", description: "Fails.", readOnly: true, execute() { throw new Error("no"); } });`,
    );
    model.enqueue(reply([toolCall("add", { a: "x" })]), reply([toolCall("fail")]), reply("ok"));
    const frames = await agent.run("go");
    const texts = frames.flatMap(({ type, result: given, isError }) =>
      type === "tool_execution_end" ? [[isError, asRecord(given).content]] : [],
    );
    expect(JSON.stringify(texts[0])).toContain('Validation failed for tool \\"add\\"');
    expect(texts[1]).toEqual([true, [{ type: "text", text: "no" }]]);
  });

  it("that change something need permission", async () => {
    const agent = start(ADD.replace("readOnly: true,", ""), { args: ["--permission-mode", "confirm"] });
    model.enqueue(reply([toolCall("add", { a: 1 })]), reply("ok"));
    const run = agent.run("go");
    const question = await dialog(agent, "select");
    expect(question.title).toBe('Allow add? {"a":1}');
    answer(agent, question, { value: "Deny" });
    expect(result(await run)).toMatchObject({ isError: true });
  });

  it("replace a built-in tool of the same name, and can begin inactive", async () => {
    const agent = start(`
      pi.registerTool({ name: "read", description: "Reads differently.", readOnly: true, execute: () => ({ content: [{ type: "text", text: "mine" }] }) });
      pi.registerTool({ name: "later", description: "Not yet.", defaultActive: false, execute: () => ({ content: [] }) });`);
    model.enqueue(reply([toolCall("read", { path: "x" })]), reply("ok"));
    expect(result(await agent.run("go"))).toMatchObject({ result: { content: [{ type: "text", text: "mine" }] } });
    const names = model.requests[0]?.body.tools?.map(({ name }) => name) ?? [];
    expect(names.filter((name) => name === "read")).toHaveLength(1);
    expect(names).not.toContain("later");
  });

  it("are left out by --no-tools", async () => {
    const agent = start(ADD, { args: ["--no-tools"] });
    expect((await agent.call("get_state")).dumpTools).toEqual([]);
  });
});
