import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeFiles } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, reply, text, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agentDir: string;
let agents: AgentUnderTest[];

beforeEach(async () => {
  model = await ScriptedModel.start();
  agentDir = mkdtempSync(join(tmpdir(), "tiller-todos-"));
  mkdirSync(join(agentDir, "project"));
  agents = [];
});

afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.dispose()));
  rmSync(agentDir, { recursive: true, force: true });
  await model.stop();
});

function start(...args: string[]): AgentUnderTest {
  const agent = new AgentUnderTest({ modelUrl: model.url, agentDir, cwd: join(agentDir, "project"), args });
  agents.push(agent);
  return agent;
}

/** Done tasks leave after as many seconds. */
function clearAfter(todoClearDelay: number): void {
  writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ tasks: { todoClearDelay } }));
}

function write(...ops: object[]) {
  return reply([toolCall("todo_write", { ops })], { stopReason: "tool_use" });
}

async function tasksOf(agent: AgentUnderTest): Promise<string[]> {
  const { todoPhases } = await agent.call("get_state");
  const phases: unknown[] = Array.isArray(todoPhases) ? todoPhases : [];
  return phases.flatMap((phase) => {
    const { name, tasks } = asRecord(phase);
    const items: unknown[] = Array.isArray(tasks) ? tasks : [];
    return items.map((task) => {
      const { id, status } = asRecord(task);
      return `${String(name)}: ${String(id)} ${String(status)}`;
    });
  });
}

const resultTexts = (frames: readonly Frame[]) =>
  frames
    .filter(({ type }) => type === "tool_execution_end")
    .map(({ result }) => JSON.stringify(asRecord(result).content));
const DONE = { name: "A", tasks: [{ content: "a", status: "completed" }] };
const OPEN = { name: "B", tasks: [{ content: "b" }] };

describe("set_todos", () => {
  it("causes no event and no entry", async () => {
    const agent = start();
    model.enqueue(reply("hello"));
    await agent.run("go");
    const { sessionFile } = await agent.call("get_state");
    const before = readFileSync(String(sessionFile), "utf8");
    const from = agent.frames.length;
    await agent.call("set_todos", { phases: [OPEN] });
    await agent.call("set_todos", { phases: [] });
    await agent.call("get_state");
    expect(agent.types(agent.frames.slice(from))).toEqual(["response", "response", "response"]);
    expect(readFileSync(String(sessionFile), "utf8")).toBe(before);
  });

  it("keeps the old list when the new one has an error", async () => {
    const agent = start("--no-session");
    await agent.call("set_todos", { phases: [OPEN] });
    const bad = [OPEN, { name: "C", tasks: [{ content: "c", status: "later" }] }];
    expect(await agent.request("set_todos", { phases: bad })).toMatchObject({
      success: false,
      error: 'Invalid todo status "later". Valid values: pending, in_progress, completed, abandoned',
    });
    expect(await tasksOf(agent)).toEqual(["B: task-1 pending"]);
  });

  it("during a run is the base of the model's next change and of reminders", async () => {
    const agent = start("--no-session");
    const hold = gate();
    const done = { op: "update", id: "task-1", status: "completed" };
    model.enqueue(reply([text("hm"), hold, toolCall("todo_write", { ops: [done] })], { stopReason: "tool_use" }));
    model.enqueue(reply("bye"), reply("bye"));
    await agent.call("prompt", { message: "go" });
    await agent.waitFor(({ type }) => type === "message_update");
    await agent.call("set_todos", { phases: [OPEN, { name: "C", tasks: [{ content: "c" }] }] });
    hold.release();
    await agent.settled();
    expect(resultTexts(agent.frames)[0]).toContain("task-2 c [in_progress] (C)");
    const reminders = agent.frames.filter(({ type }) => type === "todo_reminder");
    expect(reminders.map(({ todos }) => todos)).toEqual([[{ id: "task-2", content: "c", status: "in_progress" }]]);
  });
});

