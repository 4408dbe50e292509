import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, text, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let folder: string;
let agents: AgentUnderTest[];

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-surroundings-"));
  agents = [];
});

afterEach(async () => {
  for (const agent of agents) await agent.dispose();
  await model.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts an agent whose AGENT_DIR holds these settings. */
function start(args: readonly string[], env: Record<string, string> = {}, settings: object = {}): AgentUnderTest {
  writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
  const agent = new AgentUnderTest({ modelUrl: model.url, args, env, agentDir: folder });
  agents.push(agent);
  return agent;
}

/** The lines `NAME=value` of an output, as an object. */
function variables(output: unknown): Record<string, string> {
  const lines = String(output).trimEnd().split("\n");
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

/** True when an update of a message carries the whole message beside its delta. */
function hasWholeMessage(frames: readonly Frame[]): boolean {
  const updates = frames.filter(({ type }) => type === "message_update");
  expect(updates.length).toBeGreaterThan(0);
  return updates.some(({ message }) => message !== undefined);
}

describe("a shell command", () => {
  const NAMES = "AI_AGENT|PI_CODING_AGENT|PI_SESSION_ID|PI_SESSION_FILE|PI_PROVIDER|PI_MODEL|PI_REASONING_LEVEL";
  const command = `env | grep -E "^(${NAMES})=" | sort`;

  it("of the model can see its agent, session, model and thinking level", async () => {
    const agent = start(["--model", "claude-haiku-4-5", "--thinking", "off"]);
    model.enqueue(reply([toolCall("bash", { command })], { stopReason: "tool_use" }), reply("ok"));
    await agent.run("go");
    const { sessionId, sessionFile } = await agent.call("get_state");
    const end = await agent.waitFor(({ type }) => type === "tool_execution_end");
    const [block] = [asRecord(end.result).content].flat();
    expect(variables(asRecord(block).text)).toEqual({
      AI_AGENT: "tiller",
      PI_CODING_AGENT: "true",
      PI_SESSION_ID: sessionId,
      PI_SESSION_FILE: sessionFile,
      PI_PROVIDER: "anthropic",
      PI_MODEL: "claude-haiku-4-5",
      PI_REASONING_LEVEL: "off",
    });
  });

  it("of the user can see its agent", async () => {
    const agent = start(["--no-session"]);
    const { output } = await agent.call("bash", { command });
    expect(variables(output)).toEqual({ AI_AGENT: "tiller", PI_CODING_AGENT: "true" });
  });
});

describe("XCSH_LOCALE", () => {
  it("sets the language of answers until set_locale names another one", async () => {
    const agent = start(["--no-session"], { XCSH_LOCALE: "pt-BR" });
    expect(await agent.call("get_state")).toMatchObject({ systemPrompt: expect.stringContaining('locale "pt-BR"') });
    await agent.call("set_locale", { locale: "de" });
    expect(await agent.call("get_state")).toMatchObject({ systemPrompt: expect.stringContaining('locale "de"') });
    await agent.call("set_locale", { locale: "" });
    const { systemPrompt } = await agent.call("get_state");
    expect(systemPrompt).not.toContain("locale");
  });
});

describe("the shape of updates", () => {
  it.each([
    ["the default", [], {}, {}, true],
    ["the setting rpc.stream", [], {}, { rpc: { stream: "delta" } }, false],
    ["PI_RPC_STREAM over the setting", [], { PI_RPC_STREAM: "delta" }, { rpc: { stream: "full" } }, false],
    ["--rpc-stream over PI_RPC_STREAM", ["--rpc-stream", "full"], { PI_RPC_STREAM: "delta" }, {}, true],
  ])("is set by %s", async (_, args, env, settings, isWhole) => {
    const agent = start(["--no-session", ...args], env, settings);
    model.enqueue(reply([text("one two three", { chunks: 3 })]));
    expect(hasWholeMessage(await agent.run("go"))).toBe(isWhole);
  });

  it("is set by set_stream_options over the flag, and an unknown PI_RPC_STREAM is reported on stderr", async () => {
    const agent = start(["--no-session", "--rpc-stream", "full"]);
    expect(await agent.call("set_stream_options", { messageUpdate: "delta" })).toEqual({ messageUpdate: "delta" });
    model.enqueue(reply("ok"));
    expect(hasWholeMessage(await agent.run("go"))).toBe(false);
    const confused = start(["--no-session"], { PI_RPC_STREAM: "thin" });
    await confused.call("get_state");
    expect(confused.stderr).toBe('PI_RPC_STREAM="thin" is ignored. Valid values: full, delta\n');
  });
});

describe("setters", () => {
  it("override flags, which override settings, until the process ends", async () => {
    const args = ["--no-session", "--model", "claude-opus-5", "--thinking", "low", "--permission-mode", "confirm"];
    const settings = { defaultThinkingLevel: "high" };
    const agent = start(args, {}, settings);
    const shown = { thinkingLevel: "low", permissionMode: "confirm" };
    expect(await agent.call("get_state")).toMatchObject(shown);
    await agent.call("set_thinking_level", { level: "medium" });
    await agent.call("set_permission_mode", { mode: "readonly", enforce: true });
    await agent.call("set_model", { provider: "anthropic", modelId: "claude-haiku-4-5" });
    expect(await agent.call("get_state")).toMatchObject({
      thinkingLevel: "medium",
      permissionMode: "readonly",
      model: { id: "claude-haiku-4-5" },
    });
    await agent.end();
    expect(await start(args, {}, settings).call("get_state")).toMatchObject(shown);
  });

  it("write no settings file", async () => {
    const agent = start(["--no-session"]);
    await agent.call("set_thinking_level", { level: "high" });
    await agent.call("set_auto_retry", { enabled: false });
    await agent.call("set_auto_compaction", { enabled: false });
    await agent.call("set_steering_mode", { mode: "all" });
    await agent.call("set_follow_up_mode", { mode: "all" });
    await agent.call("set_interrupt_mode", { mode: "immediate" });
    await agent.call("set_permission_mode", { mode: "confirm", enforce: true });
    await agent.call("set_stream_options", { messageUpdate: "delta" });
    await agent.end();
    expect(readFileSync(join(folder, "settings.json"), "utf8")).toBe("{}");
  });
});

describe("flags for tools", () => {
  const PICK = { name: "pick", description: "Picks.", parameters: { type: "object" } };

  it.each([
    ["--tools", ["--tools", "read,grep"], ["read", "grep", "pick"]],
    [
      "--tools with plus and minus",
      ["--tools", "+grep,-bash"],
      ["read", "edit", "write", "todo_write", "grep", "pick"],
    ],
    [
      "--exclude-tools, also those of the host",
      ["--exclude-tools", "bash,pick"],
      ["read", "edit", "write", "todo_write"],
    ],
    ["--no-tools, but for those of the host", ["--no-tools"], ["pick"]],
    ["--no-builtin-tools", ["--no-builtin-tools"], ["pick"]],
  ])("select the tools that the model is offered: %s", async (_, args, offered) => {
    const agent = start(["--no-session", ...args]);
    await agent.call("set_host_tools", { tools: [PICK] });
    model.enqueue(reply("ok"));
    await agent.run("go");
    expect(model.requests[0]?.body.tools?.map(({ name }) => name).sort()).toEqual([...offered].sort());
  });
});

describe("AGENTS.md", () => {
  it.each(["--no-context-files", "-nc"])("is part of the system prompt, but not with %s", async (flag) => {
    const cwd = join(folder, "project");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "AGENTS.md"), "Count from zero.");
    for (const [args, isRead] of [
      [["--no-session"], true],
      [["--no-session", flag], false],
    ] as const) {
      const agent = new AgentUnderTest({ modelUrl: model.url, cwd, args });
      agents.push(agent);
      const { systemPrompt } = await agent.call("get_state");
      expect(String(systemPrompt).includes("Count from zero.")).toBe(isRead);
    }
  });
});

describe("rpc.hostToolTimeoutMs", () => {
  it("ends a call that the host does not answer, and tells host and model", async () => {
    const agent = start(["--no-session"], {}, { rpc: { hostToolTimeoutMs: 50 } });
    await agent.call("set_host_tools", {
      tools: [{ name: "pick", description: "Picks.", parameters: { type: "object" } }],
    });
    model.enqueue(reply([toolCall("pick", {})], { stopReason: "tool_use" }), reply("ok"));
    const frames = await agent.run("go");
    const call = frames.find(({ type }) => type === "host_tool_call");
    expect(frames.find(({ type }) => type === "host_tool_cancel")).toMatchObject({ targetId: call?.id });
    expect(frames.find(({ type }) => type === "tool_execution_end")).toMatchObject({
      isError: true,
      result: { content: [{ type: "text", text: 'Host tool "pick" timed out after 50 ms' }] },
    });
  });
});

describe("a request to the model", () => {
  it("contains the user's text, and neither names nor contents of files", async () => {
    const cwd = join(folder, "project");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "salaries.txt"), "Ada earns 5,000.");
    const agent = new AgentUnderTest({ modelUrl: model.url, cwd });
    agents.push(agent);
    model.enqueue(reply("ok"));
    await agent.run("Explain recursion.");
    const [request] = model.requests;
    expect(request?.body.messages).toMatchObject([
      { role: "user", content: [{ type: "text", text: "Explain recursion." }] },
    ]);
    expect(JSON.stringify(request?.body)).not.toMatch(/salaries|Ada earns/);
  });
});
