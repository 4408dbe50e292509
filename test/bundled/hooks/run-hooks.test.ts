import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeFiles } from "../../support/extension-files.ts";
import { HookScripts, hooksFor, notices } from "../../support/hook-scripts.ts";
import { McpBench, outcome } from "../../support/mcp-fixtures.ts";
import { reply, toolCall } from "../../support/scripted-replies.ts";
import { type AgentUnderTest, asRecord } from "../../support/spawn-agent.ts";

let bench: McpBench;
let hooks: HookScripts;

beforeEach(async () => {
  bench = await McpBench.open();
  hooks = new HookScripts(bench.folder);
});

afterEach(() => bench.close());

const sent = (request: number) => JSON.stringify(bench.model.requests[request]?.body.messages);
const names = async (agent: AgentUnderTest) => {
  const { commands } = await agent.call("get_commands");
  return Array.isArray(commands) ? commands.map((one) => asRecord(one).name) : [];
};
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
/** A script that starts a child process, tells its number, and waits. */
const waiting = () => hooks.script(`sleep 600 & echo $! > ${bench.folder}/pid; wait`);
const childPid = () => Number(readFileSync(join(bench.folder, "pid"), "utf8"));

describe("a hook for a message", () => {
  it("receives it, and what it prints goes to the model with it", async () => {
    const agent = bench.start({ settings: hooksFor("UserPromptSubmit", hooks.script("echo It is Monday")) });
    bench.model.enqueue(reply("ok"));
    await agent.run("hello");
    expect(hooks.received()).toEqual([
      expect.objectContaining({ hook_event_name: "UserPromptSubmit", prompt: "hello" }),
    ]);
    expect(sent(0)).toContain("It is Monday");
    expect(sent(0)).toContain("hello");
  });

  it("keeps it from the model with exit code 2, and the user reads why", async () => {
    const agent = bench.start({
      settings: hooksFor("UserPromptSubmit", hooks.script("echo 'holds a key' >&2; exit 2")),
    });
    await agent.call("prompt", { message: "hello" });
    await agent.waitFor(({ method }) => method === "notify");
    expect(notices(agent.frames)).toEqual(["A hook didn't accept the message: holds a key"]);
    expect(bench.model.requests).toEqual([]);
  });
});

describe("a hook at the start of a session", () => {
  it("gives the model context with the first message", async () => {
    const answer = { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "Branch: main" } };
    const agent = bench.start({ settings: hooksFor("SessionStart", hooks.answering(answer), "startup") });
    bench.model.enqueue(reply("ok"));
    await agent.run("hello");
    expect(hooks.received()).toEqual([expect.objectContaining({ hook_event_name: "SessionStart", source: "startup" })]);
    expect(sent(0)).toContain("Branch: main");
  });
});

describe("a hook at the end of a run", () => {
  it("has the model continue, and learns that it did", async () => {
    const command = hooks.script(
      `[ $(wc -l < ${bench.folder}/scripts/received.jsonl) -gt 1 ] || { echo 'run the tests' >&2; exit 2; }`,
    );
    const agent = bench.start({ settings: hooksFor("Stop", command) });
    bench.model.enqueue(reply("done"), reply("tested"), reply("again"));
    const frames = await agent.run("go");
    expect(sent(1)).toContain("run the tests");
    expect(frames.filter(({ type }) => type === "agent_settled")).toHaveLength(1);
    expect(hooks.received().map((one) => one.stop_hook_active)).toEqual([false, true]);
    await agent.run("more");
    expect(hooks.received().at(-1)?.stop_hook_active).toBe(false);
  });
});

describe("a hook before a compaction", () => {
  it("can keep it from happening", async () => {
    const command = hooks.script("echo 'not now' >&2; exit 2");
    const settings = { ...hooksFor("PreCompact", command, "manual"), compaction: { keepRecentTokens: 1 } };
    const agent = bench.start({ settings });
    bench.model.enqueue(reply("one"), reply("two"));
    await agent.run("a".repeat(2000));
    await agent.run("more");
    const response = await agent.request("compact", { customInstructions: "keep names" });
    expect(response.success).toBe(false);
    expect(hooks.received()).toEqual([
      expect.objectContaining({ hook_event_name: "PreCompact", trigger: "manual", custom_instructions: "keep names" }),
    ]);
    expect(notices(agent.frames)).toContain("A hook didn't allow the compaction: not now");
  });
});

describe("the command of a hook", () => {
  it("ends with all that it started at its time limit", async () => {
    const command = waiting();
    const settings = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command, timeout: 1 }] }] } };
    const agent = bench.start({ settings });
    const frames = await bench.callTool(agent, "read", { path: "a.txt" });
    expect(outcome(frames).isError).toBe(false);
    expect(notices(frames)).toEqual([`PreToolUse hook stopped after 1 seconds: ${command}`]);
    await expect.poll(() => isAlive(childPid())).toBe(false);
  });

  it("ends with all that it started when the user stops the run", async () => {
    const agent = bench.start({ settings: hooksFor("PreToolUse", waiting()) });
    bench.model.enqueue(reply([toolCall("read", { path: "a.txt" })]));
    await agent.call("prompt", { message: "go" });
    await expect.poll(() => existsSync(join(bench.folder, "pid")), { timeout: 10_000 }).toBe(true);
    await agent.call("abort");
    await agent.settled();
    await expect.poll(() => isAlive(childPid()), { timeout: 5000 }).toBe(false);
  });

  it("gets the environment of commands, without the agent's keys, and the project's folder", async () => {
    const command = hooks.script(`echo "$CLAUDE_PROJECT_DIR $AI_AGENT $OWN $ANTHROPIC_API_KEY."`);
    const settings = { ...hooksFor("UserPromptSubmit", command), shellEnv: { OWN: "mine" } };
    const agent = bench.start({ settings });
    bench.model.enqueue(reply("ok"));
    await agent.run("hello");
    expect(sent(0)).toContain(`${agent.cwd} tiller mine .`);
  });
});

describe("an agent", () => {
  it("has no command for hooks without hooks, and finds those that were added with the next session", async () => {
    const agent = bench.start({});
    expect(await names(agent)).not.toContain("hooks");
    writeFiles(agent.agentDir, { "settings.json": JSON.stringify(hooksFor("UserPromptSubmit", hooks.script(""))) });
    await agent.call("new_session");
    bench.model.enqueue(reply("ok"));
    await agent.run("hello");
    expect(hooks.received()).toHaveLength(1);
    expect(await names(agent)).toContain("hooks");
  });
});
