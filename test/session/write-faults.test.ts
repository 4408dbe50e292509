import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSession } from "../../agent/session/load.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, text, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const KILLS = 25;

let model: ScriptedModel;
let folder: string;

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-faults-"));
});

afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await model.close();
});

/** Numbers that look random and are the same every time. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield state / 2 ** 31;
  }
}

/** The messages of a session file, in order. */
function savedMessages(path: string): unknown[] {
  const loaded = readSession(path);
  expect(loaded?.lostLines ?? 0).toBeLessThanOrEqual(1);
  return loaded?.entries.flatMap(({ known }) => (known?.type === "message" ? [known.message] : [])) ?? [];
}

describe("a session file", () => {
  it(`contains every message that ended before the agent was killed, at ${KILLS} moments of a run`, {
    timeout: 60_000,
  }, async () => {
    const random = numbers(7);
    for (let kill = 0; kill < KILLS; kill++) {
      const path = join(folder, `${kill}.jsonl`);
      const agent = new AgentUnderTest({ modelUrl: model.url, cwd: folder, args: ["--session", path] });
      const calls = [toolCall("read", { path: "missing" }), toolCall("bash", { command: "echo hi" })];
      model.enqueue(
        reply([text("a b c d", { chunks: 4 }), ...calls]),
        reply(calls),
        reply([text("Done", { chunks: 4 })]),
      );
      const moment = 2 + Math.floor(random.next().value * 45);
      agent.send({ type: "prompt", message: "go" });
      await agent.until(
        () => agent.frames.length >= moment || agent.types().at(-1) === "agent_settled" || undefined,
        "the moment",
      );
      agent.child.kill("SIGKILL");
      await agent.exited;
      const ended = agent.frames.filter(({ type }) => type === "message_end").map(({ message }) => message);
      expect(savedMessages(path).slice(0, ended.length)).toEqual(ended);
      await agent.dispose();
    }
  });

  it("on a full disk loses only what did not fit, and continues when there is room", async () => {
    const path = join(folder, "full.jsonl");
    const agent = new AgentUnderTest({ modelUrl: model.url, cwd: folder, args: ["--session", path] });
    try {
      model.enqueue(reply("Fits"), reply("Does not fit"), reply("Fits again"));
      await agent.run("one");
      limitFileSize(agent.child.pid, String(statSync(path).size + 100));
      const frames = await agent.run("two");
      expect(frames.filter(({ type }) => type === "extension_error")).toMatchObject([
        { event: "session_write", error: expect.stringContaining("EFBIG") },
        { event: "session_write" },
      ]);
      expect(await agent.call("get_last_assistant_text")).toEqual({ text: "Does not fit" });
      limitFileSize(agent.child.pid, "unlimited");
      await agent.run("three");
      expect(JSON.stringify(savedMessages(path))).toContain("Fits again");
      expect(JSON.stringify(savedMessages(path))).not.toContain("Does not fit");
    } finally {
      await agent.dispose();
    }
    const lines = readFileSync(path, "utf8").split("\n");
    expect(lines.filter((line) => line !== "" && !line.endsWith("}"))).toEqual([]);
  });

  it("that could not be created on a full disk is created when there is room", async () => {
    const path = join(folder, "new.jsonl");
    const agent = new AgentUnderTest({ modelUrl: model.url, cwd: folder, args: ["--session", path] });
    try {
      model.enqueue(reply("Not kept"), reply("Kept"));
      await agent.call("get_state");
      limitFileSize(agent.child.pid, "100");
      const frames = await agent.run("one");
      expect(frames.find(({ type }) => type === "extension_error")).toMatchObject({
        event: "session_write",
        error: expect.stringContaining("EFBIG"),
      });
      limitFileSize(agent.child.pid, "unlimited");
      await agent.run("two");
    } finally {
      await agent.dispose();
    }
    expect(JSON.stringify(savedMessages(path))).toContain("Kept");
  });

  it("below a path that is not a folder is reported, and the run continues", async () => {
    writeFileSync(join(folder, "file"), "");
    const agent = new AgentUnderTest({
      modelUrl: model.url,
      args: ["--session-dir", join(folder, "file", "sessions")],
    });
    try {
      model.enqueue(reply("Still here"));
      const frames = await agent.run("hi");
      expect(frames.find(({ type }) => type === "extension_error")).toMatchObject({
        error: expect.stringContaining("ENOTDIR"),
      });
      expect(await agent.call("get_last_assistant_text")).toEqual({ text: "Still here" });
      const { messages } = await agent.call("get_messages");
      expect(Array.isArray(messages) ? messages.map((message: unknown) => asRecord(message).role) : []).toEqual([
        "user",
        "assistant",
      ]);
    } finally {
      await agent.dispose();
    }
  });
});

/** How long files of a process may become, in bytes: what stands for a full disk. */
function limitFileSize(pid: number | undefined, limit: string): void {
  const { status, stderr } = spawnSync("prlimit", ["--pid", String(pid), `--fsize=${limit}:`], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
}
