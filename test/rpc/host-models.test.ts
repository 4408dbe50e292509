import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { checkRuns } from "../support/run-grammar.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const FOX = { id: "acme/fox", name: "Fox", contextWindow: 32_000 };
const OWL = { id: "acme/owl", name: "Owl" };
const folders: string[] = [];
let agent: AgentUnderTest;

afterEach(async () => {
  await agent.dispose();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tiller-host-models-"));
  folders.push(folder);
  return folder;
}

function start(args: readonly string[] = ["--no-session"], agentDir = temporaryFolder()): void {
  writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ retry: { baseDelayMs: 1 } }));
  const env = { TILLER_DEMO_SPEED: "instant" };
  agent = new AgentUnderTest({ args: ["--host-provider", "ed", ...args], agentDir, env });
}

function bring(models: readonly object[] = [FOX, OWL]): Promise<Record<string, unknown>> {
  return agent.call("set_host_models", { provider: "ed", models });
}

/** The request to the host that is written next. */
function asked(): Promise<Frame> {
  const from = agent.frames.length;
  return agent.waitFor(({ type }) => type === "host_model_request", from);
}

async function prompt(message: string): Promise<Frame> {
  const request = asked();
  await agent.call("prompt", { message });
  return request;
}

function say(request: Frame, ...parts: readonly object[]): void {
  agent.send({ type: "host_model_update", id: request.id, parts });
}

function end(request: Frame, fields: object = {}): void {
  agent.send({ type: "host_model_result", id: request.id, ...fields });
}

async function lastAnswer(): Promise<Record<string, unknown>> {
  const { messages } = await agent.call("get_messages");
  return asRecord(Array.isArray(messages) ? messages.at(-1) : undefined);
}

async function modelId(): Promise<unknown> {
  const { model } = await agent.call("get_state");
  return model === null ? undefined : asRecord(model).id;
}

