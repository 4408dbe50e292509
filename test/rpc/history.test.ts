import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, reply, text } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let root: string;
let agents: AgentUnderTest[];

beforeEach(async () => {
  model = await ScriptedModel.start();
  root = realpathSync(mkdtempSync(join(tmpdir(), "tiller-history-")));
  mkdirSync(join(root, "project"));
  agents = [];
});

afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.dispose()));
  rmSync(root, { recursive: true, force: true });
  await model.stop();
});

function start(...args: string[]): AgentUnderTest {
  const agent = new AgentUnderTest({
    modelUrl: model.url,
    cwd: join(root, "project"),
    agentDir: join(root, "agent"),
    args,
  });
  agents.push(agent);
  return agent;
}

/** An agent in whose session something was said. */
async function startTalk(message: string): Promise<{ agent: AgentUnderTest; path: string }> {
  const agent = start();
  model.enqueue(reply(`You said ${message}`));
  await agent.run(message);
  const { sessionFile } = await agent.call("get_state");
  return { agent, path: String(sessionFile) };
}

async function sessions(agent: AgentUnderTest, fields: object = {}): Promise<Record<string, unknown>[]> {
  const { sessions } = await agent.call("list_sessions", fields);
  return Array.isArray(sessions) ? sessions.map(asRecord) : [];
}

describe("the history over the protocol", () => {
  it("shows the sessions of two agents to both, and to each its own as the open one", async () => {
    const one = await startTalk("apples");
    const two = await startTalk("pears");
    const seen = { firstMessage: "apples", messageCount: 2, model: expect.stringMatching(/^anthropic\/claude-/) };
    const [pears, apples] = await sessions(one.agent);
    expect(pears).toMatchObject({ path: two.path, firstMessage: "pears", isOpen: false, isLocked: true });
    expect(apples).toMatchObject({
      ...seen,
      path: one.path,
      isOpen: true,
      isLocked: false,
      cwd: join(root, "project"),
    });
    expect((await sessions(two.agent)).map(({ isOpen, isLocked }) => [isOpen, isLocked])).toEqual([
      [true, false],
      [false, true],
    ]);
    const found = await sessions(two.agent, { query: "said APPLES", scope: "all" });
    expect(found.map(({ path, match }) => [path, asRecord(match).text])).toEqual([[one.path, "You said apples"]]);
  });

  it("refuses to change a session that another agent writes, and shows that it is locked", async () => {
    const one = await startTalk("apples");
    const { agent } = await startTalk("pears");
    const before = readFileSync(one.path);
    const error = expect.stringContaining(`Session is in use by process ${one.agent.child.pid} on `);
    const refused = { success: false, code: "session_locked", error };
    expect(await agent.request("rename_session", { sessionPath: one.path, name: "n" })).toMatchObject(refused);
    expect(await agent.request("delete_session", { sessionPath: one.path })).toMatchObject(refused);
    expect(readFileSync(one.path)).toEqual(before);
    const { messages } = await agent.call("read_session", { sessionPath: one.path });
    expect(messages).toEqual((await one.agent.call("get_messages")).messages);
  });

  it("renames a session, and a second agent sees the name in its list and when it opens the session", async () => {
    const one = await startTalk("apples");
    const two = await startTalk("pears");
    await sessions(two.agent);
    await one.agent.call("new_session");
    await one.agent.call("rename_session", { sessionPath: one.path, name: "Fruit" });
    expect(one.agent.types()).not.toContain("session_info_changed");
    expect((await sessions(two.agent)).map(({ name }) => name)).toEqual([undefined, "Fruit"]);
    await two.agent.call("switch_session", { sessionPath: one.path });
    expect(await two.agent.call("get_state")).toMatchObject({ sessionName: "Fruit", messageCount: 2 });
    model.enqueue(reply("more"));
    await two.agent.run("and now?");
    const { messages } = await one.agent.call("read_session", { sessionPath: one.path });
    expect(messages).toHaveLength(4);
  });

  it("names the open session as set_session_name does", async () => {
    const { agent, path } = await startTalk("apples");
    const from = agent.frames.length;
    await agent.call("rename_session", { sessionPath: path, name: " Open\none " });
    expect(agent.types(agent.frames.slice(from))).toEqual(["session_info_changed", "response"]);
    expect(await agent.call("get_state")).toMatchObject({ sessionName: "Open one" });
    expect(await agent.request("rename_session", { sessionPath: path, name: " " })).toMatchObject({
      error: "Session name cannot be empty",
    });
  });

  it("deletes a session and restores it, and the open session stays", async () => {
    const { agent, path } = await startTalk("apples");
    const before = readFileSync(path);
    expect(await agent.request("delete_session", { sessionPath: path })).toMatchObject({
      code: "busy",
      error: `The session is open: ${path}. Open another session first.`,
    });
    await agent.call("new_session");
    const { trashId } = await agent.call("delete_session", { sessionPath: path });
    expect(await sessions(agent)).toEqual([]);
    const other = start("--no-session");
    expect(await other.call("restore_session", { trashId })).toEqual({ sessionPath: path });
    expect(readFileSync(path)).toEqual(before);
    expect(await other.request("restore_session", { trashId })).toMatchObject({ code: "not_found" });
    await other.call("switch_session", { sessionPath: path });
    expect(await other.call("get_state")).toMatchObject({ messageCount: 2 });
  });

  it("is available during a run", async () => {
    const hold = gate();
    const agent = start();
    model.enqueue(reply([text("wait"), hold]));
    await agent.call("prompt", { message: "go" });
    await agent.waitFor(({ type }) => type === "message_update");
    expect(await sessions(agent)).toMatchObject([{ firstMessage: "go", messageCount: 1, isOpen: true }]);
    hold.release();
    await agent.settled();
  });

  it("checks its arguments", async () => {
    const agent = start("--no-session");
    const errors: unknown[] = [];
    for (const fields of [
      { scope: "mine" },
      { limit: 0 },
      { limit: 501 },
      { limit: 1.5 },
      { cursor: "x" },
      { query: 1 },
    ]) {
      const { success, code } = await agent.request("list_sessions", fields);
      errors.push([success, code]);
    }
    expect(errors).toEqual(errors.map(() => [false, "invalid_request"]));
    expect(await agent.request("list_sessions", { scope: "mine" })).toMatchObject({
      error: 'Invalid scope "mine". Valid values: project, all',
    });
    expect(await agent.call("list_sessions", { query: null, cursor: null })).toEqual({ sessions: [], total: 0 });
  });
});

