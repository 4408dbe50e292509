import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, text, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

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

async function expectGoesOn(agent: AgentUnderTest): Promise<void> {
  model.enqueue(reply("still here"));
  expect(JSON.stringify(await agent.run("and now?"))).toContain("still here");
}

describe("a handler that hangs", () => {
  const BASH = () => reply([text("a"), toolCall("bash", { command: "true" })]);
  for (const [event, answer] of [
    ["input", undefined],
    ["before_agent_start", undefined],
    ["agent_start", undefined],
    ["turn_start", undefined],
    ["context", undefined],
    ["before_provider_request", undefined],
    ["before_provider_headers", undefined],
    ["message_start", undefined],
    ["message_end", undefined],
    ["message_update", BASH],
    ["tool_call", BASH],
    ["tool_execution_start", BASH],
    ["tool_result", BASH],
    ["turn_end", BASH],
    ["agent_end", () => reply("ok")],
  ] satisfies [string, (() => ReturnType<typeof reply>) | undefined][]) {
    it(`in ${event} is released by abort`, async () => {
      const agent = start({
        "x.ts": `export default (pi) => { let isFirst = true;
          pi.on("${event}", (event, ctx) => { if (!isFirst) return; isFirst = false; ctx.ui.notify("stuck"); return new Promise(() => {}); }); };`,
      });
      if (answer !== undefined) model.enqueue(answer());
      const answered = agent.request("prompt", { message: "go" });
      await agent.waitFor(({ method }) => method === "notify");
      await agent.call("abort");
      await answered;
      expect(await agent.call("get_state")).toMatchObject({ isStreaming: false });
      await expectGoesOn(agent);
    });
  }

  for (const [event, command, fields] of [
    ["session_before_switch", "new_session", {}],
    ["session_shutdown", "new_session", {}],
    ["session_switch", "new_session", {}],
  ] satisfies [string, string, object][]) {
    it(`in ${event} is released by abort`, async () => {
      const agent = start({
        "x.ts": `export default (pi) => pi.on("${event}", (_e, ctx) => { ctx.ui.notify("stuck"); return new Promise(() => {}); });`,
      });
      const answered = agent.request(command, fields);
      await agent.waitFor(({ method }) => method === "notify");
      await agent.call("abort");
      expect((await answered).success).toBe(true);
      await expectGoesOn(agent);
    });
  }

  it("in session_start and resources_discover delays prompts for ten seconds at most, and abort releases them at once", async () => {
    for (const event of ["session_start", "resources_discover"]) {
      const agent = start({
        "x.ts": `export default (pi) => pi.on("${event}", (_e, ctx) => { ctx.ui.notify("stuck"); return new Promise(() => {}); });`,
      });
      await agent.waitFor(({ method }) => method === "notify");
      await agent.call("abort");
      await expectGoesOn(agent);
    }
    const agent = start({ "x.ts": `export default (pi) => pi.on("session_start", () => new Promise(() => {}));` });
    await agent.call("get_state");
    const before = performance.now();
    await expectGoesOn(agent);
    expect(performance.now() - before).toBeGreaterThan(8000);
    expect(performance.now() - before).toBeLessThan(14_000);
  });

  it("while its extension is loaded delays the start for ten seconds at most", async () => {
    const agent = start({
      "a.ts": `export default () => new Promise(() => {});`,
      "b.ts": `export default (pi) => pi.on("session_start", (_e, ctx) => ctx.ui.notify("b"));`,
    });
    await agent.waitFor(({ message }) => message === "b");
    expect(agent.frames.find(({ type }) => type === "extension_error")).toMatchObject({
      extensionPath: expect.stringMatching(/a\.ts$/),
      event: "load",
      error: "Failed to load extension: its function was not done within 10 seconds",
    });
    await expectGoesOn(agent);
  });

  it("while a timer of its extension fails does not delay the start", async () => {
    const agent = start({
      "a.ts": `const late = () => setTimeout(() => { throw new Error("late"); }, 1);
        const wait = () => new Promise((resolve) => setTimeout(resolve, 50));
        late(); await wait();
        export default async (pi) => {
          late(); await wait();
          pi.on("session_start", (_e, ctx) => ctx.ui.notify("started"));
        };`,
    });
    await agent.waitFor(({ message }) => message === "started");
    expect(agent.frames.filter(({ type }) => type === "extension_error")).toMatchObject([
      { extensionPath: expect.stringMatching(/a\.ts$/), event: "uncaught", error: "late" },
      { extensionPath: expect.stringMatching(/a\.ts$/), event: "uncaught", error: "late" },
    ]);
  });

  it("at the end delays the exit for three seconds at most", async () => {
    const agent = start({ "x.ts": `export default (pi) => pi.on("session_shutdown", () => new Promise(() => {}));` });
    await agent.call("get_state");
    const before = performance.now();
    expect((await agent.end()).code).toBe(0);
    expect(performance.now() - before).toBeLessThan(4900);
  });
});