describe("set_host_models", () => {
  it("adds the host's models, and selects the first one when no other is selected", async () => {
    start();
    expect(await modelId()).toBeUndefined();
    expect(await bring([{ ...OWL, tools: false }, FOX])).toEqual({ modelIds: ["acme/owl", "acme/fox"] });
    expect(await modelId()).toBe("acme/fox");
    const { models } = await agent.call("get_available_models");
    expect(models).toMatchObject([
      { provider: "ed", id: "acme/owl", name: "Owl", api: "host", contextWindow: 128_000, input: ["text"] },
      { provider: "ed", id: "acme/fox", name: "Fox", api: "host", contextWindow: 32_000, input: ["text"] },
    ]);
  });

  it("replaces the demo before the first message, and leaves the selection alone afterwards", async () => {
    start(["--no-session", "--demo"]);
    expect(await modelId()).toBe("scripted");
    await bring();
    expect(await modelId()).toBe("acme/fox");
    await agent.call("set_model", { provider: "demo", modelId: "scripted" });
    await agent.run("hello");
    await bring();
    expect(await modelId()).toBe("scripted");
  });

  it.each([
    [{ models: [] }, 'set_host_models: "provider" must be a string'],
    [{ provider: "ed", models: "x" }, 'set_host_models: "models" must be an array'],
    [{ provider: "ed", models: [{}] }, 'set_host_models: "models.0.id" must be a string'],
    [{ provider: "ed", models: [FOX, FOX] }, "RPC host model ids must be unique"],
    [{ provider: "anthropic", models: [FOX] }, 'RPC host provider "anthropic" conflicts with an existing provider'],
  ])("refuses %j and keeps the earlier models", async (fields, error) => {
    start();
    await bring([OWL]);
    expect(await agent.request("set_host_models", fields)).toMatchObject({ success: false, error });
    expect(await modelId()).toBe("acme/owl");
  });

  it("refuses prompts for a model that was removed, and answers once it is back", async () => {
    start();
    await bring([FOX]);
    await bring([OWL]);
    expect(await agent.request("prompt", { message: "hi" })).toMatchObject({
      success: false,
      code: "no_model",
      error:
        "Model ed/acme/fox is not there: the host has not brought it yet, or does not have it any more.\n\nSelect a model with --model at the command line, or with set_model from a host.",
    });
    await bring([FOX]);
    const request = await prompt("hi");
    expect(request.modelId).toBe("acme/fox");
    end(request);
    await agent.settled();
  });

  it("refuses a message that waits for models when the host disconnects", async () => {
    start(["--no-session", "--model", "ed/acme/owl"]);
    agent.send({ type: "prompt", id: "p", message: "hi" });
    expect(await modelId()).toBe("acme/owl");
    expect(await agent.end()).toEqual({ code: 0, signal: null });
    expect(agent.frames).toContainEqual(expect.objectContaining({ id: "p", success: false, code: "no_model" }));
  });

  it("provides the model that the command line or the session names, and prompts wait for it", async () => {
    const agentDir = temporaryFolder();
    const cwd = temporaryFolder();
    const session = ["--session-id", "host-models"];
    start([...session, "--model", "ed/acme/owl"], agentDir);
    const prompted = agent.request("prompt", { message: "hi" });
    const coming = asked();
    expect(await modelId()).toBe("acme/owl");
    await bring();
    expect(await prompted).toMatchObject({ success: true });
    const request = await coming;
    expect(request.modelId).toBe("acme/owl");
    say(request, { type: "text", text: "Hoo." });
    end(request);
    await agent.settled();
    const { sessionFile } = await agent.call("get_state");
    await agent.end();
    await agent.dispose();
    agent = new AgentUnderTest({ args: ["--host-provider", "ed", "--session", String(sessionFile)], agentDir, cwd });
    expect(await modelId()).toBe("acme/owl");
    await bring();
    expect(asRecord((await agent.call("get_state")).model).name).toBe("Owl");
  });

  it("provides the model that a retried answer waits for", async () => {
    const agentDir = temporaryFolder();
    start(["--model", "ed/acme/owl"], agentDir);
    await bring();
    end(await prompt("hi"), { error: "No" });
    await agent.settled();
    const { sessionFile } = await agent.call("get_state");
    const { cwd } = agent;
    await agent.end();
    agent = new AgentUnderTest({ args: ["--host-provider", "ed", "--session", String(sessionFile)], agentDir, cwd });
    const retried = agent.request("retry");
    const coming = asked();
    expect(await modelId()).toBe("acme/owl");
    await bring();
    expect(await retried).toMatchObject({ success: true });
    end(await coming);
    await agent.settled();
  });
});

