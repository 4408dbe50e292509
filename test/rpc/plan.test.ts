import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkRuns } from "../support/run-grammar.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, hang, httpError, reply, text, toolCall } from "../support/scripted-replies.ts";
import { AUTO_FRAMES, NEARLY_FULL, SmallWindow } from "../support/small-window.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agentDir: string;
let agents: AgentUnderTest[];

beforeEach(async () => {
  model = await ScriptedModel.start();
  agentDir = mkdtempSync(join(tmpdir(), "tiller-todos-"));
  agents = [];
});

afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.dispose()));
  rmSync(agentDir, { recursive: true, force: true });
  await model.stop();
});

function start({ args, settings }: { args?: string[]; settings?: object } = {}): AgentUnderTest {
  if (settings !== undefined) writeFileSync(join(agentDir, "settings.json"), JSON.stringify(settings));
  const cwd = join(agentDir, "project");
  mkdirSync(cwd, { recursive: true });
  const agent = new AgentUnderTest({ modelUrl: model.url, agentDir, cwd, ...(args === undefined ? {} : { args }) });
  agents.push(agent);
  return agent;
}

/** A reply that changes the plan. */
function write(...ops: object[]) {
  return reply([toolCall("todo_write", { ops })], { stopReason: "tool_use" });
}

const PLAN = { op: "replace", phases: [{ name: "Plan", tasks: [{ content: "look" }, { content: "act" }] }] };
const DONE = [
  { op: "update", id: "task-1", status: "completed" },
  { op: "update", id: "task-2", status: "abandoned" },
];
const OPEN_PHASES = [
  {
    id: "phase-1",
    name: "Plan",
    tasks: [
      { id: "task-1", content: "look", status: "in_progress" },
      { id: "task-2", content: "act", status: "pending" },
    ],
  },
];
const HOST_PHASES = [{ name: "Plan", tasks: [{ content: "look", status: "in_progress" }, { content: "act" }] }];

async function phasesOf(agent: AgentUnderTest): Promise<unknown> {
  return (await agent.call("get_state")).todoPhases;
}

describe("todo_write on the wire", () => {
  it("is offered by default, needs no permission and becomes the plan of the session", async () => {
    const agent = start({ args: ["--no-session", "--permission-mode", "readonly"] });
    model.enqueue(write(PLAN), write(...DONE), reply("done"));
    const frames = await agent.run("go");
    expect(model.requests[0]?.body.tools?.map(({ name }) => name)).toEqual([
      "read",
      "bash",
      "edit",
      "write",
      "todo_write",
    ]);
    const [first] = frames.filter(({ type }) => type === "tool_execution_end");
    expect(first).toMatchObject({ isError: false, result: { details: { phases: OPEN_PHASES, storage: "memory" } } });
    expect(await phasesOf(agent)).toMatchObject([
      {
        tasks: [
          { id: "task-1", status: "completed" },
          { id: "task-2", status: "abandoned" },
        ],
      },
    ]);
    expect(frames.some(({ type }) => type === "todo_reminder")).toBe(false);
  });
});

