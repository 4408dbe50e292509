import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, callUnasked, questionAbout } from "../support/approval-agent.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { AgentUnderTest, asRecord, BUILT_AGENT } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let cwd: string;
const agents: AgentUnderTest[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
  cwd = mkdtempSync(join(tmpdir(), "tiller-approval-log-"));
});

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.dispose();
  await model.stop();
  rmSync(cwd, { recursive: true, force: true });
});

function start(mode: string, { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {}) {
  const agent = new AgentUnderTest({
    cwd,
    modelUrl: model.url,
    env,
    args: ["--no-session", "--permission-mode", mode, ...args],
  });
  agents.push(agent);
  return agent;
}

async function logged(agent: AgentUnderTest, limit?: number): Promise<Record<string, unknown>[]> {
  const { decisions } = await agent.call("get_approval_log", limit === undefined ? {} : { limit });
  return Array.isArray(decisions) ? decisions.map(asRecord) : [];
}

describe("the log of approvals", () => {
  it("has each decision with who made it, the newest first", async () => {
    const agent = start("confirm");
    const once = await questionAbout(agent, model, "bash", { command: "touch once" });
    await answer(agent, once, { value: "Allow once" });
    const ruled = await questionAbout(agent, model, "bash", { command: "npm run x --version" });
    await answer(agent, ruled, { value: "Allow for this session: bash npm run *" });
    await callUnasked(agent, model, "bash", { command: "npm run y --version" });
    const denied = await questionAbout(agent, model, "write", { path: "a.txt", content: "one" });
    await answer(agent, denied, { value: "Deny" });
    await callUnasked(agent, model, "bash", { command: "ls" });

    const { sessionId } = await agent.call("get_state");
    const common = { session: sessionId, workspace: cwd, mode: "confirm", time: expect.stringMatching(/^\d{4}-.*Z$/) };
    const rules = ["bash npm run *"];
    expect(await logged(agent)).toEqual([
      { ...common, tool: "bash", what: "ls", decision: "allowed", by: "mode" },
      { ...common, tool: "write", what: "a.txt", decision: "denied", by: "user" },
      { ...common, tool: "bash", what: "npm run y --version", decision: "allowed", by: "rule", rules },
      { ...common, tool: "bash", what: "npm run x --version", decision: "allowed", by: "user", rules },
      { ...common, tool: "bash", what: "touch once", decision: "allowed", by: "user" },
    ]);
    expect(await logged(agent, 1)).toMatchObject([{ what: "ls" }]);
    expect(statSync(join(agent.agentDir, "approvals.log")).mode & 0o777).toBe(0o600);
  });

  it("says what a mode refused, and what it allowed without a question", async () => {
    const refusing = start("readonly");
    await callUnasked(refusing, model, "write", { path: "a.txt", content: "one" });
    expect(await logged(refusing)).toMatchObject([{ tool: "write", decision: "denied", by: "mode", mode: "readonly" }]);
    const allowing = start("auto");
    await callUnasked(allowing, model, "write", { path: "a.txt", content: "one" });
    await callUnasked(allowing, model, "read", { path: "a.txt" });
    expect(await logged(allowing)).toMatchObject([{ tool: "write", decision: "allowed", by: "mode", mode: "auto" }]);
  });

  it("says what the user's setting forbids", async () => {
    const agent = start("auto", { args: ["--deny-read", "*.pem"] });
    await callUnasked(agent, model, "read", { path: "server.pem" });
    expect(await logged(agent)).toMatchObject([
      { tool: "read", what: "server.pem", decision: "denied", by: "setting" },
    ]);
  });

  it("has no secrets: not those of the command, of the environment, or of the model", async () => {
    const agent = start("auto", {
      env: { DEPLOY_TOKEN: "planted-in-environment", ANTHROPIC_API_KEY: "planted-model-key" },
    });
    const command = "echo planted-in-environment planted-model-key --password planted-word; X_TOKEN=planted-token true";
    await callUnasked(agent, model, "bash", { command });
    await logged(agent);
    const text = readFileSync(join(agent.agentDir, "approvals.log"), "utf8");
    expect(text).toContain("echo [redacted] [redacted] --password [redacted]; X_TOKEN=[redacted] true");
    expect(text).not.toContain("planted");
  });

  it("holds up no call when it can't be written, and says so once", async () => {
    const agent = start("auto");
    mkdirSync(join(agent.agentDir, "approvals.log"), { recursive: true });
    const one = await callUnasked(agent, model, "bash", { command: "echo one" });
    const two = await callUnasked(agent, model, "bash", { command: "echo two" });
    expect([one.text, two.text]).toEqual(["one", "two"]);
    await agent.waitFor(({ method }) => method === "notify");
    const told = agent.frames.filter(({ message }) =>
      String(message).startsWith("The log of approvals can't be written"),
    );
    expect(told).toHaveLength(1);
  });

  it("is listed on the command line", async () => {
    const agent = start("auto");
    await callUnasked(agent, model, "bash", { command: "echo one" });
    await logged(agent);
    const run = (...args: string[]) =>
      execFileSync(process.execPath, [BUILT_AGENT, ...args], {
        env: { PATH: process.env.PATH, HOME: cwd, PI_CODING_AGENT_DIR: agent.agentDir },
        encoding: "utf8",
      });
    expect(run("--list-approvals")).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d allowed by the mode auto: bash echo one \[/,
    );
    expect(run("--list-approvals", "nowhere")).toBe('No decision matches "nowhere".\n');
  });

  it("leaves out lines that are no decisions", async () => {
    const agent = start("auto");
    writeFileSync(join(agent.agentDir, "approvals.log"), '{"what": 1}\n[]\n');
    expect(await logged(agent)).toEqual([]);
  });
});
