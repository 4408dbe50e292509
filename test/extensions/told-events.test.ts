import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith, writeFiles } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { httpError, reply } from "../support/scripted-replies.ts";
import { AgentUnderTest, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await model.stop();
});

/** An agent with an extension that shows each of these events whole, and with more files in its folder. */
function start(types: readonly string[], files: Record<string, string> = {}, args = ["--no-session"]): AgentUnderTest {
  const { agentDir, remove } = agentDirWith({
    "tell.ts": `export default (pi) => {
      for (const type of ${JSON.stringify(types)}) pi.on(type, (event, ctx) => ctx.ui.notify(JSON.stringify(event)));
    };`,
  });
  cleanups.push(remove);
  writeFiles(agentDir, files);
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url, args });
  cleanups.push(() => agent.dispose());
  return agent;
}

const toldIn = (frames: readonly Frame[]): unknown[] =>
  frames.filter(({ method }) => method === "notify").map(({ message }) => JSON.parse(String(message)));

/** Every event that was told comes before the frame of the same content. */
function expectSeenFirst(frames: readonly Frame[], types: readonly string[]): void {
  const events = frames.filter(({ type }) => types.includes(type));
  expect(toldIn(frames)).toEqual(events);
  const order = frames
    .map(({ type, method }) => (method === "notify" ? "told" : type))
    .filter((type) => type === "told" || types.includes(type));
  expect(order).toEqual(events.flatMap(({ type }) => ["told", type]));
}

describe("events that extensions hear before the host", () => {
  it("report retries", async () => {
    const types = ["auto_retry_start", "auto_retry_end"];
    const agent = start(types, { "settings.json": JSON.stringify({ retry: { baseDelayMs: 1 } }) });
    model.enqueue(httpError(529, "overloaded_error", "Overloaded"), reply("ok"));
    const frames = await agent.run("go");
    expectSeenFirst(frames, types);
    expect(toldIn(frames)).toMatchObject([
      { type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 1 },
      { type: "auto_retry_end", success: true, attempt: 1 },
    ]);
  });

  it("report automatic compactions", async () => {
    const types = ["auto_compaction_start", "auto_compaction_end"];
    const tiny = { id: "tiny", contextWindow: 10_000, maxTokens: 3000 };
    const local = { baseUrl: model.url, api: "anthropic-messages", apiKey: "ANTHROPIC_API_KEY", models: [tiny] };
    const files = {
      "models.json": JSON.stringify({ providers: { local } }),
      "settings.json": JSON.stringify({ compaction: { reserveTokens: 2000, keepRecentTokens: 100 } }),
    };
    const agent = start(types, files, ["--no-session", "--model", "local/tiny"]);
    const long = "word ".repeat(200);
    model.enqueue(reply(long), reply(long, { usage: { input_tokens: 9000 } }), reply("## Goal"), reply("## Request"));
    await agent.run("one");
    const frames = await agent.run("two");
    expectSeenFirst(frames, types);
    expect(toldIn(frames)).toMatchObject([
      { type: "auto_compaction_start", reason: "threshold", action: "context-full" },
      { type: "auto_compaction_end", aborted: false, willRetry: false, result: { tokensBefore: 9005 } },
    ]);
  });

  it("report reminders of the plan", async () => {
    const agent = start(["todo_reminder"]);
    await agent.call("set_todos", { phases: [{ name: "P", tasks: [{ content: "look" }] }] });
    model.enqueue(reply("a"), reply("b"));
    const frames = await agent.run("go");
    expectSeenFirst(frames, ["todo_reminder"]);
    const todos = [{ id: "task-1", content: "look", status: "pending" }];
    expect(toldIn(frames)).toEqual([{ type: "todo_reminder", todos, attempt: 1, maxAttempts: 1 }]);
  });

  it("report rules that the answer violates", async () => {
    const agent = start(["ttsr_triggered"], { "rules/kind.md": "---\ncondition: bad\n---\nBe kind." });
    model.enqueue(reply("bad."), reply("good"));
    const frames = await agent.run("go");
    expectSeenFirst(frames, ["ttsr_triggered"]);
    const rule = { name: "kind", path: `${agent.agentDir}/rules/kind.md`, content: "Be kind." };
    expect(toldIn(frames)).toEqual([{ type: "ttsr_triggered", rules: [rule] }]);
  });

  it("report forks under their older name as well", async () => {
    const agent = start(["session_before_branch", "session_before_fork", "session_branch", "session_fork"], {}, []);
    model.enqueue(reply("ok"));
    await agent.run("hello");
    const { messages } = await agent.call("get_branch_messages");
    const entryId: unknown = Array.isArray(messages) ? messages[0]?.entryId : undefined;
    const { sessionFile } = await agent.call("get_state");
    await agent.call("branch", { entryId });
    const before = { entryId, position: "before" };
    const told = toldIn(agent.frames);
    expect(told).toHaveLength(4);
    expect(told).toMatchObject([before, before, {}, {}]);
    const after = { previousSessionFile: sessionFile };
    for (const type of ["session_branch", "session_fork"]) {
      expect(told).toContainEqual(expect.objectContaining({ type, ...after }));
    }
  });
});