describe("todo_reminder", () => {
  it("follows a normal stop while tasks are open, once per prompt", async () => {
    const agent = start();
    model.enqueue(write(PLAN), reply("bye"), reply("bye"));
    const frames = await agent.run("go");
    expect(checkRuns(frames)).toBe(1);
    const at = frames.findIndex(({ type }) => type === "todo_reminder");
    expect(frames.slice(at - 1, at + 5)).toMatchObject([
      { type: "agent_end", willRetry: false, willContinue: true },
      { type: "todo_reminder", todos: OPEN_PHASES[0]?.tasks, attempt: 1, maxAttempts: 1 },
      { type: "agent_start" },
      { type: "turn_start" },
      { type: "message_start", message: { role: "custom", customType: "todo-reminder", display: false } },
      { type: "message_end", message: { role: "custom" } },
    ]);
    const reminders = frames.filter(({ type }) => type === "todo_reminder");
    expect(reminders.map(({ attempt }) => attempt)).toEqual([1]);
    expect(frames.filter(({ type }) => type === "agent_end").map(({ willContinue }) => willContinue)).toEqual([
      true,
      false,
    ]);
    expect(JSON.stringify(model.requests[2]?.body.messages.at(-1))).toContain("task-1 look [in_progress]");
    model.enqueue(write(...DONE), reply("done"));
    const next = await agent.run("finish");
    expect(next.some(({ type }) => type === "todo_reminder")).toBe(false);
  });

  it("starts counting again with the next prompt, also for a plan of the host", async () => {
    const agent = start();
    await agent.call("set_todos", { phases: HOST_PHASES });
    for (const prompt of ["one", "two"]) {
      model.enqueue(reply("a"), reply("b"));
      const frames = await agent.run(prompt);
      expect(frames.filter(({ type }) => type === "todo_reminder").map(({ attempt }) => attempt)).toEqual([1]);
    }
  });

  it("comes after a follow-up was answered, and not after an abort", async () => {
    const agent = start();
    await agent.call("set_todos", { phases: HOST_PHASES });
    const hold = gate();
    model.enqueue(reply([text("a"), hold]), reply("b"), hang({ afterBlocks: [text("c")] }));
    await agent.call("prompt", { message: "go" });
    await agent.waitFor(({ type }) => type === "message_update");
    await agent.call("follow_up", { message: "and then" });
    hold.release();
    const reminder = await agent.waitFor(({ type }) => type === "todo_reminder");
    expect(model.requests).toHaveLength(2);
    await agent.waitFor(({ type }) => type === "message_update", agent.frames.indexOf(reminder));
    await agent.call("abort");
    expect(agent.types().filter((type) => type === "todo_reminder")).toHaveLength(1);
    expect(agent.frames.findLast(({ type }) => type === "agent_end")).toMatchObject({ willContinue: false });
  });

  it("comes after the compaction that the answer made necessary", async () => {
    const small = await SmallWindow.start();
    try {
      await small.talk();
      await small.agent.call("set_todos", { phases: HOST_PHASES });
      small.model.enqueue(reply("full", NEARLY_FULL), reply("## Goal"), reply("## Request"));
      small.model.enqueue(reply("a"));
      const frames = await small.agent.run("go");
      expect(checkRuns(frames)).toBe(1);
      const types = frames.map(({ type }) => type);
      const at = types.indexOf("agent_end");
      expect(types.slice(at, at + 7)).toEqual(["agent_end", ...AUTO_FRAMES, "todo_reminder", "agent_start"]);
      expect(frames[at]).toMatchObject({ willRetry: false, willContinue: true });
    } finally {
      await small.stop();
    }
  });

  it.each(["Which of the two do you want?", "I need to know: **red or blue?**\n"])(
    "does not come when the response ends with a question: %j",
    async (question) => {
      const agent = start();
      await agent.call("set_todos", { phases: HOST_PHASES });
      model.enqueue(reply(question));
      expect(agent.types(await agent.run("go"))).not.toContain("todo_reminder");
      expect(model.requests).toHaveLength(1);
    },
  );

  it("does not come after an error or while todo_write is inactive", async () => {
    const failing = start();
    await failing.call("set_todos", { phases: HOST_PHASES });
    model.enqueue(httpError(400, "invalid_request_error", "No"));
    expect(failing.types(await failing.run("go"))).not.toContain("todo_reminder");
    const without = start({ args: ["--no-session", "--tools", "read"] });
    await without.call("set_todos", { phases: HOST_PHASES });
    model.enqueue(reply("bye"));
    expect(without.types(await without.run("go"))).not.toContain("todo_reminder");
  });
});