describe("an answer of the host", () => {
  it("streams text, calls tools, and gets their results with the next request", async () => {
    start();
    await bring();
    writeFileSync(join(agent.cwd, "notes.txt"), "tea at four\n");
    const first = await prompt("What is in notes.txt?");
    expect(first).toMatchObject({
      modelId: "acme/fox",
      thinkingLevel: "off",
      messages: [{ role: "user", content: [{ type: "text", text: "What is in notes.txt?" }] }],
    });
    expect(first.systemPrompt).toContain(agent.cwd);
    const second = asked();
    say(first, { type: "text", text: "Let me " }, { type: "text", text: "look." });
    say(first, { type: "toolCall", id: "c1", name: "read", arguments: { path: "notes.txt" } });
    end(first, { usage: { input: 100, output: 10 } });
    const { messages, id } = await second;
    expect(messages).toMatchObject([
      { role: "user" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me look." },
          { type: "toolCall", id: "c1" },
        ],
      },
      { role: "toolResult", toolCallId: "c1", content: [{ type: "text", text: "tea at four\n" }], isError: false },
    ]);
    const done = { type: "host_model_result", id, usage: { input: 120, output: 5 } };
    agent.send({ type: "host_model_update", id, parts: [{ type: "text", text: "Tea." }, { type: "smell" }] });
    agent.send(done);
    agent.send(done);
    await agent.settled();
    expect(await lastAnswer()).toMatchObject({
      content: [{ type: "text", text: "Tea." }],
      provider: "ed",
      model: "acme/fox",
      stopReason: "stop",
      usage: { input: 120, output: 5, cost: { total: 0 } },
    });
    checkRuns(agent.frames);
  });

  it("is cancelled when the run is aborted, and later parts of it are ignored", async () => {
    start();
    await bring();
    const request = await prompt("hi");
    say(request, { type: "text", text: "Well" });
    await agent.waitFor(({ type }) => type === "message_update");
    await agent.call("abort");
    expect(await agent.waitFor(({ type }) => type === "host_model_cancel")).toMatchObject({ targetId: request.id });
    say(request, { type: "text", text: ", you see" });
    end(request);
    expect(await lastAnswer()).toMatchObject({
      stopReason: "aborted",
      content: [{ type: "text", text: "Well" }],
    });
  });

  it("is requested again after a temporary failure, and not after a permanent one", async () => {
    start();
    await bring();
    const first = await prompt("hi");
    const second = asked();
    end(first, { error: "Too many requests.", errorKind: "rate_limit" });
    end(await second, { error: "You have not allowed this.", errorKind: "auth" });
    await agent.settled();
    expect(await lastAnswer()).toMatchObject({ stopReason: "error", errorMessage: "You have not allowed this." });
    expect(agent.types().filter((type) => type === "host_model_request")).toHaveLength(2);
    checkRuns(agent.frames);
  });

  it.each([
    [{ error: "This model does not support images." }, true],
    [{ error: "Bad request.", status: 400 }, true],
    [{ error: "Bad request." }, false],
  ])("is made again without an image that the model refuses: %j", async (failure, isRepeated) => {
    start();
    await bring([{ ...FOX, input: ["text", "image"] }]);
    const first = asked();
    await agent.call("prompt", { message: "look", images: [{ type: "image", data: PNG, mimeType: "image/png" }] });
    expect(JSON.stringify((await first).messages)).toContain(PNG);
    const second = asked();
    end(await first, failure);
    if (isRepeated) {
      const repeated = await second;
      expect(JSON.stringify(repeated.messages)).not.toContain(PNG);
      say(repeated, { type: "text", text: "I see." });
      end(repeated);
    } else {
      second.catch(() => undefined);
    }
    await agent.settled();
    expect(await lastAnswer()).toMatchObject({ stopReason: isRepeated ? "stop" : "error" });
  });

  it.each([
    [{ type: "host_model_update", parts: "x" }, "The host sent a host_model_update that cannot be read."],
    [
      { type: "host_model_update", parts: [{ type: "text" }] },
      "The host sent a host_model_update that cannot be read.",
    ],
    [{ type: "host_model_result", usage: "much" }, "The host sent a host_model_result that cannot be read."],
  ])("fails when it can't be read: %j", async (frame, error) => {
    start();
    await bring();
    const request = await prompt("hi");
    agent.send({ id: request.id, ...frame });
    await agent.settled();
    expect(await lastAnswer()).toMatchObject({ stopReason: "error", errorMessage: error });
  });

  it("ends with an error in the session when the host disconnects in the middle, and the agent exits", async () => {
    start([]);
    await bring();
    const request = await prompt("hi");
    say(request, { type: "text", text: "It is" });
    await agent.waitFor(({ type }) => type === "message_update");
    const { sessionFile } = await agent.call("get_state");
    expect(await agent.end()).toEqual({ code: 0, signal: null });
    const saved = readFileSync(String(sessionFile), "utf8");
    expect(saved).toContain('"text":"It is"');
    expect(saved).toMatch(/"stopReason":"(error|aborted)"/);
  });
});
