import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith, writeFiles } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { hang, reply, toolCall } from "../support/scripted-replies.ts";
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

const RELOADS = `export default (pi) => pi.registerCommand("again", { handler: (_args, ctx) => ctx.reload() });`;

/** An agent with an extension that reloads, and others, once they are loaded. */
async function start(extensions: Record<string, string>): Promise<AgentUnderTest> {
  const { agentDir, remove } = agentDirWith({ "0.ts": RELOADS, ...extensions });
  cleanups.push(remove);
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url });
  cleanups.push(() => agent.dispose());
  await agent.waitFor(({ type }) => type === "ready");
  return agent;
}

const reload = (agent: AgentUnderTest) => agent.call("prompt", { message: "/again" });
const install = (agent: AgentUnderTest, files: Record<string, string>) =>
  writeFiles(join(agent.agentDir, "extensions"), files);
const notices = (frames: readonly Frame[]) =>
  frames.filter(({ method }) => method === "notify").map(({ message }) => message);
const errors = (frames: readonly Frame[]) => frames.filter(({ type }) => type === "extension_error");

/** Names of the commands that have a file: those that the agent brings are left out. */
async function commandNames(agent: AgentUnderTest): Promise<unknown[]> {
  const { commands } = await agent.call("get_commands");
  if (!Array.isArray(commands)) return [];
  return commands.map(asRecord).flatMap(({ name, path }) => (path === undefined ? [] : [name]));
}

function toolNames(index: number): unknown[] {
  const { tools } = asRecord(model.requests[index]?.body);
  return Array.isArray(tools) ? tools.map((tool) => asRecord(tool).name) : [];
}

