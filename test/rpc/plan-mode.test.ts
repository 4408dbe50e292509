import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, callUnasked, questionAbout } from "../support/approval-agent.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

const PLAN = "# Add a cache\n\nIt saves requests.\n\n- [ ] Write cache.ts\n- [ ] Use it in client.ts\n";

let model: ScriptedModel;
let folder: string;
let agents: AgentUnderTest[];

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-plan-mode-"));
  for (const name of ["agent", "project"]) mkdirSync(join(folder, name));
  agents = [];
});

afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.dispose()));
  rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

function start(...args: string[]): AgentUnderTest {
  const agent = new AgentUnderTest({
    modelUrl: model.url,
    agentDir: join(folder, "agent"),
    cwd: join(folder, "project"),
    args: ["--permission-mode", "plan", ...args],
  });
  agents.push(agent);
  return agent;
}

async function propose(agent: AgentUnderTest, text = PLAN): Promise<void> {
  model.enqueue(reply(text));
  await agent.run("Add a cache");
}

const toolNames = () => model.requests.at(-1)?.body.tools?.map(({ name }) => name) ?? [];
const lastHeard = () => JSON.stringify(model.requests.at(-1)?.body.messages);

describe("plan mode", () => {
  it("refuses changes and, without a sandbox, commands that change something, without a question and against any rule", async () => {
    const agent = start("--add-dir", folder); // with the agent's own directory, so that there is no sandbox
    const rule = { id: "one", scope: "session", tool: "bash", pattern: "touch *", text: "bash touch *", createdAt: 1 };
    await agent.call("add_approval_rules", { rules: [{ ...rule, uses: 0 }] });
    expect(await callUnasked(agent, model, "bash", { command: "touch made.txt" })).toEqual({
      isAsked: false,
      isError: true,
      text: "Blocked: bash is not allowed in plan mode",
    });
    expect(await callUnasked(agent, model, "write", { path: "made.txt", content: "made" })).toMatchObject({
      isAsked: false,
      text: "Blocked: write is not allowed in plan mode",
    });
    expect(existsSync(join(agent.cwd, "made.txt"))).toBe(false);
  });

  it("runs commands that only read without a question", async () => {
    const agent = start();
    writeFileSync(join(agent.cwd, "a.txt"), "content");
    expect(await callUnasked(agent, model, "bash", { command: "cat a.txt" })).toEqual({
      isAsked: false,
      isError: false,
      text: "content",
    });
  });

  it("tells the model to plan, and tells it when the mode is over", async () => {
    const agent = start();
    await propose(agent);
    expect(lastHeard()).toContain("wants a plan first");
    expect(toolNames()).toContain("ask_user");
    await agent.call("set_permission_mode", { mode: "confirm", enforce: true });
    model.enqueue(reply("Done."));
    await agent.run("Go on");
    expect(lastHeard()).toContain("no longer wants only a plan");
    // It stays declared, so that the provider needn't read the chat anew, but it can't be called.
    expect(toolNames()).toContain("ask_user");
    model.enqueue(reply([toolCall("ask_user", { question: "Really?" })]), reply("Well."));
    const ended = (await agent.run("Ask")).find(({ type }) => type === "tool_execution_end");
    expect(JSON.stringify(ended)).toContain("Tool ask_user is no longer available. Continue without it.");
  });

  it("lets the model ask with choices, or get an answer in the user's own words", async () => {
    const agent = start();
    const args = { question: "Which store?", choices: ["Redis", "Memory"] };
    const question = await questionAbout(agent, model, "ask_user", args);
    expect(question).toMatchObject({ title: "Which store?", options: ["Redis", "Memory", "Another answer…"] });
    expect(await answer(agent, question, { value: "Memory" })).toEqual({ isError: false, text: "Memory" });
    const again = await questionAbout(agent, model, "ask_user", args);
    agent.send({ type: "extension_ui_response", id: again.id, value: "Another answer…" });
    const input = await agent.waitFor(({ method }) => method === "input", agent.frames.indexOf(again));
    expect(await answer(agent, input, { value: "SQLite" })).toEqual({ isError: false, text: "SQLite" });
  });

  it("does not remind the model of open tasks", async () => {
    const agent = start();
    const ops = [{ op: "replace", phases: [{ name: "A", tasks: [{ content: "a" }] }] }];
    model.enqueue(reply([toolCall("todo_write", { ops })], { stopReason: "tool_use" }), reply("Noted."));
    const frames = await agent.run("Plan");
    expect(frames.some(({ type }) => type === "todo_reminder")).toBe(false);
  });
});

describe("the proposed plan", () => {
  it("is the response with a checklist, until the next message", async () => {
    const agent = start();
    await propose(agent, "What do you mean?");
    expect(await agent.call("get_state")).not.toHaveProperty("proposedPlan");
    await propose(agent);
    expect(await agent.call("get_state")).toMatchObject({ proposedPlan: PLAN, permissionMode: "plan" });
    await propose(agent, "I see.");
    expect(await agent.call("get_state")).not.toHaveProperty("proposedPlan");
  });

  it("is no response with a checklist in another mode", async () => {
    const agent = start();
    await agent.call("set_permission_mode", { mode: "auto", enforce: true });
    await propose(agent);
    expect(await agent.call("get_state")).not.toHaveProperty("proposedPlan");
    expect(await agent.request("start_plan", {})).toMatchObject({ error: "No plan is proposed.", code: "not_found" });
  });

  it("survives a restart as the user changed it, and gives its steps to the session when it starts", async () => {
    const first = start();
    await propose(first);
    const text = "# Cache\n\n## Code\n\n- [ ] Write cache.ts\n- [x] Choose a store\n\n```md\n- [ ] no step\n```\n";
    expect(await first.call("revise_plan", { text })).toEqual({ proposedPlan: text });
    await first.dispose();
    const second = start("--continue");
    expect(await second.call("get_state")).toMatchObject({ proposedPlan: text, todoPhases: [] });
    const tasks = [
      { id: "task-1", content: "Write cache.ts", status: "pending" },
      { id: "task-2", content: "Choose a store", status: "completed" },
    ];
    const todoPhases = [{ id: "phase-1", name: "Code", tasks }];
    expect(await second.call("start_plan")).toEqual({ proposedPlan: text, todoPhases });
    await second.dispose();
    const third = start("--continue");
    const state = await third.call("get_state");
    expect(state).toMatchObject({ todoPhases });
    expect(state).not.toHaveProperty("proposedPlan");
  });

  it("survives a compaction", async () => {
    writeFileSync(join(folder, "agent", "settings.json"), JSON.stringify({ compaction: { keepRecentTokens: 1 } }));
    const agent = start();
    await propose(agent, "What for?");
    await propose(agent);
    model.enqueue(reply("A summary."), reply("A summary."));
    await agent.call("compact");
    expect(await agent.call("get_state")).toMatchObject({ proposedPlan: PLAN });
  });

  it("is gone when the user discards it", async () => {
    const agent = start();
    await propose(agent);
    expect(await agent.call("revise_plan", { text: " " })).toEqual({ proposedPlan: null });
    expect(await agent.request("start_plan", {})).toMatchObject({ error: "No plan is proposed." });
  });
});
