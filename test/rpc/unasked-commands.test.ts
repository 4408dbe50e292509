import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, callUnasked, questionAbout } from "../support/approval-agent.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let cwd: string;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  cwd = mkdtempSync(join(tmpdir(), "tiller-unasked-"));
  const git = (...args: string[]) => execFileSync("git", args, { cwd });
  git("init", "-q");
  git("config", "core.fsmonitor", "touch ran; false");
  writeFileSync(join(cwd, "a.txt"), "a\n");
  agent = new AgentUnderTest({
    cwd,
    modelUrl: model.url,
    args: ["--no-session", "--tools", "bash", "--permission-mode", "auto-edit"],
  });
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
  rmSync(cwd, { recursive: true, force: true });
});

describe("a Git command that only reads", () => {
  it("runs without a question in auto-edit, and starts no program that the repository names", async () => {
    const result = await callUnasked(agent, model, "bash", { command: "git status --short" });
    expect(result.text).toContain("?? a.txt");
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });

  it("runs as Git normally would once the user has approved it", async () => {
    const question = await questionAbout(agent, model, "bash", { command: "git status --short; git gc --quiet" });
    await answer(agent, question, { value: "Allow once" });
    expect(existsSync(join(cwd, "ran"))).toBe(true);
  });
});