describe("tasks and settings", () => {
  it("cannot switch reminders or the tool off in RPC mode", async () => {
    const todo = { enabled: false, reminders: false, "reminders.max": 1 };
    const agent = start({ settings: { todo, "todo.enabled": false, "todo.reminders.max": 1 } });
    model.enqueue(write(PLAN), reply("a"), reply("b"));
    const frames = await agent.run("go");
    expect(frames.filter(({ type }) => type === "todo_reminder").length).toBe(1);
    expect(agent.stderr).toBe("");
  });

  it("remove a finished task after the delay, with todo_auto_clear, even when idle", async () => {
    const agent = start({ settings: { tasks: { todoClearDelay: 0.05 } } });
    const phases = [
      { name: "A", tasks: [{ content: "a", status: "completed" }, { content: "b" }] },
      { name: "B", tasks: [{ content: "c", status: "abandoned" }] },
    ];
    const { todoPhases } = await agent.call("set_todos", { phases });
    expect(todoPhases).toHaveLength(2);
    await agent.waitFor(({ type }) => type === "todo_auto_clear");
    expect(await phasesOf(agent)).toEqual([
      { id: "phase-1", name: "A", tasks: [{ id: "task-2", content: "b", status: "pending" }] },
    ]);
    expect(agent.types().filter((type) => type === "todo_auto_clear")).toHaveLength(1);
  });

  it("do not keep the process alive for a finished task", async () => {
    const agent = start();
    await agent.call("set_todos", { phases: [{ name: "A", tasks: [{ content: "a", status: "completed" }] }] });
    expect(await agent.end()).toEqual({ code: 0, signal: null });
    expect(agent.types()).not.toContain("todo_auto_clear");
  });
});

describe("the plan of a session", () => {
  it("is cleared by new_session and restored by switch_session, clone and --session", async () => {
    const agent = start({ args: [] });
    model.enqueue(write(PLAN), reply("a"), reply("b"));
    const frames = await agent.run("go");
    expect(frames.find(({ type }) => type === "tool_execution_end")).toMatchObject({
      result: { details: { storage: "session" } },
    });
    await agent.call("set_todos", { phases: [] });
    await agent.call("clone");
    expect(await phasesOf(agent)).toEqual(OPEN_PHASES);
    const { sessionFile } = await agent.call("get_state");
    await agent.call("new_session");
    expect(await phasesOf(agent)).toEqual([]);
    await agent.call("switch_session", { sessionPath: sessionFile });
    expect(await phasesOf(agent)).toEqual(OPEN_PHASES);
    await agent.end();
    const heir = start({ args: ["--session", String(sessionFile)] });
    expect(await phasesOf(heir)).toEqual(OPEN_PHASES);
  });

  it("survives a compaction", async () => {
    const small = await SmallWindow.start();
    try {
      await small.talk();
      const { todoPhases } = await small.agent.call("set_todos", { phases: HOST_PHASES });
      small.model.enqueue(reply("## Goal"), reply("## Request"));
      await small.agent.call("compact");
      expect(await phasesOf(small.agent)).toEqual(todoPhases);
      expect(todoPhases).toEqual(OPEN_PHASES);
    } finally {
      await small.stop();
    }
  });

  it("is that of the branch after a fork", async () => {
    const agent = start({ args: [] });
    model.enqueue(write(PLAN, ...DONE), reply("one"));
    await agent.run("first");
    model.enqueue(write({ op: "replace", phases: [{ name: "Other" }] }), reply("two"));
    await agent.run("second");
    const { messages } = await agent.call("get_fork_messages");
    const entryIds = (Array.isArray(messages) ? messages : []).map((message) => asRecord(message).entryId);
    await agent.call("fork", { entryId: entryIds[1] });
    expect(await phasesOf(agent)).toMatchObject([{ name: "Plan" }]);
    await agent.call("fork", { entryId: entryIds[0] });
    expect(await phasesOf(agent)).toEqual([]);
  });
});