describe("ctx.reload()", () => {
  it("ends the earlier extensions, loads changed files and what they import, and starts them", async () => {
    const code = `import { word } from "./word";
      export default (pi) => {
        pi.on("session_start", (event, ctx) => ctx.ui.notify(["start", event.reason, word].join(" ")));
        pi.on("session_shutdown", (event, ctx) => ctx.ui.notify(["end", event.reason, word].join(" ")));
        pi.registerCommand(word, { handler: () => {} });
      };`;
    const agent = await start({ "x/index.ts": code, "x/word.ts": `export const word = "one";` });
    expect(await commandNames(agent)).toEqual(["again", "one"]);
    install(agent, { "x/word.ts": `export const word = "two";` });
    await reload(agent);
    expect(notices(agent.frames)).toEqual(["start startup one", "end reload one", "start reload two"]);
    expect(await commandNames(agent)).toEqual(["again", "two"]);
  });

  it("removes handlers, listeners and flags, clears what was shown and closes dialogs", async () => {
    const agent = await start({
      "x.ts": `export default (pi) => {
        pi.on("session_start", (_e, ctx) => {
          ctx.ui.setStatus("s", "on");
          ctx.ui.setStatus("gone", "on");
          ctx.ui.setStatus("gone");
          ctx.ui.setWidget("w", ["line"]);
          void ctx.ui.input("Still there?");
        });
        pi.events.on("ping", () => pi.events.emit("pong"));
        pi.on("input", () => ({ action: "handled" }));
      };`,
      "y.ts": `export default (pi) => {
        pi.events.on("pong", () => globalThis.pongs = (globalThis.pongs ?? 0) + 1);
        pi.on("session_start", (event, ctx) => { pi.events.emit("ping"); ctx.ui.notify(String(globalThis.pongs)); });
      };`,
    });
    await agent.waitFor(({ method }) => method === "notify");
    rmSync(join(agent.agentDir, "extensions/x.ts"));
    const dialog = await agent.waitFor(({ method }) => method === "input");
    const from = agent.frames.length;
    await reload(agent);
    const later = agent.frames.slice(from).filter(({ type }) => type === "extension_ui_request");
    const shown = later.map(({ method, statusKey, statusText, widgetKey, widgetLines, targetId, message }) =>
      [method, statusKey ?? widgetKey ?? targetId ?? message, statusText ?? widgetLines].filter(Boolean),
    );
    expect(shown.sort()).toEqual([
      ["cancel", dialog.id],
      ["notify", "1"],
      ["setStatus", "s"],
      ["setWidget", "w"],
    ]);
    model.enqueue(reply("ok"));
    expect(agent.types(await agent.run("go"))).toContain("agent_settled");
  });

  it("restores a built-in tool that was replaced, and keeps the selection of active tools", async () => {
    const tool = (name: string, extra = "") => `pi.registerTool({ name: "${name}", description: "own ${name}", ${extra}
      parameters: { type: "object", properties: {} }, execute: () => ({ content: [{ type: "text", text: "own" }] }) });`;
    const agent = await start({
      "x.ts": `export default (pi) => { ${tool("read")} ${tool("kept")} ${tool("off")}
        pi.registerCommand("choose", { handler: () => pi.setActiveTools(["read", "kept"]) }); };`,
    });
    await agent.call("prompt", { message: "/choose" });
    install(agent, { "x.ts": `export default (pi) => { ${tool("kept")} ${tool("off")} ${tool("fresh")} };` });
    await reload(agent);
    writeFileSync(join(agent.cwd, "f"), "content of f");
    model.enqueue(reply([toolCall("read", { path: "f" })]), reply("ok"));
    const frames = await agent.run("go");
    expect(toolNames(0)).toEqual(["read", "kept", "fresh"]);
    expect(JSON.stringify(frames.find(({ type }) => type === "tool_execution_end"))).toContain("content of f");
  });

  it("reports an extension that no longer loads, and continues with the others", async () => {
    const agent = await start({
      "bad.ts": `export default (pi) => pi.registerCommand("bad", { handler: () => {} });`,
      "good.ts": `export default (pi) => pi.on("session_start", (event, ctx) => ctx.ui.notify(event.reason));`,
    });
    install(agent, { "bad.ts": "export default (pi) => { throw new Error('no more'); };" });
    await reload(agent);
    expect(errors(agent.frames)).toMatchObject([
      {
        extensionPath: join(agent.agentDir, "extensions/bad.ts"),
        event: "load",
        error: expect.stringMatching(/^Failed to load extension: no more \(at .*bad\.ts:1:/),
      },
    ]);
    expect(notices(agent.frames)).toEqual(["startup", "reload"]);
    expect(await commandNames(agent)).toEqual(["again"]);
  });

  it("reloads settings, templates, skills and instructions", async () => {
    const agent = await start({});
    writeFiles(agent.agentDir, {
      "settings.json": `{ "extensions": ["more.ts"], "prompts": ["p"], "skills": ["s"] }`,
      "more.ts": `export default (pi) => pi.registerCommand("more", { handler: () => {} });`,
      "p/hello.md": "Hello",
      "s/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies\n---\nTidy.",
    });
    writeFiles(agent.cwd, { "AGENTS.md": "Speak softly." });
    expect(await commandNames(agent)).toEqual(["again"]);
    await reload(agent);
    expect(await commandNames(agent)).toEqual(["again", "more", "hello", "skill:tidy"]);
    model.enqueue(reply("ok"));
    await agent.run("go");
    expect(JSON.stringify(model.requests[0]?.body.system)).toContain("Speak softly.");
  });

  it("makes objects of the earlier extension refuse to act, and reports what its timers try", async () => {
    const agent = await start({
      "x.ts": `export default (pi) => pi.on("session_start", (event, ctx) => {
        if (event.reason !== "startup") return ctx.ui.notify([...globalThis.refusals].join(","));
        globalThis.attempts = [() => ctx.ui.notify("x"), () => ctx.isIdle(), () => pi.sendUserMessage("x"), () => pi.on("input", () => {}),
          () => pi.registerCommand("x", { handler: () => {} }), () => pi.events.emit("x"), () => pi.getAllTools()];
        globalThis.refusals = [];
        globalThis.old = ctx;
      });`,
      "y.ts": `export default (pi) => pi.on("session_start", (event, ctx) => {
        if (event.reason === "startup") return;
        for (const attempt of globalThis.attempts) try { attempt(); globalThis.refusals.push("done"); } catch (error) { globalThis.refusals.push(error.message); }
        ctx.ui.notify(JSON.stringify([...new Set(globalThis.refusals)]));
        setTimeout(() => globalThis.old.ui.notify("late"), 1);
      });`,
    });
    await reload(agent);
    expect(notices(agent.frames).at(-1)).toBe(
      '["This extension has been loaded anew: the objects of the earlier one cannot act any more. Nothing of it can be used after ctx.reload() or in another session."]',
    );
    const late = await agent.waitFor(({ event }) => event === "uncaught");
    expect(late.extensionPath).toBe(join(agent.agentDir, "extensions/y.ts"));
  });

  it("waits for the run, which can still be steered", async () => {
    const agent = await start({
      "x.ts": `export default (pi) => pi.on("session_start", (event, ctx) => ctx.ui.notify(event.reason));`,
    });
    model.enqueue(hang());
    await agent.call("prompt", { message: "go" });
    await agent.waitFor(({ type }) => type === "message_end");
    const done = reload(agent);
    await agent.call("steer", { message: "more" });
    await agent.call("abort");
    await done;
    const settled = agent.frames.findIndex(({ type }) => type === "agent_settled");
    const restarted = agent.frames.findIndex(({ message }) => message === "reload");
    expect(settled).toBeGreaterThan(0);
    expect(restarted).toBeGreaterThan(settled);
  });

  it("is refused to handlers and tools, which would wait for themselves", async () => {
    const agent = await start({ "x.ts": `export default (pi) => pi.on("agent_start", (_e, ctx) => ctx.reload());` });
    model.enqueue(reply("ok"));
    const frames = await agent.run("go");
    expect(errors(frames)).toMatchObject([
      { event: "agent_start", error: "ctx.reload() is for commands: a handler or a tool would wait for itself." },
    ]);
  });

  it("holds back prompts until the extensions have started, three times in a row", async () => {
    const agent = await start({
      "x.ts": `export default (pi) => {
        let isReady = false;
        pi.on("session_start", async () => { await new Promise((resolve) => setTimeout(resolve, 50)); isReady = true; });
        pi.on("input", (event) => ({ action: "transform", text: event.text + " " + isReady }));
      };`,
    });
    for (let turn = 0; turn < 3; turn++) {
      const done = reload(agent);
      model.enqueue(reply("ok"));
      await agent.run("go");
      await done;
    }
    const texts = model.requests.map(({ body }) => JSON.stringify(body.messages));
    expect(texts.every((text) => !text.includes("go false"))).toBe(true);
  });
});
