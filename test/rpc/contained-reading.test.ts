import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, callUnasked, questionAbout } from "../support/approval-agent.ts";
import { makeOutsideFolder } from "../support/outside-folder.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let cwd: string;
let outside: string;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  cwd = mkdtempSync(join(tmpdir(), "tiller-contained-reading-"));
  outside = makeOutsideFolder();
  writeFileSync(join(cwd, "a.txt"), "one\n");
  writeFileSync(join(cwd, "write.sh"), "echo two > a.txt; touch b.txt; mkdir c; rm -f a.txt\n");
  writeFileSync(join(cwd, ".env"), "API_TOKEN=from-the-file\n");
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
  rmSync(cwd, { recursive: true, force: true });
  rmSync(outside, { recursive: true, force: true });
});

function start(mode: string): void {
  const args = ["--no-session", "--tools", "bash", "--permission-mode", mode];
  agent = new AgentUnderTest({ cwd, modelUrl: model.url, args });
}

const bash = (command: string) => callUnasked(agent, model, "bash", { command });

describe.each(["readonly", "plan"])("a command in the mode %s, where there is a sandbox", (mode) => {
  it("runs without a question, and can write only temporary files", async () => {
    start(mode);
    expect(await bash("cat a.txt && echo three > /tmp/t && cat /tmp/t")).toMatchObject({
      isAsked: false,
      isError: false,
      text: "one\nthree",
    });
    expect(await bash("sh write.sh")).toMatchObject({ isAsked: false, isError: true });
    expect(readdirSync(cwd).sort()).toEqual([".env", "a.txt", "write.sh"]);
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("one\n");
    const { text } = await bash("touch made.txt");
    expect(text).toContain("which seems to have refused writing, since commands may only read");
  });

  it("never runs outside, not even by a rule", async () => {
    start(mode);
    const rule = { id: "1", scope: "session", tool: "bash", pattern: "touch *", text: "bash touch *", createdAt: 1 };
    await agent.call("add_approval_rules", { rules: [{ ...rule, uses: 0 }] });
    expect(await bash("touch made.txt")).toMatchObject({ isAsked: false, isError: true });
    expect(await bash(`touch ${join(outside, "made.txt")}`)).toMatchObject({ isAsked: false, isError: true });
    expect(existsSync(join(cwd, "made.txt"))).toBe(false);
    expect(readdirSync(outside)).toEqual([]);
  });

  it.each(["sudo true", "git push", "git reset --hard", "ssh host"])(
    "doesn't run if it can't work there: %s",
    async (command) => {
      start(mode);
      expect((await bash(command)).text).toBe(
        `Blocked: bash is not allowed in ${mode === "plan" ? "plan mode" : "read-only mode"}`,
      );
    },
  );

  it("asks before it reads outside the workspace, and reads no secrets", async () => {
    start(mode);
    writeFileSync(join(outside, "notes.txt"), "elsewhere\n");
    const question = await questionAbout(agent, model, "bash", { command: `cat ${join(outside, "notes.txt")}` });
    expect((await answer(agent, question, { value: "Allow once" })).text).toBe("elsewhere");
    const { isAsked, text } = await bash("cat .env");
    expect(isAsked).toBe(false);
    expect(text).toContain("refused reading .env, which may hold secrets");
  });

  it("reaches no network", async () => {
    start(mode);
    const { isAsked, text } = await bash("curl -sSf http://files.example.com/a");
    expect(isAsked).toBe(false);
    expect(text).toContain("refused connecting to the network");
  });

  it("is in the log as contained", async () => {
    start(mode);
    await bash("sh write.sh");
    expect(await agent.call("get_approval_log")).toMatchObject({
      decisions: [{ what: "sh write.sh", decision: "allowed", by: "mode", mode, isContained: true }],
    });
  });
});
