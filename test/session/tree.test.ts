import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, reply, text } from "../support/scripted-replies.ts";
import { AgentUnderTest, agentPath, asRecord } from "../support/spawn-agent.ts";

const EntryIds = z.object({ entries: z.array(z.object({ id: z.string() })) });

let model: ScriptedModel;
let folder: string;
let agent: AgentUnderTest;
const others: AgentUnderTest[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-tree-"));
  agent = start();
});

afterEach(async () => {
  for (const one of [agent, ...others.splice(0)]) await one.dispose();
  rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

function start(...args: string[]): AgentUnderTest {
  return new AgentUnderTest({ modelUrl: model.url, cwd: folder, agentDir: join(folder, "agent"), args });
}

function startOther(...args: string[]): AgentUnderTest {
  const other = start(...args);
  others.push(other);
  return other;
}

/** Two prompts and their answers. @returns the ids of the user messages. */
async function converse(): Promise<string[]> {
  model.enqueue(reply("first answer"), reply("second answer"));
  await agent.run("one");
  await agent.run("two");
  const { messages } = await agent.call("get_fork_messages");
  return Array.isArray(messages) ? messages.map((point: unknown) => String(asRecord(point).entryId)) : [];
}

function lines(path: unknown): Record<string, unknown>[] {
  return readFileSync(String(path), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => asRecord(JSON.parse(line)));
}

describe("fork and clone", () => {
  it("fork copies the path before the message and returns its text", async () => {
    const [, second] = await converse();
    const before = await agent.call("get_state");
    expect(await agent.call("fork", { entryId: second })).toEqual({ text: "two", cancelled: false });
    const after = await agent.call("get_state");
    expect(after).toMatchObject({ messageCount: 2, isStreaming: false });
    expect(after.sessionFile).not.toBe(before.sessionFile);
    const [header, ...entries] = lines(after.sessionFile);
    expect(header).toMatchObject({ parentSession: agentPath(String(before.sessionFile)) });
    const source = lines(before.sessionFile).slice(1, 1 + entries.length);
    expect(entries).toEqual(source);
    model.enqueue(reply("another answer"));
    await agent.run("two, differently");
    expect(model.requests.at(-1)?.body.messages).toHaveLength(3);
  });

  it("branch does the same as fork, and both lists of messages agree", async () => {
    const [first, second] = await converse();
    expect(await agent.call("get_branch_messages")).toEqual(await agent.call("get_fork_messages"));
    expect(await agent.request("branch", { entryId: "nope" })).toMatchObject({
      command: "branch",
      error: "Invalid entry ID for branching",
    });
    expect(await agent.request("fork", { entryId: "nope" })).toMatchObject({
      command: "fork",
      error: "Invalid entry ID for forking",
    });
    expect(await agent.call("branch", { entryId: second })).toEqual({ text: "two", cancelled: false });
    expect(first).not.toBe(second);
  });

  it("fork of the first message begins an empty session", async () => {
    const [first] = await converse();
    expect(await agent.call("fork", { entryId: first })).toEqual({ text: "one", cancelled: false });
    expect(await agent.call("get_state")).toMatchObject({ messageCount: 0 });
  });

  it("clone keeps everything up to the leaf", async () => {
    await converse();
    const before = await agent.call("get_messages");
    expect(await agent.call("clone")).toEqual({ cancelled: false });
    expect(await agent.call("get_messages")).toEqual(before);
  });

  it("fork ends an active run first, and refuses a missing entry", async () => {
    expect(await agent.request("clone")).toMatchObject({ error: "Cannot clone session: no current entry selected" });
    const [first] = await converse();
    const held = gate();
    model.enqueue(reply([text("x"), held]));
    await agent.call("prompt", { message: "three" });
    await agent.waitFor((frame) => asRecord(frame.assistantMessageEvent).delta === "x");
    const from = agent.frames.length;
    await agent.call("fork", { entryId: first });
    expect(agent.types(agent.frames.slice(from))).toEqual([
      "message_end",
      "turn_end",
      "agent_end",
      "agent_settled",
      "response",
    ]);
    held.release();
  });

  it("--fork begins with a copy, even of a session that another agent writes", async () => {
    await converse();
    const { sessionFile, sessionId } = await agent.call("get_state");
    const copy = startOther("--fork", String(sessionFile));
    const state = await copy.call("get_state");
    expect(state).toMatchObject({ messageCount: 4 });
    expect(state.sessionId).not.toBe(sessionId);
    expect(lines(state.sessionFile)[0]).toMatchObject({ parentSession: agentPath(String(sessionFile)) });
  });

  it("fork works in memory for a session in memory", async () => {
    const memory = startOther("--no-session");
    model.enqueue(reply("a"));
    await memory.run("one");
    await memory.call("clone");
    expect(await memory.call("get_state")).toMatchObject({ messageCount: 2 });
    expect(await memory.call("get_state")).not.toHaveProperty("sessionFile");
  });
});

describe("switch_session", () => {
  it("restores messages, model, level and name", async () => {
    await converse();
    await agent.call("set_session_name", { name: "Numbers" });
    await agent.call("set_thinking_level", { level: "low" });
    const before = await agent.call("get_state");
    await agent.call("new_session");
    await agent.call("set_thinking_level", { level: "high" });
    expect(await agent.call("switch_session", { sessionPath: before.sessionFile })).toEqual({ cancelled: false });
    expect(await agent.call("get_state")).toMatchObject({
      sessionId: before.sessionId,
      sessionName: "Numbers",
      thinkingLevel: "low",
      messageCount: 4,
    });
  });

  it("refuses a file that is not a session and changes nothing", async () => {
    await converse();
    const path = join(folder, "notes.txt");
    writeFileSync(path, "hello\n");
    const before = await agent.call("get_state");
    expect(await agent.request("switch_session", { sessionPath: path })).toMatchObject({
      success: false,
      error: `Session file is not a valid tiller session: ${path}`,
    });
    expect(await agent.call("get_state")).toEqual(before);
  });

  it("begins a session at a missing path, and returns to the previous one", async () => {
    await converse();
    const { sessionFile } = await agent.call("get_state");
    await agent.call("switch_session", { sessionPath: "other/fresh.jsonl" });
    expect(await agent.call("get_state")).toMatchObject({
      messageCount: 0,
      sessionFile: join(folder, "other/fresh.jsonl"),
    });
    model.enqueue(reply("ok"), reply("back"));
    await agent.run("hi");
    await agent.call("switch_session", { sessionPath: sessionFile });
    await agent.call("switch_session", { sessionPath: sessionFile });
    await agent.run("again");
    expect(lines(sessionFile).at(-1)).toMatchObject({ message: { role: "assistant" } });
  });
});

describe("the single writer of a session", () => {
  it("refuses a second agent, which gets the session afterwards", async () => {
    await converse();
    const { sessionFile } = await agent.call("get_state");
    const second = startOther("--session", String(sessionFile));
    expect((await second.exited).code).toBe(1);
    expect(second.stderr).toContain("Session is in use by process");
    const third = startOther();
    expect(await third.request("switch_session", { sessionPath: sessionFile })).toMatchObject({
      success: false,
      code: "session_locked",
    });
    await agent.end();
    expect(await third.call("switch_session", { sessionPath: sessionFile })).toEqual({ cancelled: false });
  });

  it("is waited for when it ends while another agent starts", async () => {
    await converse();
    const { sessionFile } = await agent.call("get_state");
    const heir = startOther("--session", String(sessionFile));
    await agent.end();
    expect(await heir.call("get_state")).toMatchObject({ sessionFile, messageCount: 4 });
  });

  it("holds no lock after it was killed", async () => {
    await converse();
    const { sessionFile } = await agent.call("get_state");
    agent.child.kill("SIGKILL");
    await agent.exited;
    const heir = startOther("--continue");
    expect(await heir.call("get_state")).toMatchObject({ sessionFile, messageCount: 4 });
  });
});

describe("get_entries and get_tree", () => {
  it("return entries after a known one, backwards in pages, and as a tree", async () => {
    const [, second = ""] = await converse();
    const { entries, leafId } = await agent.call("get_entries", { since: second });
    expect(entries).toMatchObject([{ id: leafId, message: { role: "assistant" } }]);
    expect(await agent.request("get_entries", { since: "zz" })).toMatchObject({
      error: "Entry not found: zz",
      code: "unknown_since",
    });
    const listed = async (fields: { before?: string; limit?: number }) =>
      EntryIds.parse(await agent.call("get_entries", fields)).entries.map(({ id }) => id);
    const path = await listed({});
    expect(await listed({ limit: 2 })).toEqual(path.slice(-2));
    expect(await listed({ before: second, limit: 1 })).toEqual(
      path.slice(path.indexOf(second) - 1, path.indexOf(second)),
    );
    expect(await listed({ before: String(path[0]) })).toEqual([]);
    expect(await agent.request("get_entries", { before: "zz" })).toMatchObject({
      error: "Entry not found: zz",
      code: "not_found",
    });
    const { tree } = await agent.call("get_tree");
    expect(tree).toMatchObject([{ entry: { type: "model_change" }, children: [{ children: [{}] }] }]);
  });
});

describe("set_todos", () => {
  it("fills in missing fields and keeps details, refuses an unknown status and changes nothing", async () => {
    const phases = [
      {
        name: "Plan",
        tasks: [
          { content: "look", details: "closely" },
          { id: "task-1", content: "act", status: "completed" },
        ],
      },
    ];
    const expected = [
      {
        id: "phase-1",
        name: "Plan",
        tasks: [
          { id: "task-2", content: "look", status: "pending", details: "closely" },
          { id: "task-1", content: "act", status: "completed" },
        ],
      },
    ];
    expect(await agent.call("set_todos", { phases })).toEqual({ todoPhases: expected });
    const refused = await agent.request("set_todos", {
      phases: [{ name: "x", tasks: [{ content: "y", status: "maybe" }] }],
    });
    expect(refused.error).toBe('Invalid todo status "maybe". Valid values: pending, in_progress, completed, abandoned');
    expect(await agent.call("get_state")).toMatchObject({ todoPhases: expected });
  });
});

describe("set_event_filter", () => {
  it("hides other events, but never the ends of a run", async () => {
    await agent.call("set_event_filter", { events: ["message_end"] });
    model.enqueue(reply("ok"));
    const frames = await agent.run("go");
    expect(frames.map(({ type }) => type)).toEqual([
      "agent_start",
      "message_end",
      "message_end",
      "agent_end",
      "agent_settled",
    ]);
    expect(await agent.request("set_event_filter", { events: [""] })).toMatchObject({
      error: "events must be null or an array of non-empty event type strings",
    });
  });
});