describe("done tasks", () => {
  it("stay forever with a negative delay", async () => {
    clearAfter(-1);
    const agent = start("--no-session");
    await agent.call("set_todos", { phases: [DONE] });
    model.enqueue(write({ op: "add_phase", name: "B" }), reply("ok"));
    await agent.run("go");
    expect(await tasksOf(agent)).toEqual(["A: task-1 completed"]);
    expect(agent.types()).not.toContain("todo_auto_clear");
  });

  it("that are reopened stay; each of the others leaves with its own event", async () => {
    clearAfter(0.3);
    const agent = start("--no-session");
    const three = ["a", "b", "c"].map((content) => ({ content, status: "completed" }));
    const again = three.map((task, index) => ({ ...task, id: `task-${index + 1}` }));
    const reopened = again.map((task) => (task.id === "task-2" ? { ...task, status: "in_progress" } : task));
    for (const tasks of [three, reopened]) agent.send({ type: "set_todos", phases: [{ name: "A", tasks }] });
    const first = await agent.waitFor(({ type }) => type === "todo_auto_clear");
    expect(await tasksOf(agent)).toEqual(["A: task-2 in_progress"]);
    await agent.call("set_todos", { phases: [{ name: "A", tasks: [{ ...again[1] }] }] });
    await agent.waitFor(({ type }) => type === "todo_auto_clear", agent.frames.indexOf(first) + 1);
    expect(await tasksOf(agent)).toEqual([]);
  });

  it("of an opened session leave too, but not after another session is opened", async () => {
    const agent = start();
    model.enqueue(write({ op: "replace", phases: [DONE, OPEN] }), reply("a"), reply("b"));
    await agent.run("go");
    const { sessionFile } = await agent.call("get_state");
    await agent.end();
    clearAfter(0.05);
    const heir = start("--session", String(sessionFile));
    await heir.waitFor(({ type }) => type === "todo_auto_clear");
    expect(await tasksOf(heir)).toEqual(["B: task-2 in_progress"]);
    await heir.call("set_todos", { phases: [DONE] });
    await heir.call("new_session");
    const from = heir.frames.length;
    await heir.call("set_todos", { phases: [{ ...DONE, name: "New" }] });
    await heir.waitFor(({ type }) => type === "todo_auto_clear", from);
    expect(heir.types(heir.frames.slice(from)).filter((type) => type === "todo_auto_clear")).toHaveLength(1);
  });
});

describe("the plan of a session", () => {
  it("ignores a failed todo_write", async () => {
    const agent = start();
    model.enqueue(write({ op: "replace", phases: [OPEN] }), write({ op: "explode" }));
    model.enqueue(reply("a"), reply("b"));
    await agent.run("go");
    const { sessionFile } = await agent.call("get_state");
    expect(await tasksOf(agent)).toEqual(["B: task-1 in_progress"]);
    await agent.end();
    expect(await tasksOf(start("--session", String(sessionFile)))).toEqual(["B: task-1 in_progress"]);
  });

  it("follows the tool's result, even when an extension changed it", async () => {
    writeFiles(agentDir, {
      "extensions/plan.ts": `export default (pi) => pi.on("tool_result", ({ toolName, details }) => {
        if (toolName === "todo_write") return { details: { ...details, phases: details.phases.filter(({ name }) => name !== "Secret") } };
      });`,
    });
    const agent = start();
    const secret = { name: "Secret", tasks: [{ content: "s", status: "completed" }] };
    model.enqueue(write({ op: "replace", phases: [secret, { ...DONE, name: "Left" }] }), reply("ok"));
    await agent.run("go");
    expect(await tasksOf(agent)).toEqual(["Left: task-2 completed"]);
    const { sessionFile } = await agent.call("get_state");
    await agent.end();
    expect(await tasksOf(start("--session", String(sessionFile)))).toEqual(["Left: task-2 completed"]);
  });

  it("also follows an extension's tool of this name, and the model is reminded of it", async () => {
    writeFiles(agentDir, {
      "extensions/plan.ts": `export default (pi) => pi.registerTool({
        name: "todo_write", label: "Plan", description: "Plans.", parameters: { type: "object", properties: {} },
        async execute() {
          const tasks = [{ id: "task-1", content: "mine", status: "pending" }];
          return { content: [{ type: "text", text: "ok" }], details: { phases: [{ id: "phase-1", name: "P", tasks }] } };
        },
      });`,
    });
    const agent = start("--no-session");
    model.enqueue(reply([toolCall("todo_write", {})], { stopReason: "tool_use" }));
    model.enqueue(reply("a"), reply("b"));
    const frames = await agent.run("go");
    expect(frames.filter(({ type }) => type === "todo_reminder")).toHaveLength(1);
    expect(await tasksOf(agent)).toEqual(["P: task-1 pending"]);
  });
});
