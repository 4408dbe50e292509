import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeFiles } from "../../support/extension-files.ts";
import { HookScripts, hooksFor, notices } from "../../support/hook-scripts.ts";
import { McpBench, outcome, outcomeText } from "../../support/mcp-fixtures.ts";
import { type AgentUnderTest, asRecord, type Frame } from "../../support/spawn-agent.ts";

/** How our own host starts an agent in a trusted workspace. */
const OWN_HOST = ["--approve", "--permission-mode", "confirm"];

let bench: McpBench;
let hooks: HookScripts;

beforeEach(async () => {
  bench = await McpBench.open();
  hooks = new HookScripts(bench.folder);
});

afterEach(() => bench.close());

const isQuestion = ({ method, consent }: Frame) => method === "select" && consent !== undefined;
const isApproval = ({ method, approval }: Frame) => method === "select" && approval !== undefined;
const answer = (agent: AgentUnderTest, { id }: Frame, value: string) =>
  agent.send({ type: "extension_ui_response", id, value });
const readFile = (agent: AgentUnderTest) => bench.callTool(agent, "read", { path: "a.txt" });
const decision = (permissionDecision: string, more: object = {}) =>
  hooks.answering({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, ...more } });

async function allowed(project: Record<string, string>, settings: object = {}): Promise<AgentUnderTest> {
  const agent = bench.start({ project, settings, args: OWN_HOST });
  answer(agent, await agent.waitFor(isQuestion), "Allow");
  await expect.poll(() => existsSync(join(agent.agentDir, "consents.json"))).toBe(true);
  return agent;
}

/** Has the model write a file. @returns the approval that was asked for, which is denied. */
async function askedToWrite(agent: AgentUnderTest): Promise<Frame> {
  const from = agent.frames.length;
  const run = bench.callTool(agent, "write", { path: "new.txt", content: "x" });
  const asked = await agent.waitFor(isApproval, from);
  answer(agent, asked, "Deny");
  await run;
  return asked;
}

