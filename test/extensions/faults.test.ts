import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith, writeFiles } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { httpError, reply, text, toolCall } from "../support/scripted-replies.ts";
import { LONG, NEARLY_FULL } from "../support/small-window.ts";
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

/** Every event there is but `tool_call`, which is another matter. */
const EVENTS = [
  "after_provider_response",
  "agent_end",
  "agent_settled",
  "agent_start",
  "auto_compaction_end",
  "auto_compaction_start",
  "auto_retry_end",
  "auto_retry_start",
  "before_agent_start",
  "before_provider_request",
  "context",
  "input",
  "message_end",
  "message_start",
  "message_update",
  "model_select",
  "resources_discover",
  "session_before_branch",
  "session_before_compact",
  "session_before_fork",
  "session_before_switch",
  "session_before_tree",
  "session_branch",
  "session_compact",
  "session_compact_failed",
  "session_fork",
  "session_info_changed",
  "session_shutdown",
  "session_start",
  "session_switch",
  "session_tree",
  "thinking_level_select",
  "todo_reminder",
  "tool_execution_end",
  "tool_execution_start",
  "tool_execution_update",
  "tool_result",
  "ttsr_triggered",
  "turn_end",
  "turn_start",
  "user_bash",
];

/** An agent with a small window, a rule, an extension that goes wrong in every event and one that goes through the tree. */
function startWithTrouble(): AgentUnderTest {
  const { agentDir, remove } = agentDirWith({
    "trouble.ts": `export default (pi) => { for (const event of ${JSON.stringify(EVENTS)})
      pi.on(event, () => { throw new Error("broken " + event); }); };`,
    "walk.ts": `export default (pi) => pi.registerCommand("walk", {
      handler: (_args, ctx) => ctx.navigateTree(ctx.sessionManager.getBranch().find(({ type }) => type === "message").id) });`,
  });
  cleanups.push(remove);
  const tiny = { id: "tiny", contextWindow: 10_000, maxTokens: 3000, reasoning: true };
  const provider = { baseUrl: model.url, api: "anthropic-messages", apiKey: "LOCAL_KEY" };
  const models = [tiny, { ...tiny, id: "other" }];
  writeFiles(agentDir, {
    "models.json": JSON.stringify({ providers: { local: { ...provider, models } } }),
    "settings.json":
      '{ "compaction": { "reserveTokens": 2000, "keepRecentTokens": 100 }, "retry": { "baseDelayMs": 1 } }',
    "rules/no-any.md": "---\ndescription: Types\ncondition: 'forbidden'\n---\nDo not say it.",
  });
  const agent = new AgentUnderTest({ agentDir, args: ["--model", "local/tiny"], env: { LOCAL_KEY: "k" } });
  cleanups.push(() => agent.dispose());
  return agent;
}

/** Does something of every kind. */
async function doEverything(agent: AgentUnderTest): Promise<void> {
  model.enqueue(
    httpError(529, "overloaded_error", "busy"),
    reply([toolCall("bash", { command: "echo out" })]),
    reply([text("this is forbidden", { chunks: 3 })]),
    reply(LONG),
  );
  await agent.run("first");
  model.enqueue(reply(LONG));
  await agent.run("second");
  model.enqueue(reply("Summary."), reply("Beginning of a turn."));
  await agent.call("compact");
  await agent.request("compact"); // there is nothing left to sum up
  model.enqueue(reply(LONG, NEARLY_FULL), reply("Summary again."), reply("Beginning again."));
  await agent.run("third");
  await agent.call("set_todos", { phases: [{ name: "Plan", tasks: [{ content: "act" }] }] });
  model.enqueue(reply("ok"), reply("ok"));
  await agent.run("fourth");
  await agent.call("set_todos", { phases: [] });
  expect((await agent.request("bash", { command: "true" })).success).toBe(false);
  await agent.call("set_model", { provider: "local", modelId: "other" });
  await agent.call("set_thinking_level", { level: "high" });
  await agent.call("set_session_name", { name: "Trouble" });
  await agent.call("prompt", { message: "/walk" });
  model.enqueue(reply("ok"));
  await agent.run("fifth");
  const { messages } = await agent.call("get_fork_messages");
  const entryId = Array.isArray(messages) ? asRecord(messages[0]).entryId : undefined;
  await agent.call("fork", { entryId });
  await agent.call("new_session");
}

describe("an extension that throws", () => {
  it("in each event does no harm: every error is reported with its name and reason, and the agent continues", async () => {
    const agent = startWithTrouble();
    await doEverything(agent);
    const told = errors(agent.frames);
    expect([...new Set(told.map(({ event }) => String(event)))].sort()).toEqual(EVENTS);
    for (const { event, error, extensionPath } of told) {
      expect({ error, extensionPath }).toEqual({
        error: `broken ${String(event)}`,
        extensionPath: pathIn(agent, "trouble.ts"),
      });
    }
    await expectGoesOn(agent);
    expect((await agent.end()).code).toBe(0);
    expect(agent.stderr).toContain("trouble.ts (session_shutdown): broken session_shutdown");
  });

  it("in tool_call blocks the call, and the model learns why", async () => {
    const agent = start({ "x.ts": `export default (pi) => pi.on("tool_call", () => { throw new Error("unsure"); });` });
    model.enqueue(reply([toolCall("bash", { command: "touch made" })]), reply("ok"));
    const frames = await agent.run("go");
    expect(errors(frames)).toMatchObject([
      { event: "tool_call", error: "unsure", extensionPath: pathIn(agent, "x.ts") },
    ]);
    const end = frames.find(({ type }) => type === "tool_execution_end");
    expect(end).toMatchObject({ isError: true });
    expect(JSON.stringify(end)).toContain("Extension failed, blocking execution: unsure");
    await expectGoesOn(agent);
  });

  it("a value that is not an error, or cannot be inspected, is reported as far as possible", async () => {
    const agent = start({
      "a.ts": `export default (pi) => pi.on("agent_start", () => { throw "text"; });`,
      "b.ts": `export default (pi) => pi.on("agent_start", () => { throw undefined; });`,
      "c.ts": `export default (pi) => pi.on("agent_start", () => { throw { toString() { throw new Error("worse"); } }; });`,
      "d.ts": `export default (pi) => pi.on("agent_start", () => Promise.reject(Object.create(null)));`,
    });
    model.enqueue(reply("ok"));
    const told = errors(await agent.run("go"));
    expect(told.map(({ extensionPath }) => extensionPath)).toEqual(
      ["a.ts", "b.ts", "c.ts", "d.ts"].map((name) => pathIn(agent, name)),
    );
    expect(told[0]?.error).toBe("text");
    await expectGoesOn(agent);
  });

  it("again and again later is reported a few times a second, and the agent continues", async () => {
    const agent = start({
      "x.ts": `export default (pi) => pi.on("session_start", (_e, ctx) => {
        let left = 500;
        const timer = setInterval(() => {
          if (left-- === 0) { clearInterval(timer); ctx.ui.notify("over"); return; }
          void Promise.reject("no error at all");
          throw new Error("again");
        }, 0);
      });`,
    });
    await agent.waitFor(({ message }) => message === "over");
    const told = errors(agent.frames).filter(({ event }) => event === "uncaught");
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThan(200);
    expect(told.map(({ error }) => error)).toContain("again");
    await expectGoesOn(agent);
  });
});
