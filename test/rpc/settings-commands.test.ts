import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { type Gate, gate, reply, text, thinking } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let model: ScriptedModel;
let agentDir: string;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  agentDir = mkdtempSync(join(tmpdir(), "tiller-commands-"));
  const tiny = { id: "tiny", name: "Tiny", contextWindow: 8000, maxTokens: 2000 };
  const local = { baseUrl: model.url, api: "anthropic-messages", apiKey: "local-key", models: [tiny] };
  writeFileSync(join(agentDir, "models.json"), JSON.stringify({ providers: { local } }));
  agent = new AgentUnderTest({ modelUrl: model.url, agentDir, args: [] });
});

afterEach(async () => {
  await agent.dispose();
  rmSync(agentDir, { recursive: true, force: true });
  await model.stop();
});

async function startHeldRun(): Promise<Gate> {
  const held = gate();
  model.enqueue(reply([text("Working"), held, text(" on it")]));
  await agent.call("prompt", { message: "start" });
  await held.reached.promise;
  return held;
}

function userTexts(frames: readonly Frame[]): string[] {
  return frames.flatMap((frame) => {
    const { role, content } = asRecord(frame.message);
    if (frame.type !== "message_start" || role !== "user" || !Array.isArray(content)) return [];
    return content.map((block: unknown) => String(asRecord(block).text ?? "[Image]")).join("");
  });
}

describe("the model", () => {
  it("is chosen for the session: the session file records it, and no settings file is written", async () => {
    model.enqueue(reply("ok"));
    await agent.call("set_model", { provider: "local", modelId: "tiny" });
    await agent.run("hi");
    const { sessionFile } = await agent.call("get_state");
    const entries = readFileSync(String(sessionFile), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => asRecord(JSON.parse(line)));
    const changes = entries.filter(({ type }) => type === "model_change");
    expect(changes.at(-1)).toMatchObject({ provider: "local", modelId: "tiny", model: "local/tiny", role: "default" });
    expect(readdirSync(agentDir)).not.toContain("settings.json");
  });

  it("that does not think sets the level to off and reports it, and there are no levels to cycle through", async () => {
    await agent.call("set_thinking_level", { level: "high" });
    const from = agent.frames.length;
    expect(await agent.call("set_model", { provider: "local", modelId: "tiny" })).toMatchObject({
      id: "tiny",
      reasoning: false,
    });
    expect(agent.frames.slice(from)).toMatchObject([
      { type: "thinking_level_changed", level: "off" },
      { type: "response", command: "set_model" },
    ]);
    expect(await agent.call("get_available_thinking_levels")).toEqual({ levels: ["off"] });
    expect((await agent.request("cycle_thinking_level")).data).toBeNull();
  });

  it("is listed completely, without the keys of its provider", async () => {
    const { models } = await agent.call("get_available_models");
    const listed = JSON.stringify(models);
    expect(listed).toContain('"id":"tiny"');
    expect(listed).not.toContain("local-key");
    expect(listed).not.toContain("test-key");
    for (const one of Array.isArray(models) ? models : []) {
      expect(asRecord(one)).toMatchObject({
        id: expect.any(String),
        name: expect.any(String),
        api: "anthropic-messages",
        provider: expect.any(String),
        baseUrl: expect.any(String),
        reasoning: expect.any(Boolean),
        input: expect.arrayContaining(["text"]),
        contextWindow: expect.any(Number),
        maxTokens: expect.any(Number),
        cost: { input: expect.any(Number), output: expect.any(Number) },
      });
    }
  });
});

describe("commands of other hosts", () => {
  it("set_locale, set_permission_mode and get_integrations succeed, and refuse unknown values", async () => {
    await agent.call("set_locale", { locale: "hi" });
    await agent.call("set_permission_mode", { mode: "readonly" });
    expect(await agent.call("get_integrations")).toMatchObject({
      version: expect.stringMatching(/^\d/),
      model: { state: "connected", provider: "anthropic" },
      services: [],
    });
    expect(await agent.request("set_locale", { locale: "no tag" })).toMatchObject({ error: 'Invalid locale "no tag"' });
    expect(await agent.request("set_permission_mode", { mode: "x" })).toMatchObject({
      error: 'Invalid mode "x". Valid values: auto, confirm, readonly, auto-edit, sandboxed, plan',
    });
  });

  it("get_messages never contains the system prompt", async () => {
    model.enqueue(reply([thinking("Hm."), text("Yes")]));
    await agent.run("hi");
    const { messages } = await agent.call("get_messages");
    const roles = Array.isArray(messages) ? messages.map((message: unknown) => asRecord(message).role) : [];
    expect(roles).toEqual(["user", "assistant"]);
  });
});

describe("the queue", () => {
  it("delivers a follow-up prompt in the same bracket, with its image", async () => {
    const held = await startHeldRun();
    model.enqueue(reply("Seen"));
    const images = [{ type: "image", data: DOT, mimeType: "image/png" }];
    expect(await agent.call("prompt", { message: "look", images, streamingBehavior: "followUp" })).toEqual({
      disposition: "queued",
    });
    held.release();
    await agent.settled();
    expect(agent.frames.filter(({ type }) => type === "agent_start")).toHaveLength(1);
    expect(userTexts(agent.frames)).toEqual(["start", "look[Image]"]);
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain(DOT);
  });

  it("gives each of two follow-ups its own turn in one bracket", async () => {
    const held = await startHeldRun();
    model.enqueue(reply("1"), reply("2"));
    await agent.call("follow_up", { message: "a" });
    await agent.call("follow_up", { message: "b" });
    held.release();
    await agent.settled();
    const types = agent.types();
    expect(types.filter((type) => type === "agent_start")).toHaveLength(1);
    expect(types.filter((type) => type === "turn_start")).toHaveLength(3);
    expect(userTexts(agent.frames)).toEqual(["start", "a", "b"]);
  });

  it("has the same count under both names, and its modes can change while it is in use", async () => {
    const held = await startHeldRun();
    await agent.call("steer", { message: "a" });
    await agent.call("follow_up", { message: "b" });
    expect(await agent.call("get_state")).toMatchObject({ pendingMessageCount: 2, queuedMessageCount: 2 });
    await agent.call("set_steering_mode", { mode: "all" });
    await agent.call("set_follow_up_mode", { mode: "all" });
    await agent.call("set_interrupt_mode", { mode: "immediate" });
    for (const command of ["set_steering_mode", "set_follow_up_mode"]) {
      expect(await agent.request(command, { mode: "some" })).toMatchObject({
        error: 'Invalid mode "some". Valid values: all, one-at-a-time',
      });
    }
    expect(await agent.request("set_interrupt_mode", { mode: "later" })).toMatchObject({
      error: 'Invalid mode "later". Valid values: immediate, wait',
    });
    expect(await agent.call("get_state")).toMatchObject({
      steeringMode: "all",
      followUpMode: "all",
      interruptMode: "immediate",
    });
    model.enqueue(reply("1"), reply("2"));
    held.release();
    await agent.settled();
  });
});

describe("bash", () => {
  it("causes no message event", async () => {
    await agent.call("bash", { command: "echo hi" });
    model.enqueue(reply("ok"));
    await agent.run("go");
    expect(JSON.stringify(await agent.call("get_messages"))).toContain('"bashExecution"');
    const roles = agent.frames
      .filter(({ type }) => type.startsWith("message_"))
      .map(({ message }) => asRecord(message).role);
    expect(roles).not.toContain("bashExecution");
  });
});