describe("the hooks of a project", () => {
  it("run once they are allowed, and are asked about again when they change", async () => {
    const files = [
      ".tiller/settings.json",
      ".claude/settings.json",
      ".claude/settings.local.json",
      ".github/hooks/own.json",
    ];
    const commands = files.map(() => hooks.script("exit 2"));
    const project = Object.fromEntries(
      files.map((file, at) => [file, JSON.stringify(hooksFor("PreToolUse", commands[at] ?? "", "Read"))]),
    );
    const agent = bench.start({ project, args: OWN_HOST });
    const first = await agent.waitFor(isQuestion);
    expect(outcome(await readFile(agent)).isError).toBe(false);
    expect(hooks.received()).toEqual([]);
    for (const [at, file] of files.entries()) {
      const asked = at === 0 ? first : await agent.waitFor(({ consent }) => asRecord(consent).name === file);
      expect(asked.consent).toEqual({ kind: "hooks", name: file });
      expect(asked.title).toBe(
        `Allow this project's hook file "${file}"?\nRuns with your permissions: ${commands[at]}\nPreToolUse (Read): ${commands[at]}`,
      );
      answer(agent, asked, "Allow");
    }
    await expect.poll(async () => outcomeText(await readFile(agent))).toContain(`${commands[3]}`);
    expect(hooks.received().length).toBeGreaterThanOrEqual(4);
    await agent.end();

    const changed = { ".claude/settings.json": JSON.stringify(hooksFor("PreToolUse", commands[1] ?? "", "*")) };
    const next = bench.start({ project: changed, args: OWN_HOST });
    const again = await next.waitFor(isQuestion);
    expect(again.consent).toEqual({ kind: "hooks", name: ".claude/settings.json" });
    expect(again.title).toContain("It has changed since you last decided.");
    expect(outcomeText(await readFile(next))).not.toContain(commands[1]);
  });

  it("are asked about again when a script of the project that they name changes", async () => {
    const settings = JSON.stringify(hooksFor("PreToolUse", 'bash "$CLAUDE_PROJECT_DIR"/check.sh'));
    const agent = await allowed({ ".claude/settings.json": settings, "check.sh": "echo first >&2; exit 2" });
    expect(outcomeText(await readFile(agent))).toBe("first");
    const from = agent.frames.length;
    writeFiles(agent.cwd, { "check.sh": "echo second >&2; exit 2" });
    expect(outcome(await readFile(agent)).isError).toBe(false);
    expect((await agent.waitFor(isQuestion, from)).title).toContain("It has changed since you last decided.");
  });

  it("are not read before the user trusts the project", async () => {
    const project = {
      ".tiller/settings.json": JSON.stringify(hooksFor("PreToolUse", hooks.script("exit 2"))),
      ".claude/settings.json": JSON.stringify(hooksFor("PreToolUse", hooks.script("exit 2"))),
    };
    const agent = bench.start({ project, args: ["--no-approve"] });
    expect(outcome(await readFile(agent)).isError).toBe(false);
    expect(hooks.received()).toEqual([]);
    expect(agent.stderr).toContain('Setting "hooks" of');
  });

  it("can block a call that the user allows, but allow none that the user is asked about", async () => {
    const agent = await allowed({ ".claude/settings.json": JSON.stringify(hooksFor("PreToolUse", decision("allow"))) });
    await askedToWrite(agent);
    await agent.end();
    const denying = JSON.stringify(hooksFor("PreToolUse", decision("deny")));
    const settings = hooksFor("PreToolUse", decision("allow"));
    const next = bench.start({ project: { ".claude/settings.json": denying }, settings, args: OWN_HOST });
    answer(next, await next.waitFor(isQuestion), "Allow");
    await expect
      .poll(async () => outcome(await bench.callTool(next, "write", { path: "new.txt", content: "x" })).isError)
      .toBe(true);
  });

  it("can't put other arguments in the place of those that a hook of the user allowed", async () => {
    const updatedInput = { path: "other.txt", content: "y" };
    const project = JSON.stringify(
      hooksFor("PreToolUse", hooks.answering({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput } })),
    );
    const settings = hooksFor("PreToolUse", decision("allow"));
    const agent = await allowed({ ".claude/settings.json": project }, settings);
    const asked = await askedToWrite(agent);
    expect(JSON.stringify(asked.approval)).toContain("other.txt");
  });

  it("are listed by /hooks beside the user's own", async () => {
    const settings = hooksFor("Stop", "./own.sh");
    const project = { ".claude/settings.json": JSON.stringify(hooksFor("PreToolUse", "./check.sh", "Bash")) };
    const agent = bench.start({ project, settings, args: OWN_HOST });
    answer(agent, await agent.waitFor(isQuestion), "Don't Allow");
    await agent.waitFor(({ method }) => method === "notify");
    const from = agent.frames.length;
    await agent.request("prompt", { message: "/hooks" });
    expect(notices(agent.frames.slice(from))).toEqual([
      [
        `Your hooks in ${join(agent.agentDir, "settings.json")}: allowed`,
        "- Stop: ./own.sh",
        "",
        "The project's hooks in .claude/settings.json: not allowed (/trust)",
        "- PreToolUse (Bash): ./check.sh",
      ].join("\n"),
    ]);
  });

  it("that can't be used are named on stderr, and the others run", async () => {
    writeFiles(join(bench.folder, "project"), { ".github/hooks/broken.json": "{" });
    const command = hooks.script("exit 2");
    const entries = [
      { matcher: "(", hooks: [{ command }] },
      { hooks: [{ type: "prompt", prompt: "ok?" }, { command }] },
    ];
    const agent = bench.start({ settings: { hooks: { PreToolUse: entries, SubagentStop: [] } }, args: ["--approve"] });
    expect(outcome(await readFile(agent)).isError).toBe(true);
    expect(agent.stderr).toContain('PreToolUse: the matcher "(" isn\'t a regular expression.');
    expect(agent.stderr).toContain("only hooks of the type command run");
    expect(agent.stderr).toContain("no hooks run for SubagentStop.");
    expect(agent.stderr).toContain("broken.json: skipped because it isn't valid JSON");
  });
});
