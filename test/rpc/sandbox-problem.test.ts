import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let folder: string;
let agent: AgentUnderTest | undefined;

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-sandbox-problem-"));
  mkdirSync(join(folder, "work"));
});

afterEach(async () => {
  await agent?.dispose();
  await model.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function problemIn(cwd: string, mode: string): Promise<unknown> {
  const args = ["--no-session", "--permission-mode", mode];
  agent = new AgentUnderTest({ cwd, agentDir: join(folder, "agent"), modelUrl: model.url, args });
  return (await agent.call("get_state")).sandboxProblem;
}

it("a state in the mode sandboxed says why commands can't run in a sandbox", async () => {
  const problem = `the workspace ${folder} includes your home directory or Tiller's own`;
  expect(await problemIn(folder, "sandboxed")).toBe(problem);
});

it("a state says nothing where there is a sandbox", async () => {
  expect(await problemIn(join(folder, "work"), "sandboxed")).toBeUndefined();
});

it("a state says nothing in other modes", async () => {
  expect(await problemIn(folder, "confirm")).toBeUndefined();
});
