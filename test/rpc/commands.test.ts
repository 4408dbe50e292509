import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commands, SessionState } from "../../agent/protocol/commands.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, reply, text } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

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

describe("state", () => {
  it("has every field with the type of the contract", async () => {
    const state = await agent.call("get_state");
    expect(SessionState.parse(state)).toEqual(state);
    expect(state).toMatchObject({ isStreaming: false, todoPhases: [], messageCount: 0, cwd: agent.cwd });
    expect(await agent.call("get_state", { omit: ["systemPrompt", "dumpTools"] })).not.toHaveProperty("systemPrompt");
  });

  it("is streaming from the response until agent_settled", async () => {
    const held = gate();
    model.enqueue(reply([text("a"), held]));
    await agent.call("prompt", { message: "go" });
    expect(await agent.call("get_state")).toMatchObject({ isStreaming: true });
    held.release();
    await agent.settled();
    expect(await agent.call("get_state")).toMatchObject({ isStreaming: false });
  });

  it("has no last text in an empty session and returns the newest one later", async () => {
    expect(await agent.call("get_last_assistant_text")).toEqual({ text: null });
    model.enqueue(reply("The answer "));
    await agent.run("go");
    expect(await agent.call("get_last_assistant_text")).toEqual({ text: "The answer" });
    expect(asRecord(await agent.call("get_messages")).messages).toMatchObject([
      { role: "user" },
      { role: "assistant" },
    ]);
  });

  it("refuses an empty session name, and reports a new one", async () => {
    expect(await agent.request("set_session_name", { name: "\n" })).toMatchObject({
      error: "Session name cannot be empty",
    });
    await agent.call("set_session_name", { name: "Plan" });
    const types = agent.frames.map(({ type }) => type);
    expect(types.slice(-2)).toEqual(["session_info_changed", "response"]);
  });
});

describe("models", () => {
  it("refuse an unknown model", async () => {
    expect(await agent.request("set_model", { provider: "p", modelId: "m" })).toMatchObject({
      error: "Model not found: p/m",
    });
  });

  it("are listed complete, and cycle within --models", async () => {
    const { models } = await agent.call("get_available_models");
    expect(Array.isArray(models) && models.length).toBeGreaterThan(3);
    await agent.dispose();
    agent = new AgentUnderTest({
      modelUrl: model.url,
      args: ["--no-session", "--models", "claude-opus-*,claude-haiku-*:off"],
    });
    const cycled = await agent.call("cycle_model");
    expect(cycled).toMatchObject({ isScoped: true, model: { provider: "anthropic" } });
  });

  it("use the demo with --demo only when no other model has a key", async () => {
    const keyless = new AgentUnderTest({ args: ["--no-session", "--demo"] });
    expect(await keyless.call("get_state")).toMatchObject({ model: { provider: "demo" } });
    await keyless.dispose();
    const keyed = new AgentUnderTest({ modelUrl: model.url, args: ["--no-session", "--demo"] });
    expect(await keyed.call("get_state")).toMatchObject({ model: { provider: "anthropic" } });
    await keyed.dispose();
  });

  it("do not cycle when there is only one", async () => {
    await agent.dispose();
    agent = new AgentUnderTest({ args: ["--no-session", "--model", "demo/scripted"] });
    expect((await agent.request("cycle_model")).data).toBeNull();
  });

  it("name the valid thinking levels when one is unknown, and accept max for the highest", async () => {
    expect(await agent.request("set_thinking_level", { level: "huge" })).toMatchObject({
      error: 'Invalid thinking level "huge". Valid values: off, minimal, low, medium, high, xhigh, max',
    });
    const { levels } = await agent.call("get_available_thinking_levels");
    expect(levels).toContain("high");
    await agent.call("set_thinking_level", { level: "off" });
    const from = agent.frames.length;
    await agent.call("set_thinking_level", { level: "max" });
    const highest = Array.isArray(levels) ? levels.at(-1) : undefined;
    expect(agent.frames[from]).toEqual({ type: "thinking_level_changed", level: highest });
  });

  it("keep max as a level, which cycling leaves out for hosts that don't know it", async () => {
    await agent.call("set_thinking_level", { level: "max" });
    expect(await agent.call("get_state")).toMatchObject({ thinkingLevel: "max" });
    expect(await agent.call("cycle_thinking_level")).toEqual({ level: "low" });
    await agent.call("set_thinking_level", { level: "xhigh" });
    expect(await agent.call("cycle_thinking_level")).toEqual({ level: "low" });
    const { models } = await agent.call("get_available_models");
    const highest = Array.isArray(models) ? models.map((one) => asRecord(asRecord(one).thinking).maxLevel) : [];
    expect(new Set(highest)).toEqual(new Set(["xhigh"]));
  });

  it("use base URLs and models of models.json, and report a missing key", async () => {
    const agentDir = mkdtempSync(join(tmpdir(), "tiller-models-"));
    try {
      writeFileSync(
        join(agentDir, "models.json"),
        JSON.stringify({
          providers: {
            local: {
              baseUrl: model.url,
              api: "anthropic-messages",
              apiKey: "LOCAL_KEY",
              models: [{ id: "tiny", name: "Tiny", contextWindow: 8000, maxTokens: 2000 }],
            },
          },
        }),
      );
      await agent.dispose();
      agent = new AgentUnderTest({ agentDir, args: ["--no-session", "--model", "local/tiny"] });
      expect((await agent.request("prompt", { message: "hi" })).error).toMatch(/^No API key found for local\.\n/);
      await agent.dispose();
      agent = new AgentUnderTest({
        agentDir,
        args: ["--no-session", "--model", "local/tiny"],
        env: { LOCAL_KEY: "k" },
      });
      model.enqueue(reply("From the cellar"));
      await agent.run("hi");
      expect(model.requests[0]?.body.model).toBe("tiny");
    } finally {
      rmSync(agentDir, { recursive: true });
    }
  });
});

