import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, callUnasked, questionAbout } from "../support/approval-agent.ts";
import { writeFiles } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agent: AgentUnderTest;
const roots: string[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  await agent.dispose();
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
  await model.stop();
});

function start(args: readonly string[], places: { agentDir?: string; cwd?: string } = {}): AgentUnderTest {
  agent = new AgentUnderTest({ ...places, modelUrl: model.url, args: ["--no-session", ...args] });
  return agent;
}

const write = (path = "made.txt") => ({ path, content: "made" });

describe("the permission mode", () => {
  it("auto never asks, whatever the call does", async () => {
    start([]);
    expect(await callUnasked(agent, model, "bash", { command: "touch a && rm -rf a" })).toMatchObject({
      isAsked: false,
      isError: false,
    });
    expect(await agent.call("get_approval_rules")).toEqual({ mode: "auto", isEnforced: false, rules: [] });
  });

  it("is only a wish when it is not enforced", async () => {
    start([]);
    await agent.call("set_permission_mode", { mode: "auto-edit" });
    expect(await callUnasked(agent, model, "bash", { command: "touch a" })).toMatchObject({ isAsked: false });
    expect(await agent.call("get_approval_rules")).toMatchObject({ mode: "auto-edit", isEnforced: false });
    expect(JSON.stringify(model.requests[0]?.body.messages)).toContain("wants to be asked before you run commands");
  });

  it("readonly refuses changes and, without a sandbox, commands without a question", async () => {
    const agentDir = mkdtempSync(join(tmpdir(), "tiller-readonly-"));
    roots.push(agentDir);
    start(["--permission-mode", "readonly", "--add-dir", agentDir], { agentDir }); // which is no workspace for a sandbox
    expect(await callUnasked(agent, model, "bash", { command: "ls" })).toEqual({
      isAsked: false,
      isError: true,
      text: "Blocked: bash is not allowed in read-only mode",
    });
    expect(await callUnasked(agent, model, "write", write())).toMatchObject({
      text: "Blocked: write is not allowed in read-only mode",
    });
    expect(existsSync(join(agent.cwd, "made.txt"))).toBe(false);
  });

  it("confirm runs commands that only read the workspace, and asks about all others", async () => {
    start(["--permission-mode", "confirm"]);
    writeFileSync(join(agent.cwd, "notes.txt"), "one\ntwo\n");
    writeFileSync(join(agent.cwd, ".env"), "KEY=1");
    for (const command of ["ls -la", "cat notes.txt | wc -l", "grep -n two notes.txt && git status"]) {
      expect(await callUnasked(agent, model, "bash", { command })).toMatchObject({ isAsked: false });
    }
    const asking = [
      "touch x",
      "ls > out.txt",
      "cat notes.txt; rm notes.txt",
      "cat /etc/hostname",
      "ls ..",
      "cat .env",
      "grep -r KEY .",
      "env",
      "cat $FILE",
      "ls `pwd`",
      "mytool --list",
    ];
    for (const command of asking) {
      const question = await questionAbout(agent, model, "bash", { command });
      expect(await answer(agent, question, { value: "Deny" })).toMatchObject({ text: "Blocked by user: bash" });
    }
    expect(await callUnasked(agent, model, "read", { path: "notes.txt" })).toMatchObject({ isAsked: false });
  });

  it.each([
    ["an option", ["--ask-for-read-only-commands"], {}, {}],
    ["your settings", [], { askForReadOnlyCommands: true }, { askForReadOnlyCommands: false }],
    ["the project's settings", [], {}, { askForReadOnlyCommands: true }],
  ])("confirm asks about reading commands, too, when %s ask for it", async (_, args, ofUser, ofProject) => {
    const root = mkdtempSync(join(tmpdir(), "tiller-modes-"));
    roots.push(root);
    writeFiles(root, {
      "agent/settings.json": JSON.stringify(ofUser),
      "work/.tiller/settings.json": JSON.stringify(ofProject),
    });
    start(["--permission-mode", "confirm", ...args], { agentDir: join(root, "agent"), cwd: join(root, "work") });
    const question = await questionAbout(agent, model, "bash", { command: "ls | wc -l" });
    expect(question.options).toContain("Allow in this workspace: bash commands that only read");
    await answer(agent, question, { value: "Allow in this workspace: bash commands that only read" });
    expect(await callUnasked(agent, model, "bash", { command: "git log; cat x" })).toMatchObject({ isAsked: false });
    await answer(agent, await questionAbout(agent, model, "bash", { command: "touch x" }), { value: "Deny" });
  });

  it("tells the model the reason that the user gives with a denial, and only with a denial", async () => {
    start(["--permission-mode", "confirm"]);
    const question = await questionAbout(agent, model, "bash", { command: "touch x" });
    const reason = "Use the script instead.";
    expect(await answer(agent, question, { value: "Deny", reason })).toEqual({
      isError: true,
      text: "Blocked by user: bash. The user says: Use the script instead.",
    });
    const other = await questionAbout(agent, model, "bash", { command: "touch y" });
    expect(await answer(agent, other, { value: "Allow once", reason })).toMatchObject({ isError: false });
  });

  it("auto-edit allows edits and reading commands in the workspace, and asks about the rest", async () => {
    start(["--permission-mode", "auto-edit"]);
    expect(await callUnasked(agent, model, "write", write())).toMatchObject({ isAsked: false, isError: false });
    const edit = { path: "made.txt", edits: [{ oldText: "made", newText: "changed" }] };
    expect(await callUnasked(agent, model, "edit", edit)).toMatchObject({ isAsked: false, isError: false });
    expect(await callUnasked(agent, model, "bash", { command: "cat made.txt" })).toMatchObject({
      isAsked: false,
      text: "changed",
    });
    for (const [tool, args] of [
      ["write", write("../made.txt")],
      ["write", write(".git/hooks/pre-commit")],
      ["bash", { command: "touch x" }],
      ["bash", { command: "cat /etc/hostname" }],
    ] as const) {
      const question = await questionAbout(agent, model, tool, args);
      expect(await answer(agent, question, { value: "Deny" })).toMatchObject({ text: `Blocked by user: ${tool}` });
    }
  });

  it("applies from the next call on when it is set during a run", async () => {
    start(["--permission-mode", "confirm"]);
    const question = await questionAbout(agent, model, "bash", { command: "touch x" });
    await agent.call("set_permission_mode", { mode: "auto" });
    expect(await agent.call("get_approval_rules")).toMatchObject({ mode: "auto", isEnforced: true });
    await answer(agent, question, { value: "Deny" });
    expect(existsSync(join(agent.cwd, "x"))).toBe(false);
    expect(await callUnasked(agent, model, "bash", { command: "touch x" })).toMatchObject({ isAsked: false });
  });

  it("must exist", async () => {
    start([]);
    expect(await agent.request("set_permission_mode", { mode: "yolo" })).toMatchObject({
      error: 'Invalid mode "yolo". Valid values: auto, confirm, readonly, auto-edit, sandboxed, plan',
    });
    const wrong = new AgentUnderTest({ args: ["--permission-mode", "yolo"] });
    expect(await wrong.exited).toMatchObject({ code: 1 });
    expect(wrong.stderr).toContain(
      'Error: Invalid --permission-mode "yolo". Valid values: auto, confirm, readonly, auto-edit, sandboxed, plan',
    );
    await wrong.dispose();
  });
});

