import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, text, thinking } from "../support/scripted-replies.ts";
import { AgentUnderTest, agentPath, asRecord, IS_ON_WINDOWS } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let folder: string;
const agents: AgentUnderTest[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-sessions-"));
});

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.dispose();
  rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

function start(...args: string[]): AgentUnderTest {
  const agent = new AgentUnderTest({ modelUrl: model.url, cwd: folder, agentDir: join(folder, "agent"), args });
  agents.push(agent);
  return agent;
}

function readEntries(path: unknown): Record<string, unknown>[] {
  const lines = readFileSync(String(path), "utf8").trimEnd().split("\n");
  return lines.map((line): Record<string, unknown> => asRecord(JSON.parse(line)));
}

const HEADER = { type: "session", version: 3, id: "s-1", timestamp: "2026-01-02T03:04:05.000Z", cwd: "/nowhere" };

function userEntry(id: string, parentId: string | null, said: string): object {
  const message = { role: "user", content: [{ type: "text", text: said }], timestamp: 1 };
  return { type: "message", id, parentId, timestamp: "2026-01-02T03:04:05.000Z", message };
}

function writeSession(name: string, ...lines: (object | string)[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => (typeof line === "string" ? line : `${JSON.stringify(line)}\n`)).join(""));
  return path;
}

