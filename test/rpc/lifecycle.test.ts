import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isRunning } from "../support/process-state.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, reply, text, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const CLI = fileURLToPath(new URL("../../dist/agent/cli.js", import.meta.url));

function runCli(...args: string[]) {
  return runCliWith({ ANTHROPIC_API_KEY: "k" }, ...args);
}

function runCliWith(keys: Record<string, string>, ...args: string[]) {
  const env = { PATH: process.env.PATH, PI_CODING_AGENT_DIR: "/nowhere", ...keys };
  return spawnSync(process.execPath, [CLI, ...args], { encoding: "utf8", input: "", env });
}

describe("the command line", () => {
  it("prints the version as one semver: the version of pi's interface, and its own as the build", () => {
    const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    const own = String(asRecord(manifest).version);
    expect(runCli("--version")).toMatchObject({ status: 0, stdout: `1.5.2+${own}\n`, stderr: "" });
  });

  it("lists models in the same table as pi", () => {
    const list = (...args: string[]) =>
      runCli("--list-models", ...args)
        .stdout.trimEnd()
        .split("\n");
    const [headings = "", ...rows] = list();
    expect(headings.split(/\s{2,}/).filter((text) => text !== "")).toEqual([
      "provider",
      "model",
      "context",
      "max-out",
      "thinking",
      "images",
    ]);
    expect(rows.map((row) => row.trim().split(/\s{2,}/))).toContainEqual([
      "anthropic",
      "claude-haiku-4-5",
      "200K",
      "64K",
      "yes",
      "yes",
    ]);
    expect(rows).toEqual([...rows].sort());
    expect(list("anthropic/haiku 4-5").map((row) => row.split(/\s+/)[1])).toEqual([
      "model",
      "claude-haiku-4-5",
      "claude-haiku-4-5-20251001",
    ]);
    expect(list("no such one")).toEqual(['No models matching "no such one"']);
    expect(runCliWith({}, "--list-models").stdout).toMatch(/^No models available\. Set an API key in the environment/);
  });

  it("prints help", () => {
    const { status, stdout } = runCli("--help");
    expect(status).toBe(0);
    expect(stdout).toContain("--mode rpc");
  });

  it.each([
    [["--mode", "rpc", "@notes.txt"], "Error: @file arguments are not supported in RPC mode"],
    [["--mode", "rpc", "-z"], "Error: Unknown option: -z"],
    [["--mode", "rpc", "--provider", "anthropic"], "Error: --provider requires --model"],
    [
      ["--mode", "rpc", "--provider", "__missing__"],
      'Error: Unknown provider "__missing__". Known providers: amazon-bedrock, anthropic, ',
    ],
    [["--mode", "rpc", "--provider", "__missing__", "--model", "opus"], 'Error: Unknown provider "__missing__"'],
    [
      ["--mode", "rpc", "--model", "anthropic/claude-sonnet-5-5/Claude"],
      'No models match pattern "anthropic/claude-sonnet-5-5/Claude". Did you mean anthropic/claude-sonnet-5-5 or ',
    ],
    [["--mode", "rpc", "--name", " "], "Error: --name requires a non-empty value"],
    [["--mode", "rpc", "--model", "no-such-model"], 'Error: No models match pattern "no-such-model"'],
    [["--mode", "rpc", "--session", "zzz"], "No session found matching 'zzz'"],
    [["--mode", "rpc", "--session-id", "a", "--continue"], "Error: --session-id cannot be combined with --continue"],
    [["--mode", "rpc", "--fork", "a", "--no-session"], "Error: --fork cannot be combined with --no-session"],
    [
      ["--mode", "rpc", "--session-id", "-a"],
      "Error: Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.', and start and end with an alphanumeric character",
    ],
    [
      ["--mode", "rpc", "--api-key", "k"],
      "Error: --api-key requires a model to be specified via --model, --provider/--model, or --models",
    ],
    [["--mode", "rpc", "--name"], "Error: --name requires a value"],
    [["--mode", "rpc", "--rpc-stream", "thin"], 'Error: Invalid --rpc-stream "thin". Valid values: full, delta'],
  ])("refuses %j", (args, text) => {
    const { status, stdout, stderr } = runCli(...args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(text);
  });

  it.each([
    [["--mode"], "Error: --mode requires text, json, rpc, or acp"],
    [["--mode", "tea"], 'Error: Invalid mode "tea". Valid values: text, json, rpc, acp'],
    [["-z"], "Error: Unknown option: -z"],
    [["hello"], "Error: tiller has no interactive mode. Send a message with tiller -p"],
    [[], "Error: tiller has no interactive mode."],
  ])("refuses %j, which is not of a host, with 2", (args, text) => {
    const { status, stdout, stderr } = runCli(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(text);
  });

  it("accepts the flags of other programs, which change nothing", async () => {
    const switches = ["--no-themes", "--no-lsp", "--no-pty", "--no-title", "--allow-home", "--print", "-p"];
    const named = ["--theme", "--use-theme", "--tui-mode", "--provider-session-id", "--smol", "--slow", "--plan"];
    const values = [...named, "--plugin-dir"].flatMap((flag) => [flag, "dark"]);
    const agent = new AgentUnderTest({ args: ["--no-session", ...switches, ...values] });
    await agent.call("get_state");
    expect(agent.stderr).toBe("");
    await agent.dispose();
  });

  it("ignores unknown long flags and texts without a flag, with a warning", async () => {
    const agent = new AgentUnderTest({ args: ["--no-session", "--some-flag", "--", "some text"] });
    await agent.call("get_state");
    expect(agent.stderr).toBe(
      "Messages on the command line are ignored in RPC mode.\nUnknown option --some-flag is ignored.\n",
    );
    await agent.dispose();
  });
});

describe("shutdown", () => {
  let model: ScriptedModel;
  let agent: AgentUnderTest;

  beforeEach(async () => {
    model = await ScriptedModel.start();
    agent = new AgentUnderTest({ modelUrl: model.url, args: [] });
  });

  afterEach(async () => {
    await agent.dispose();
    await model.stop();
  });

  it("exits with 0 at the end of input", async () => {
    await agent.call("get_state");
    expect(await agent.end()).toEqual({ code: 0, signal: null });
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)("exits on %s with %i", async (signal, code) => {
    await agent.call("get_state");
    agent.child.kill(signal);
    expect(await agent.exited).toEqual({ code, signal: null });
  });

  it("keeps the aborted message when input ends in the middle of a run", async () => {
    const held = gate();
    model.enqueue(reply([text("Half an answer"), held]));
    await agent.call("prompt", { message: "hi" });
    await agent.waitFor((frame) => JSON.stringify(frame).includes("Half an answer"));
    const { sessionFile } = await agent.call("get_state");
    expect(await agent.end()).toEqual({ code: 0, signal: null });
    const last = JSON.parse(readFileSync(String(sessionFile), "utf8").trim().split("\n").at(-1) ?? "");
    expect(last.message).toMatchObject({ stopReason: "aborted", content: [{ type: "text", text: "Half an answer" }] });
    expect(agent.types().at(-1)).toBe("agent_settled");
    held.release();
  });

  it("kills what bash started, also on a signal", async () => {
    const marker = join(agent.cwd, "pid");
    agent.send({ type: "bash", command: `sleep 300 & echo $! > ${marker}; wait`, id: "b" });
    const pid = await agent.until(() => {
      // The shell makes the file before it writes to it.
      const found = existsSync(marker) ? Number(readFileSync(marker, "utf8")) : 0;
      if (found > 0) return found;
      agent.send({ type: "get_state", omit: ["systemPrompt", "dumpTools"] });
      return undefined;
    }, "the pid of the child");
    agent.child.kill("SIGTERM");
    expect(await agent.exited).toEqual({ code: 143, signal: null });
    expect(isRunning(pid)).toBe(false);
    expect(agent.frames.find((frame) => frame.id === "b")).toMatchObject({ data: { cancelled: true } });
  });

  it("exits with 0 when its output has no reader", async () => {
    const held = gate();
    model.enqueue(reply([text("x"), held, text("y".repeat(200_000), { chunks: 100 })]));
    await agent.call("prompt", { message: "hi" });
    await held.reached.promise;
    agent.child.stdout.destroy();
    held.release();
    expect(await agent.exited).toEqual({ code: 0, signal: null });
    expect(agent.stderr).toBe("");
  });

  it("tells the model that the host disconnected when input ends during a host tool", async () => {
    model.enqueue(reply([toolCall("pick", {})], { stopReason: "tool_use" }));
    await agent.call("set_host_tools", {
      tools: [{ name: "pick", description: "Picks.", parameters: { type: "object" } }],
    });
    await agent.call("prompt", { message: "hi" });
    await agent.waitFor(({ type }) => type === "host_tool_call");
    const { sessionFile } = await agent.call("get_state");
    await agent.end();
    expect(readFileSync(String(sessionFile), "utf8")).toContain(
      "RPC client disconnected before host tool execution completed",
    );
  });

  it("shuts down once for end of input and SIGTERM together", async () => {
    const held = gate();
    model.enqueue(reply([held]));
    await agent.call("prompt", { message: "hi" });
    await held.reached.promise;
    agent.child.stdin.end();
    agent.child.kill("SIGTERM");
    const { code } = await agent.exited;
    expect([0, 143]).toContain(code);
    expect(agent.types().filter((type) => type === "agent_settled")).toHaveLength(1);
  });
});