describe("bash", () => {
  it("returns the output and the exit code, and streams under the command's id", async () => {
    agent.send({ id: "b", type: "bash", command: "echo one; echo two >&2; exit 3" });
    const response = await agent.waitFor((frame) => frame.type === "response" && frame.id === "b");
    expect(response).toMatchObject({
      success: true,
      data: { output: "one\ntwo\n", exitCode: 3, cancelled: false, truncated: false, totalLines: 2 },
    });
    const updates = agent.frames.filter(({ type }) => type === "bash_execution_update");
    expect(updates.map((frame) => frame.delta).join("")).toBe("one\ntwo\n");
    expect(updates.every((frame) => frame.id === "b")).toBe(true);
  });

  it("is stopped by abort_bash, even two at once", async () => {
    agent.send({ id: "1", type: "bash", command: "sleep 100" });
    agent.send({ id: "2", type: "bash", command: "sleep 100" });
    expect(await agent.call("get_state")).toMatchObject({ isBashRunning: true });
    await agent.call("abort_bash");
    for (const id of ["1", "2"]) {
      expect(await agent.waitFor((frame) => frame.id === id)).toMatchObject({
        success: true,
        data: { cancelled: true },
      });
    }
  });

  it("adds its message when the run settles, and the model sees it next time unless it is excluded", async () => {
    const held = gate();
    model.enqueue(reply([text("a"), held]));
    await agent.call("prompt", { message: "go" });
    await agent.call("bash", { command: "echo visible" });
    await agent.call("bash", { command: "echo secret", excludeFromContext: true });
    expect(JSON.stringify(await agent.call("get_messages"))).not.toContain("bashExecution");
    held.release();
    await agent.settled();
    model.enqueue(reply("ok"));
    await agent.run("what did I run?");
    const sent = JSON.stringify(model.requests[1]?.body.messages);
    expect(sent).toContain("Ran `echo visible`\\n```\\nvisible\\n");
    expect(sent).not.toContain("secret");
    expect(JSON.stringify(await agent.call("get_messages"))).toContain("echo secret");
    const roles = agent.frames.map((frame) => asRecord(frame.message).role);
    expect(roles).not.toContain("bashExecution");
  });

  it("does not see the agent's own variables", async () => {
    await agent.dispose();
    agent = new AgentUnderTest({
      env: { ELECTRON_RUN_AS_NODE: "1", SECRET: "s3", TILLER_PRIVATE_ENV: "SECRET,OTHER", VISIBLE: "v" },
    });
    const { output } = await agent.call("bash", {
      command: 'echo "[$ELECTRON_RUN_AS_NODE$SECRET$TILLER_PRIVATE_ENV$VISIBLE]"',
    });
    expect(output).toBe("[v]\n");
  });

  it("keeps the end of a long output, and all of it in a file", async () => {
    const { output, truncated, fullOutputPath, totalLines } = await agent.call("bash", { command: "seq 1 5000" });
    expect({ truncated, totalLines }).toEqual({ truncated: true, totalLines: 5000 });
    expect(String(output).trimEnd().split("\n").at(-1)).toBe("5000");
    expect(readFileSync(String(fullOutputPath), "utf8")).toMatch(/^1\n2\n/);
    rmSync(String(fullOutputPath));
  });
});

describe("the command table", () => {
  it("has a handler for every command of the contract", async () => {
    for (const type of Object.keys(commands)) {
      const response = await agent.request(type);
      expect(response).toMatchObject({ type: "response", command: type });
      expect(response.code).not.toBe("unknown_command");
    }
  });
});