describe("session files", () => {
  it("appear with the first user message, with everything before it", async () => {
    const agent = start();
    const { sessionFile } = await agent.call("get_state");
    await agent.call("set_session_name", { name: " First\nday " });
    expect(statSync(String(sessionFile), { throwIfNoEntry: false })).toBeUndefined();
    model.enqueue(reply([thinking("Hm."), text("Hello")]));
    await agent.run("hi");
    const [header, ...entries] = readEntries(sessionFile);
    expect(header).toMatchObject({ type: "session", version: 3, cwd: agentPath(folder) });
    expect(entries.map(({ type }) => type)).toEqual([
      "model_change",
      "thinking_level_change",
      "session_info",
      "message",
      "message",
    ]);
    expect(entries[2]).toMatchObject({ name: "First day" });
    if (!IS_ON_WINDOWS) expect(statSync(String(sessionFile)).mode & 0o777).toBe(0o600);
  });

  it("hold a tree with unique ids, and messages in their final form", async () => {
    const agent = start();
    model.enqueue(reply("one"), reply("two"));
    await agent.run("a");
    await agent.run("b");
    const entries = readEntries((await agent.call("get_state")).sessionFile).slice(1);
    const ids = entries.map(({ id }) => String(id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(entries.map(({ parentId }) => parentId)).toEqual([null, ...ids.slice(0, -1)]);
    const ended = agent.frames.filter(({ type }) => type === "message_end").map((frame) => frame.message);
    expect(entries.filter(({ type }) => type === "message").map((entry) => entry.message)).toEqual(ended);
  });

  it("are reopened by --continue: the newest of this folder, with its name and messages", async () => {
    const first = start();
    model.enqueue(reply("Hello"), reply("Again"));
    await first.call("set_session_name", { name: "Greeting" });
    await first.run("hi");
    const { sessionId } = await first.call("get_state");
    await first.dispose();
    const second = start("--continue");
    expect(await second.call("get_state")).toMatchObject({ sessionId, sessionName: "Greeting", messageCount: 2 });
    await second.run("more");
    expect(model.requests[1]?.body.messages).toHaveLength(3);
  });

  it("are reopened by --resume alone like by --continue, and by --resume with the start of an id", async () => {
    const first = start();
    model.enqueue(reply("Hello"));
    await first.run("hi");
    const { sessionId } = await first.call("get_state");
    await first.dispose();
    const second = start("--resume");
    expect(await second.call("get_state")).toMatchObject({ sessionId, messageCount: 2 });
    await second.dispose();
    const third = start("--resume", String(sessionId).slice(0, 12));
    expect(await third.call("get_state")).toMatchObject({ sessionId, messageCount: 2 });
  });

  it("that are no files are skipped by --continue", async () => {
    const first = start();
    model.enqueue(reply("Hello"));
    await first.run("hi");
    const { sessionId, sessionFile } = await first.call("get_state");
    await first.dispose();
    execFileSync("mkfifo", [join(dirname(String(sessionFile)), "pipe.jsonl")]);
    expect(await start("--continue").call("get_state")).toMatchObject({ sessionId });
  });

  it("of an older version are left alone by --fork", async () => {
    const path = writeSession(
      "old.jsonl",
      { ...HEADER, version: 1 },
      { type: "message", timestamp: HEADER.timestamp, message: { role: "user", content: "hi", timestamp: 1 } },
    );
    const before = readFileSync(path, "utf8");
    expect(await start("--fork", path).call("get_state")).toMatchObject({ messageCount: 1 });
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("open with --session by path or start of an id, and a missing path begins a session", async () => {
    const path = writeSession("old.jsonl", HEADER, userEntry("aaaaaaaa", null, "hi"));
    expect(await start("--session", path).call("get_state")).toMatchObject({ sessionId: "s-1", messageCount: 1 });
    const fresh = start("--session", join(folder, "deep", "new.jsonl"));
    expect(await fresh.call("get_state")).toMatchObject({
      messageCount: 0,
      sessionFile: join(folder, "deep", "new.jsonl"),
    });
    model.enqueue(reply("ok"));
    await fresh.run("hi");
    expect(readEntries(join(folder, "deep", "new.jsonl"))[0]).toMatchObject({ type: "session" });
  });

  it("lose only a torn last line, and continue after it", async () => {
    const path = writeSession(
      "torn.jsonl",
      HEADER,
      userEntry("aaaaaaaa", null, "hi"),
      '{"type":"message","id":"bb',
      "",
    );
    appendFileSync(path, Buffer.from([0xe2, 0x82]));
    const agent = start("--session", path);
    expect(await agent.call("get_state")).toMatchObject({ messageCount: 1 });
    model.enqueue(reply("ok"));
    await agent.run("more");
    const entries = readEntries(path);
    expect(entries.slice(0, 2)).toMatchObject([{ type: "session" }, { id: "aaaaaaaa" }]);
    expect(entries.at(-1)).toMatchObject({ message: { role: "assistant" } });
  });

  it("keep entries of unknown kinds, skip unreadable lines and report them", async () => {
    const odd = { type: "ttsr_injection", id: "bbbbbbbb", parentId: "aaaaaaaa", timestamp: "x", rules: [1] };
    const path = writeSession(
      "odd.jsonl",
      HEADER,
      userEntry("aaaaaaaa", null, "hi"),
      "oops\n",
      odd,
      userEntry("cccccccc", "bbbbbbbb", "ho"),
    );
    const agent = start("--session", path);
    expect(await agent.call("get_state")).toMatchObject({ messageCount: 3 }); // the third one says so, too
    expect(agent.stderr).toContain("1 unreadable lines skipped");
    expect(readFileSync(path, "utf8")).toContain("ttsr_injection");
  });

  it("of version 1 are upgraded and rewritten", async () => {
    const message = { role: "user", content: "hi", timestamp: 1 };
    const path = writeSession(
      "v1.jsonl",
      { type: "session", id: "old", timestamp: "2025-01-01T00:00:00.000Z", cwd: folder },
      { type: "message", timestamp: "2025-01-01T00:00:00.000Z", message },
      { type: "message", timestamp: "2025-01-01T00:00:01.000Z", message: { ...message, content: "ho" } },
    );
    expect(await start("--session", path).call("get_state")).toMatchObject({ sessionId: "old", messageCount: 2 });
    const [header, first, second] = readEntries(path);
    expect(header).toMatchObject({ version: 3 });
    expect(second?.parentId).toBe(first?.id);
  });

  it("of another kind are refused at the start and left alone", async () => {
    const path = writeSession("notes.jsonl", "my notes\n");
    const agent = start("--session", path);
    expect((await agent.exited).code).toBe(1);
    expect(agent.stderr).toBe(`Error: Session file is not a valid tiller session: ${path}\n`);
    expect(readFileSync(path, "utf8")).toBe("my notes\n");
  });

  it.each(["/dev/zero", "/dev/null", "."])("are no folders and no devices: %s", async (path) => {
    const invalid = `Session file is not a valid tiller session: ${resolve(folder, path)}`;
    for (const flag of ["--session", "--fork"]) {
      const refused = start(flag, resolve(folder, path));
      expect((await refused.exited).code).toBe(1);
      expect(refused.stderr).toBe(`Error: ${invalid}\n`);
    }
    const agent = start();
    expect(await agent.request("switch_session", { sessionPath: resolve(folder, path) })).toMatchObject({
      success: false,
      error: invalid,
    });
  });

  it.each(["--session", "--fork"])("that cannot be opened are named at the start: %s", async (flag) => {
    const path = join(folder, "loop.jsonl");
    symlinkSync(path, path);
    const agent = start(flag, path);
    expect((await agent.exited).code).toBe(1);
    expect(agent.stderr).toMatch(`Error: Couldn't open the session file: ${path}: ELOOP: `);
  });

  it("that cannot be written are reported, and the run continues", async () => {
    const agent = start("--session-dir", "/dev/null/nowhere");
    model.enqueue(reply("Still here"));
    const frames = await agent.run("hi");
    expect(frames.find(({ type }) => type === "extension_error")).toMatchObject({
      extensionPath: "<runtime>",
      event: "session_write",
    });
    expect(await agent.call("get_last_assistant_text")).toEqual({ text: "Still here" });
  });

  it("that were deleted with their folder are written again completely", async () => {
    const agent = start();
    model.enqueue(reply("one"), reply("two"));
    await agent.run("first");
    const { sessionFile } = await agent.call("get_state");
    const before = readEntries(sessionFile);
    rmSync(dirname(String(sessionFile)), { recursive: true });
    const frames = await agent.run("second");
    expect(frames.filter(({ type }) => type === "extension_error")).toEqual([]);
    const entries = readEntries(sessionFile);
    expect(entries.slice(0, before.length)).toEqual(before);
    expect(entries.slice(before.length)).toMatchObject([
      { message: { role: "user" } },
      { message: { role: "assistant" } },
    ]);
    expect((await start("--session", String(sessionFile)).exited).code).toBe(1);
  });

  it("that were deleted and cannot be written again are reported", async () => {
    const agent = start();
    model.enqueue(reply("one"), reply("two"));
    await agent.run("first");
    const sessionFolder = dirname(String((await agent.call("get_state")).sessionFile));
    rmSync(sessionFolder, { recursive: true });
    writeFileSync(sessionFolder, "in the way");
    const frames = await agent.run("second");
    expect(frames.find(({ type }) => type === "extension_error")).toMatchObject({ event: "session_write" });
    rmSync(sessionFolder);
    model.enqueue(reply("three"));
    await agent.run("third");
    expect(readFileSync(String((await agent.call("get_state")).sessionFile), "utf8")).toContain("third");
  });

  it("are not created with --no-session", async () => {
    const agent = start("--no-session");
    model.enqueue(reply("ok"));
    await agent.run("hi");
    expect(await agent.call("get_state")).not.toHaveProperty("sessionFile");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("remember their parent", async () => {
    const agent = start();
    await agent.call("new_session", { parentSession: "/some/where.jsonl" });
    model.enqueue(reply("ok"));
    await agent.run("hi");
    const [header] = readEntries((await agent.call("get_state")).sessionFile);
    expect(header).toMatchObject({ parentSession: "/some/where.jsonl" });
  });
});

describe("statistics", () => {
  it("add up every message of the file", async () => {
    const agent = start();
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 };
    model.enqueue(reply("a", { usage }), reply("b", { usage }));
    await agent.run("1");
    await agent.run("2");
    expect(await agent.call("get_session_stats")).toMatchObject({
      userMessages: 2,
      assistantMessages: 2,
      toolCalls: 0,
      totalMessages: 4,
      tokens: { input: 20, output: 10, cacheRead: 6, cacheWrite: 4, total: 40 },
      contextUsage: { tokens: 20 },
    });
  });
});

describe("settings of a session", () => {
  it("are read with comments, and a broken file is reported and skipped", async () => {
    const agentDir = join(folder, "agent");
    mkdirSync(join(folder, ".tiller"), { recursive: true });
    mkdirSync(agentDir, { recursive: true });
    writeFileSync(join(agentDir, "settings.json"), '{ // mine\n "followUpMode": "all", }');
    writeFileSync(join(folder, ".tiller", "settings.json"), '{ "interruptMode": ');
    const agent = start("--no-session");
    expect(await agent.call("get_state")).toMatchObject({ followUpMode: "all", interruptMode: "wait" });
    expect(agent.stderr).toContain("is skipped because it isn't valid JSON");
  });

  it("of an untrusted project do not choose the shell", async () => {
    mkdirSync(join(folder, ".tiller"), { recursive: true });
    writeFileSync(join(folder, ".tiller", "settings.json"), '{ "shellPath": "/bin/false" }');
    const agent = start("--no-session");
    expect(await agent.call("bash", { command: "echo fine" })).toMatchObject({ output: "fine\n", exitCode: 0 });
    expect(agent.stderr).toContain('Setting "shellPath"');
  });
});
