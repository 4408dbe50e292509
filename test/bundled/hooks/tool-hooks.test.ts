import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerAll, HookScripts, hooksFor, notices } from "../../support/hook-scripts.ts";
import { McpBench, outcome, outcomeText } from "../../support/mcp-fixtures.ts";
import { reply, toolCall } from "../../support/scripted-replies.ts";

const ASKING = ["--permission-mode", "confirm"];
const permission = (decision: string, more: object = {}) => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: decision, ...more },
});

let bench: McpBench;
let hooks: HookScripts;

beforeEach(async () => {
  bench = await McpBench.open();
  hooks = new HookScripts(bench.folder);
});

afterEach(() => bench.close());

describe("a hook before a tool call", () => {
  it("receives the documented fields, and the names of Claude Code besides ours", async () => {
    const command = hooks.script("");
    const agent = bench.start({ settings: hooksFor("PreToolUse", command), args: [] });
    await bench.callTool(agent, "read", { path: "a.txt" });
    expect(hooks.received()).toEqual([
      {
        session_id: expect.stringMatching(/.{8}/),
        transcript_path: "",
        cwd: agent.cwd,
        hook_event_name: "PreToolUse",
        tool_name: "Read",
        tool_input: { path: "a.txt", file_path: join(agent.cwd, "a.txt") },
        tool_use_id: expect.any(String),
      },
    ]);
  });

  it("blocks the call with exit code 2, and the model reads its stderr", async () => {
    const command = hooks.script("echo 'not this file' >&2; exit 2");
    const agent = bench.start({ settings: hooksFor("PreToolUse", command) });
    const frames = await bench.callTool(agent, "write", { path: "new.txt", content: "x" });
    expect(outcome(frames)).toEqual({ isError: true, content: [{ type: "text", text: "not this file" }] });
    expect(existsSync(join(agent.cwd, "new.txt"))).toBe(false);
  });

  it.each([
    ["permissionDecision", permission("deny", { permissionDecisionReason: "no writes" })],
    ["decision", { decision: "block", reason: "no writes" }],
    [
      "null in other fields",
      {
        decision: null,
        reason: null,
        ...permission("deny", { permissionDecisionReason: "no writes", updatedInput: null }),
      },
    ],
  ])("blocks the call with %s", async (_name, answer) => {
    const agent = bench.start({ settings: hooksFor("PreToolUse", hooks.answering(answer)) });
    const frames = await bench.callTool(agent, "write", { path: "new.txt", content: "x" });
    expect(outcome(frames)).toEqual({ isError: true, content: [{ type: "text", text: "no writes" }] });
  });

  it("has the user asked when its answer can't be read", async () => {
    const settings = hooksFor("PreToolUse", hooks.answering({ decision: "denied" }));
    const agent = bench.start({ settings, args: ["--permission-mode", "auto"] });
    const titles = answerAll(agent, "Deny");
    const frames = await bench.callTool(agent, "bash", { command: "true" });
    expect(titles).toHaveLength(1);
    expect(outcome(frames).isError).toBe(true);
  });

  it("lets the call run when it fails in another way, and tells the user", async () => {
    const command = hooks.script("echo oops >&2; exit 1");
    const agent = bench.start({ settings: hooksFor("PreToolUse", command) });
    const frames = await bench.callTool(agent, "read", { path: "a.txt" });
    expect(outcome(frames).isError).toBe(false);
    expect(notices(frames)).toEqual([`PreToolUse hook failed with exit code 1: ${command}\noops`]);
  });

  it("runs if its matcher names the tool as a whole, by our name or by Claude Code's", async () => {
    const ran = (matcher: string) => ({
      matcher,
      hooks: [{ command: hooks.script(`echo '{"systemMessage":"${matcher}"}'`) }],
    });
    const matchers = ["read", "Read", "Edit|Write|Re.*", "*", "", "Rea", "Bash"];
    const agent = bench.start({ settings: { hooks: { PreToolUse: matchers.map(ran) } } });
    const frames = await bench.callTool(agent, "read", { path: "a.txt" });
    expect(notices(frames)).toEqual(["read", "Read", "Edit|Write|Re.*", "*", ""]);
  });

  it("may be written as one command without a matcher, as in VS Code", async () => {
    const command = hooks.script("exit 2");
    const agent = bench.start({ settings: { hooks: { PreToolUse: [{ type: "command", command }] } } });
    const frames = await bench.callTool(agent, "read", { path: "a.txt" });
    expect(outcomeText(frames)).toBe(`Blocked by a hook: ${command}`);
  });

  it("of the user may allow what the permission mode would ask about", async () => {
    const settings = hooksFor("PreToolUse", hooks.answering(permission("allow")));
    const agent = bench.start({ settings, args: ASKING });
    const titles = answerAll(agent, "Deny");
    await bench.callTool(agent, "write", { path: "new.txt", content: "x" });
    expect(titles).toEqual([]);
    expect(readFileSync(join(agent.cwd, "new.txt"), "utf8")).toBe("x");
  });

  it("allows nothing that a mode or a rule of the user forbids", async () => {
    const settings = { ...hooksFor("PreToolUse", hooks.answering(permission("allow"))), denyRead: ["a.txt"] };
    const denying = bench.start({ settings, args: ASKING });
    expect(outcome(await bench.callTool(denying, "read", { path: "a.txt" })).isError).toBe(true);
    const agent = bench.start({ settings, args: ["--permission-mode", "readonly"] });
    const frames = await bench.callTool(agent, "write", { path: "new.txt", content: "x" });
    expect(outcomeText(frames)).toBe("Blocked: write is not allowed in read-only mode");
  });

  it("may have the user asked, also where nothing would be asked", async () => {
    const answer = permission("ask", { permissionDecisionReason: "looks odd" });
    const settings = hooksFor("PreToolUse", hooks.answering(answer));
    const agent = bench.start({ settings, args: ["--permission-mode", "auto"] });
    const titles = answerAll(agent, "Deny");
    const frames = await bench.callTool(agent, "bash", { command: "true" });
    expect(titles).toHaveLength(1);
    expect(notices(frames)).toEqual(["looks odd"]);
    expect(outcome(frames).isError).toBe(true);
  });

  it("changes the arguments, by our names and by those of Claude Code", async () => {
    const update = (updatedInput: object) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput } });
    const command = hooks.answering(update({ command: "echo changed" }));
    const write = hooks.answering(update({ file_path: "other.txt", content: "changed" }));
    const edit = hooks.answering(update({ file_path: "other.txt", old_string: "changed", new_string: "twice" }));
    const entry = (matcher: string, run: string) => ({ matcher, hooks: [{ type: "command", command: run }] });
    const settings = { hooks: { PreToolUse: [entry("Bash", command), entry("Write", write), entry("Edit", edit)] } };
    const agent = bench.start({ settings, args: ["--permission-mode", "auto"] });
    expect(outcomeText(await bench.callTool(agent, "bash", { command: "echo same" }))).toContain("changed");
    await bench.callTool(agent, "write", { path: "new.txt", content: "x" });
    const other = join(agent.cwd, "other.txt");
    expect(readFileSync(other, "utf8")).toBe("changed");
    expect(existsSync(join(agent.cwd, "new.txt"))).toBe(false);
    await bench.callTool(agent, "edit", { path: "a.txt", edits: [{ oldText: "a", newText: "b" }] });
    expect(readFileSync(other, "utf8")).toBe("twice");
    expect(readFileSync(join(agent.cwd, "a.txt"), "utf8")).toBe("a");
  });

  it("ends the run with continue: false", async () => {
    const settings = hooksFor("PreToolUse", hooks.answering({ continue: false, stopReason: "enough" }));
    const agent = bench.start({ settings });
    bench.model.enqueue(reply([toolCall("read", { path: "a.txt" })]));
    const frames = await agent.run("go");
    expect(bench.model.requests).toHaveLength(1);
    expect(notices(frames)).toEqual(["enough"]);
  });

  it("runs beside the others, once for each command, and any of them can block", async () => {
    const meet = (own: string, other: string) =>
      hooks.script(
        `touch ${bench.folder}/${own}; for _ in $(seq 100); do [ -e ${bench.folder}/${other} ] && exit 2; sleep 0.1; done`,
      );
    const [one, two] = [meet("one", "two"), meet("two", "one")];
    const agent = bench.start({ settings: hooksFor("PreToolUse", [one, two, one]) });
    const frames = await bench.callTool(agent, "read", { path: "a.txt" });
    expect(outcomeText(frames)).toBe(`Blocked by a hook: ${one}\nBlocked by a hook: ${two}`);
    expect(hooks.received()).toHaveLength(2);
  });
});

describe("a hook after a tool call", () => {
  it("adds what it says to the result", async () => {
    const stderr = hooks.script("echo 'format it' >&2; exit 2");
    const context = hooks.answering({
      hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "and test" },
    });
    const agent = bench.start({ settings: hooksFor("PostToolUse", [stderr, context], "Read") });
    const frames = await bench.callTool(agent, "read", { path: "a.txt" });
    expect(outcome(frames).content.at(-1)).toEqual({
      type: "text",
      text: "A hook says about this call:\nformat it\nand test",
    });
    expect(hooks.received()[0]).toMatchObject({
      hook_event_name: "PostToolUse",
      tool_name: "Read",
      tool_response: { content: [{ type: "text" }] },
    });
  });

  it("doesn't run for a call that failed", async () => {
    const agent = bench.start({ settings: hooksFor("PostToolUse", hooks.script("")) });
    await bench.callTool(agent, "read", { path: "missing.txt" });
    expect(hooks.received()).toEqual([]);
  });
});