describe("a search of many sessions", () => {
  /** Sessions in which there is much to search, none of it with the word. */
  function writeMany(): void {
    const folder = join(root, "sessions");
    mkdirSync(folder);
    const header = {
      type: "session",
      version: 3,
      id: "s",
      timestamp: "2026-01-01T00:00:00.000Z",
      cwd: join(root, "project"),
    };
    const message = { role: "user", content: "some words ".repeat(500), timestamp: 1 };
    const line = `${JSON.stringify({ type: "message", id: "e", parentId: null, timestamp: "t", message })}\n`;
    const content = `${JSON.stringify(header)}\n${line.repeat(400)}`;
    for (let index = 0; index < 60; index++) writeFileSync(join(folder, `${index}.jsonl`), content);
  }

  it("ends when another begins, and delays no other command", async () => {
    writeMany();
    const agent = start("--no-session", "--session-dir", join(root, "sessions"));
    await agent.call("get_state");
    agent.send({ id: "first", type: "list_sessions", query: "needle" });
    agent.send({ id: "state", type: "get_state" });
    agent.send({ id: "second", type: "list_sessions", query: "needles" });
    const second = await agent.waitFor(({ id }) => id === "second");
    const ids = agent.frames.filter(({ type }) => type === "response").map(({ id }) => id);
    expect(ids.slice(1)).toEqual(["state", "first", "second"]);
    const first = await agent.waitFor(({ id }) => id === "first");
    expect(first.data).toEqual({ sessions: [], total: 0, isSuperseded: true });
    expect(second.data).toEqual({ sessions: [], total: 0 });
  });

  it("does not delay the end of the agent", async () => {
    writeMany();
    const agent = start("--no-session", "--session-dir", join(root, "sessions"));
    agent.send({ id: "search", type: "list_sessions", query: "needle" });
    await agent.end();
    const response = await agent.waitFor(({ id }) => id === "search");
    expect(response).toMatchObject({ success: false, code: "aborted", error: "The agent is ending." });
  });
});