describe("/approvals", () => {
  const rule = (id: string, pattern: string) => ({
    id,
    scope: "always",
    tool: "bash",
    pattern,
    text: `bash ${pattern}`,
    createdAt: id === "one" ? 1 : 2,
    uses: id === "one" ? 1 : 0,
  });

  it("says when there are no rules", async () => {
    start([]);
    expect(await agent.call("prompt", { message: "/approvals" })).toEqual({ disposition: "handled" });
    expect(agent.frames.find(({ method }) => method === "notify")).toMatchObject({
      message: "There are no approval rules.",
    });
  });

  it("lists the rules, and removes the selected one after a confirmation", async () => {
    start([]);
    const rules = [rule("one", "npm run *"), rule("two", "git commit *")];
    writeFileSync(join(agent.agentDir, "approvals.json"), JSON.stringify({ version: 1, rules }));
    const done = agent.call("prompt", { message: "/approvals" });
    const list = await agent.waitFor(({ method }) => method === "select");
    expect(list.options).toEqual([
      "1. bash npm run * (everywhere, used once)",
      "2. bash git commit * (everywhere, used 0 times)",
    ]);
    agent.send({ type: "extension_ui_response", id: list.id, value: "1. bash npm run * (everywhere, used once)" });
    const sure = await agent.waitFor(({ method }) => method === "confirm");
    expect(sure).toMatchObject({ title: "Remove this rule?", message: "bash npm run * (everywhere, used once)" });
    agent.send({ type: "extension_ui_response", id: sure.id, confirmed: true });
    const next = await agent.waitFor((frame) => frame.method === "select" && frame !== list);
    expect(next.options).toEqual(["1. bash git commit * (everywhere, used 0 times)"]);
    agent.send({ type: "extension_ui_response", id: next.id, cancelled: true });
    await done;
    expect(await agent.call("get_approval_rules")).toMatchObject({ rules: [{ id: "two" }] });
  });

  it("is in the list of commands that hosts get", async () => {
    start([]);
    const { commands } = await agent.call("get_commands");
    const found = Array.isArray(commands) ? commands.map(asRecord).find(({ name }) => name === "approvals") : undefined;
    expect(found).toMatchObject({
      source: "extension",
      description: "Show and remove approval rules",
    });
  });
});
