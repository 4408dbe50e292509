import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { extensionBench } from "../support/extension-bench.ts";
import { writeFiles } from "../support/extension-files.ts";
import { reply } from "../support/scripted-replies.ts";
import { type AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const { model, startKeeping: start } = extensionBench();

const notices = (agent: AgentUnderTest) =>
  agent.frames.filter(({ method }) => method === "notify").map(({ message }) => message);
const errors = (agent: AgentUnderTest) => agent.frames.filter(({ type }) => type === "extension_error");

function toolNames(index: number): unknown[] {
  const { tools } = asRecord(model().requests[index]?.body);
  return Array.isArray(tools) ? tools.map((tool) => asRecord(tool).name) : [];
}

describe("another session", () => {
  it("begins with fresh extensions, whichever way it is opened", async () => {
    const agent = start({
      "x.ts": `import { words } from "./words/list";
      export default (pi) => {
        const said = [];
        pi.registerCommand("say", { handler: (args, ctx) => {
          said.push(args); words.push(args);
          ctx.ui.notify([said.length, words.length].join(" "));
        } });
      };`,
      "words/list.ts": "export const words = [];",
    });
    const say = () => agent.call("prompt", { message: "/say it" });
    model().enqueue(reply("ok"));
    await agent.run("hello");
    const { sessionFile } = await agent.call("get_state");
    await say();
    await say();
    await agent.call("new_session");
    await say();
    await agent.call("switch_session", { sessionPath: sessionFile });
    await say();
    await agent.call("clone");
    await say();
    expect(notices(agent)).toEqual(["1 1", "2 2", "1 1", "1 1", "1 1"]);
    expect(errors(agent)).toEqual([]);
  });

  it("has the tools of the start, those of extensions once, and nothing that was shown before", async () => {
    const agent = start({
      "x.ts": `export default (pi) => {
        const tool = (name, defaultActive) => pi.registerTool({ name, description: name, defaultActive, execute: () => ({ content: [] }) });
        tool("mine"); tool("hidden", false);
        pi.registerCommand("plan", { handler: (_args, ctx) => {
          pi.setActiveTools(["read", "hidden"]);
          pi.events.on("ping", () => ctx.ui.notify("an old listener"));
          ctx.ui.setStatus("plan", "on");
        } });
        pi.on("session_start", () => pi.events.emit("ping"));
      };`,
    });
    model().enqueue(reply("one"), reply("two"), reply("three"));
    await agent.run("one");
    await agent.call("prompt", { message: "/plan" });
    await agent.run("two");
    await agent.call("new_session");
    await agent.run("three");
    expect(toolNames(1)).toEqual(["read", "hidden"]);
    expect(toolNames(2)).toEqual(toolNames(0));
    expect(toolNames(0).filter((name) => name === "mine" || name === "hidden")).toEqual(["mine"]);
    expect(agent.frames.filter(({ method }) => method === "setStatus").map(({ statusText }) => statusText)).toEqual([
      "on",
      undefined,
    ]);
    expect(notices(agent)).toEqual([]);
  });

  it("lets the command that opened it finish, and nothing else of the old session", async () => {
    const agent = start({
      "x.ts": `export default (pi) => pi.registerCommand("go", { handler: async (args, ctx) => {
        await ctx.newSession();
        pi.setSessionName("fresh");
        ctx.ui.notify(ctx.sessionManager.getSessionId());
        if (args === "again") await ctx.newSession({ withSession: (ctx) => ctx.ui.notify(ctx.sessionManager.getSessionId()) });
        const name = await ctx.ui.input("Name?");
        ctx.ui.notify(name);
        setTimeout(() => ctx.ui.notify("late"), 1);
      } });`,
    });
    const gone = agent.call("prompt", { message: "/go again" });
    const question = await agent.waitFor(({ method }) => method === "input");
    const { sessionId } = await agent.call("get_state");
    agent.send({ type: "extension_ui_response", id: question.id, value: "Ada" });
    await gone;
    const late = await agent.waitFor(({ event }) => event === "uncaught");
    expect(late).toMatchObject({ error: expect.stringContaining("in another session") });
    const [first, second, ...rest] = notices(agent);
    expect([second, ...rest]).toEqual([sessionId, "Ada"]);
    expect(first).not.toBe(sessionId);
  });

  it("uses what is installed by then, and the current instructions", async () => {
    const agent = start({ "x.ts": `export default (pi) => pi.registerCommand("early", { handler: () => {} });` });
    model().enqueue(reply("one"), reply("two"));
    await agent.run("one");
    writeFiles(join(agent.agentDir, "extensions"), {
      "x.ts": "export default () => { throw new Error('broken'); };",
      "y.ts": `export default (pi) => {
        pi.registerCommand("later", { handler: () => {} });
        pi.on("resources_discover", ({ reason }, ctx) => {
          ctx.ui.notify(reason);
          return { promptPaths: [ctx.cwd + "/more"] };
        });
      };`,
    });
    writeFiles(agent.cwd, { "more/hello.md": "Say hello." });
    writeFileSync(join(agent.cwd, "AGENTS.md"), "Speak softly.");
    await agent.call("new_session");
    await agent.run("two");
    const { commands } = await agent.call("get_commands");
    const names = Array.isArray(commands) ? commands.map((command) => asRecord(command).name) : [];
    expect(names).toEqual(expect.arrayContaining(["later", "hello"]));
    expect(names).not.toContain("early");
    expect(notices(agent)).toEqual(["startup"]);
    expect(errors(agent)).toMatchObject([{ event: "load", error: expect.stringContaining("broken") }]);
    const systems = model().requests.map(({ body }) => JSON.stringify(body.system).includes("Speak softly."));
    expect(systems).toEqual([false, true]);
  });

  it("continues with a model of an extension", async () => {
    const agent = start({
      "x.ts": `export default (pi) => pi.registerProvider("team", {
        baseUrl: ${JSON.stringify(model().url)}, apiKey: "test-key", api: "anthropic-messages",
        models: [{ id: "large", name: "Large", reasoning: false, input: ["text"], contextWindow: 200000, maxTokens: 8000,
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }],
      });`,
    });
    await agent.call("set_model", { provider: "team", modelId: "large" });
    await agent.call("new_session");
    model().enqueue(reply("ok"));
    await agent.run("hello");
    expect(model().requests[0]?.body.model).toBe("large");
    expect((await agent.call("get_state")).model).toMatchObject({ provider: "team", id: "large" });
  });
});
