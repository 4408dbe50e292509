import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  agent = new AgentUnderTest({ modelUrl: model.url });
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
});

describe("a field of a command", () => {
  it.each([
    ["set_auto_retry", {}, 'set_auto_retry: "enabled" must be a boolean'],
    ["set_auto_retry", { enabled: "yes" }, 'set_auto_retry: "enabled" must be a boolean'],
    ["set_todos", { phases: {} }, 'set_todos: "phases" must be an array'],
    ["set_session_name", {}, 'set_session_name: "name" must be a string'],
    ["set_steering_mode", { mode: "some" }, 'Invalid mode "some". Valid values: all, one-at-a-time'],
    ["set_stream_options", { messageUpdate: "x" }, 'Invalid messageUpdate "x". Valid values: full, delta'],
    ["prompt", { message: "" }, 'prompt: "message" must not be empty'],
    ["set_todos", { phases: [{ name: " " }] }, "Todo phase at index 0 must provide a non-empty name"],
    [
      "set_todos",
      { phases: [{ name: "A", tasks: [{ content: "b" }, { content: "" }] }] },
      'Todo task at index 1 of phase "A" must provide non-empty content',
    ],
  ])("is named when it has the wrong kind: %s %j", async (command, fields, error) => {
    expect(await agent.request(command, fields)).toMatchObject({
      command,
      success: false,
      code: "invalid_request",
      error,
    });
  });

  it("can be null when it is optional, which counts as leaving it out", async () => {
    expect(await agent.call("get_state", { omit: null })).toHaveProperty("systemPrompt");
    expect(await agent.call("cycle_model", { direction: null })).toHaveProperty("model");
    model.enqueue(reply("ok"));
    await agent.run("go", { images: null, streamingBehavior: null, locale: null });
  });
});

describe("bash", () => {
  it("fails when the working directory is gone, and works again when it is back", async () => {
    const cwd = join(agent.agentDir, "work");
    mkdirSync(cwd);
    const other = new AgentUnderTest({ cwd });
    try {
      await other.call("get_state");
      rmSync(cwd, { recursive: true });
      expect(await other.request("bash", { command: "true" })).toMatchObject({
        success: false,
        error: expect.stringContaining(`Working directory does not exist: ${cwd}`),
      });
      mkdirSync(cwd);
      expect(await other.call("bash", { command: "exit 3" })).toMatchObject({ exitCode: 3, cancelled: false });
    } finally {
      await other.dispose();
    }
  });
});

describe("get_integrations", () => {
  it("reports whether the model can be asked, without a request", async () => {
    const { version } = await agent.waitFor(({ type }) => type === "ready");
    expect(await agent.call("get_integrations")).toEqual({
      version,
      model: { state: "connected", provider: "anthropic" },
      services: [],
    });
    expect(model.requests).toHaveLength(0);
    const keyless = new AgentUnderTest();
    expect(await keyless.call("get_integrations")).toEqual({ version, model: { state: "no_provider" }, services: [] });
    expect(await keyless.request("prompt", { message: "hi" })).toMatchObject({ success: false, code: "no_model" });
    await keyless.dispose();
    const named = new AgentUnderTest({ args: ["--no-session", "--model", "anthropic/claude-haiku-4-5"] });
    expect(await named.call("get_integrations")).toMatchObject({
      model: { state: "auth_error", provider: "anthropic" },
    });
    expect(await named.request("prompt", { message: "hi" })).toMatchObject({ success: false, code: "no_credentials" });
    await named.dispose();
  });
});
