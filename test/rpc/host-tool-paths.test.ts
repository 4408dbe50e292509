import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HostToolDefinition } from "../../agent/protocol/host-tools.ts";
import { hostToolDefinitions } from "../../scripts/offered-tools/offered-entries.ts";
import { answer, outcome, questionAbout } from "../support/approval-agent.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

let hostTools: HostToolDefinition[];
let model: ScriptedModel;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  hostTools = (await hostToolDefinitions()).filter(({ hidden }) => hidden !== true);
});

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await model.stop();
});

interface Start {
  mode?: string;
  tools?: object[];
  args?: string[];
  agentDir?: string;
  cwd?: string;
}

/** Starts an agent with the host tools of the extension, or others. */
async function start({
  mode = "auto-edit",
  tools = hostTools,
  args = [],
  ...folders
}: Start = {}): Promise<AgentUnderTest> {
  const agent = new AgentUnderTest({
    ...folders,
    modelUrl: model.url,
    args: ["--no-session", "--permission-mode", mode, ...args],
  });
  cleanups.push(() => agent.dispose());
  await agent.call("set_host_tools", { tools });
  return agent;
}

/** A host tool as the host of another author would register it. */
const tool = (name: string, fields: object) => ({
  name,
  description: "Acts.",
  parameters: { type: "object" },
  ...fields,
});

const edit = (path: string) => ({ edits: [{ path, startLine: 1, endLine: 1, newText: "x" }] });

/** Has the model call a tool that is to run unasked, answers as the host does, and says how the call ended. */
async function runUnasked(agent: AgentUnderTest, name: string, args: Record<string, unknown>) {
  const from = agent.frames.length;
  model.enqueue(reply([toolCall(name, args)], { stopReason: "tool_use" }), reply("ok"));
  await agent.call("prompt", { message: "go" });
  const call = await agent.waitFor(({ type, method }) => type === "host_tool_call" || method === "select", from);
  if (call.type !== "host_tool_call") return { asked: call.title };
  agent.send({ type: "host_tool_result", id: call.id, result: { content: [{ type: "text", text: "done" }] } });
  await agent.settled(from);
  return outcome(agent.frames.slice(from));
}

/** Returns the question about a call, which is then denied. */
async function asked(agent: AgentUnderTest, name: string, args: Record<string, unknown>): Promise<Frame> {
  const question = await questionAbout(agent, model, name, args);
  expect(await answer(agent, question, { value: "Deny" })).toEqual({ isError: true, text: `Blocked by user: ${name}` });
  return question;
}

const ran = { isError: false, text: "done" };
const NO_RULE = ["Allow once", "Deny"];

describe("an editor tool that changes files", () => {
  it("runs without a question in auto-edit where edit would, however the path is written", async () => {
    const agent = await start();
    mkdirSync(join(agent.cwd, "src"));
    expect(await runUnasked(agent, "vscode_apply_edit", edit("src/a.ts"))).toEqual(ran);
    expect(await runUnasked(agent, "vscode_apply_edit", edit(join(agent.cwd, "src/a.ts")))).toEqual(ran);
    expect(await runUnasked(agent, "vscode_create_file", { path: "./src/../src/b.ts" })).toEqual(ran);
    expect(await runUnasked(agent, "vscode_move_file", { path: "src/a.ts", to: "src/c.ts" })).toEqual(ran);
    expect(await runUnasked(agent, "vscode_format", { path: "src/a.ts" })).toEqual(ran);
    expect(await runUnasked(agent, "vscode_git_commit_message", { message: "Mend" })).toEqual(ran);
  });

  it("asks in auto-edit where edit asks, and offers no rule", async () => {
    const agent = await start();
    mkdirSync(join(agent.cwd, ".git", "hooks"), { recursive: true });
    const outside = mkdtempSync(join(tmpdir(), "tiller-outside-"));
    cleanups.push(() => rmSync(outside, { recursive: true, force: true }));
    symlinkSync(join(agent.cwd, ".git"), join(agent.cwd, "repo"));
    symlinkSync("/etc", join(agent.cwd, "etc"));
    writeFileSync(join(agent.cwd, "server.pem"), "key");
    const calls: [string, Record<string, unknown>, string][] = [
      ["vscode_apply_edit", edit(".vscode/settings.json"), "changes a protected file: .vscode/settings.json"],
      ["vscode_apply_edit", edit("src/../.VSCODE/settings.json"), "changes a protected file: .VSCODE/settings.json"],
      ["vscode_apply_edit", edit(join(homedir(), ".bashrc")), ".bashrc"],
      ["vscode_apply_edit", edit("~/.bashrc"), ".bashrc"],
      ["vscode_apply_edit", edit(".git/config"), "changes a protected file: .git/config"],
      ["vscode_apply_edit", edit("repo/config"), "changes a protected file: .git/config"],
      ["vscode_apply_edit", edit("etc/hosts"), "writes outside the workspace: /etc/hosts"],
      ["vscode_apply_edit", edit(".git\\config"), "changes a protected file: .git\\config"],
      ["vscode_apply_edit", edit(pathToFileURL("/etc/hosts").href), "writes outside the workspace: /etc/hosts"],
      ["vscode_apply_edit", edit("vscode-userdata:/User/settings.json"), "changes a document outside the workspace"],
      ["vscode_apply_edit", { edits: [...edit("src/a.ts").edits, ...edit(".git/config").edits] }, ".git/config"],
      ["vscode_create_file", { path: ".mcp.json" }, "changes a protected file: .mcp.json"],
      ["vscode_create_file", { path: "/etc/x" }, "writes outside the workspace: /etc/x"],
      ["vscode_move_file", { path: "src/a.sh", to: ".git/hooks/pre-commit" }, "changes a protected file: .git/hooks/"],
      ["vscode_move_file", { path: ".git/config", to: "src/config" }, "changes a protected file: .git/config"],
      ["vscode_move_file", { path: "server.pem", to: "notes.txt" }, "reads a file that may hold secrets: server.pem"],
      ["vscode_rename_symbol", { symbol: "load", newName: "read" }, "it doesn't say which files it changes"],
    ];
    for (const [name, args, reason] of calls) {
      const question = await asked(agent, name, args);
      expect(question.title).toContain(reason);
      expect([name, question.options]).toEqual([name, NO_RULE]);
    }
  });

  it("is allowed by a rule for a folder, except for protected files in it", async () => {
    const agent = await start({ mode: "confirm" });
    const question = await questionAbout(agent, model, "vscode_apply_edit", edit("src/a.ts"));
    const from = agent.frames.indexOf(question);
    expect(question.options).toContain("Allow always: vscode_apply_edit src/**");
    agent.send({ type: "extension_ui_response", id: question.id, value: "Allow always: vscode_apply_edit src/**" });
    const call = await agent.waitFor(({ type }) => type === "host_tool_call", from);
    agent.send({ type: "host_tool_result", id: call.id, result: { content: [] } });
    await agent.settled(from);
    expect(await runUnasked(agent, "vscode_apply_edit", edit("src/deep/b.ts"))).toEqual(ran);
    expect((await asked(agent, "vscode_apply_edit", edit("src/.git/config"))).options).toEqual(NO_RULE);
    expect((await asked(agent, "vscode_apply_edit", edit("test/a.ts"))).options).toContain(
      "Allow for this session: vscode_apply_edit test/**",
    );
  });

  it("offers one rule for several folders, and a rule only for the session to delete a file", async () => {
    const agent = await start({ mode: "confirm" });
    const both = { edits: [...edit("src/a.ts").edits, ...edit("test/a.ts").edits] };
    expect((await asked(agent, "vscode_apply_edit", both)).options).toContain(
      "Allow for this session: vscode_apply_edit {src/**,test/**}",
    );
    expect((await asked(agent, "vscode_delete_file", { path: "src/a.ts" })).options).toEqual([
      "Allow once",
      "Allow for this session: vscode_delete_file src/a.ts",
      "Change the rule…",
      "Deny",
    ]);
  });

  it("is judged by every folder of the window that its path could be in", async () => {
    const other = mkdtempSync(join(tmpdir(), "tiller-other-"));
    cleanups.push(() => rmSync(other, { recursive: true, force: true }));
    const agent = await start({ args: ["--add-dir", other] });
    expect((await asked(agent, "vscode_create_file", { path: "named-so/.git/config" })).options).toEqual(NO_RULE);
    symlinkSync("/etc", join(other, "system"));
    expect((await asked(agent, "vscode_create_file", { path: "api/system/x" })).title).toContain("/etc/x");
    expect(await runUnasked(agent, "vscode_create_file", { path: "api/a.ts" })).toEqual(ran);
    expect(await runUnasked(agent, "vscode_create_file", { path: "a.ts" })).toEqual(ran);
  });
});

describe("a file that tools run or obey automatically", () => {
  it("asks in auto-edit, and a rule can name just that file", async () => {
    const agent = await start();
    for (const path of [
      ".npmrc",
      ".github/workflows/ci.yml",
      ".pre-commit-config.yaml",
      "web/.yarnrc.yml",
      "mise.toml",
    ]) {
      const question = await asked(agent, "write", { path, content: "" });
      expect(question.title).toContain(`changes a file that other tools run or follow automatically: ${path}`);
      expect(question.options).toContain(`Allow always: write ${path}`);
    }
    for (const path of [
      ".devcontainer/devcontainer.json",
      ".githooks/pre-push",
      ".idea/workspace.xml",
      ".gitmodules",
    ]) {
      expect((await asked(agent, "write", { path, content: "" })).options).toEqual(NO_RULE);
    }
  });

  it("does not include the project's own code", async () => {
    const agent = await start();
    for (const path of [
      "package.json",
      "Makefile",
      "eslint.config.js",
      ".github/README.md",
      ".gitignore",
      ".editorconfig",
    ]) {
      model.enqueue(reply([toolCall("write", { path, content: "x" })], { stopReason: "tool_use" }), reply("ok"));
      const frames = await agent.run("go");
      expect([path, frames.some(({ method }) => method === "select")]).toEqual([path, false]);
    }
  });

  it("is not covered by a rule for its folder, but by one for itself", async () => {
    const agent = await start({ mode: "confirm" });
    const rules = ["write **", "write .npmrc"].map((text, at) => ({
      id: String(at),
      scope: "session",
      tool: "write",
      pattern: text.slice("write ".length),
      text,
      createdAt: at,
      uses: 0,
    }));
    await agent.call("add_approval_rules", { rules: rules.slice(0, 1) });
    await asked(agent, "write", { path: ".npmrc", content: "" });
    await agent.call("add_approval_rules", { rules });
    model.enqueue(
      reply([toolCall("write", { path: ".npmrc", content: "x" })], { stopReason: "tool_use" }),
      reply("ok"),
    );
    expect((await agent.run("go")).some(({ method }) => method === "select")).toBe(false);
  });
});

describe("a host tool", () => {
  it("asks in auto-edit when it does not declare which files it changes", async () => {
    const agent = await start({ tools: [tool("act", { approval: "edit" })] });
    expect((await asked(agent, "act", { path: "src/a.ts" })).options).toEqual([
      "Allow once",
      "Allow for this session: host tool act",
      "Deny",
    ]);
  });

  it("asks when its paths have another form than declared", async () => {
    const paths = [{ argument: "edits[].path", access: "write" }];
    const agent = await start({ tools: [tool("act", { approval: "edit", paths })] });
    for (const edits of [
      "src/a.ts",
      ["src/a.ts"],
      [{ path: 1 }],
      { path: "src/a.ts" },
      [{ path: "src/a.ts" }, { path: {} }],
    ]) {
      const question = await asked(agent, "act", { edits });
      expect(question.title).toContain("can't be checked: edits[].path is no path");
      expect(question.options).toEqual(NO_RULE);
    }
    expect(await runUnasked(agent, "act", { edits: [{ path: "src/a.ts" }] })).toEqual(ran);
  });

  it("that the user made free runs without a question only where an edit would", async () => {
    const paths = [{ argument: "path", access: "write" }];
    const agent = await start({ mode: "confirm", tools: [tool("act", { readOnly: true, paths })] });
    expect(await runUnasked(agent, "act", { path: "src/a.ts" })).toEqual(ran);
    await asked(agent, "act", { path: ".git/config" });
    await agent.call("set_permission_mode", { mode: "readonly", enforce: true });
    model.enqueue(reply([toolCall("act", { path: "src/a.ts" })], { stopReason: "tool_use" }), reply("ok"));
    expect(outcome(await agent.run("go"))).toEqual({
      isError: true,
      text: "Blocked: act is not allowed in read-only mode",
    });
  });

  it("is refused when its declaration cannot be read", async () => {
    const agent = await start({ tools: [] });
    for (const fields of [{ paths: "path" }, { paths: [{ argument: "a b", access: "write" }] }, { command: 1 }]) {
      expect(await agent.request("set_host_tools", { tools: [tool("act", fields)] })).toMatchObject({ success: false });
    }
    expect(await agent.request("set_host_tools", { tools: [tool("act", { paths: null })] })).toMatchObject({
      success: true,
    });
  });

  it("that runs a command has rules for the command, and always asks without one", async () => {
    const agent = await start();
    const question = await asked(agent, "vscode_run_in_terminal", { command: "npm run build" });
    expect(question.options).toContain("Allow always: vscode_run_in_terminal npm run *");
    await asked(agent, "vscode_run_in_terminal", { command: "git status" });
    const pushed = await asked(agent, "vscode_run_in_terminal", { command: "git push --force" });
    expect(pushed.options).toEqual(NO_RULE);
    const moved = await asked(agent, "vscode_run_in_terminal", { command: "cd src && npm run build" });
    expect(moved.title).toContain("may change the shell that later commands run in");
    expect(moved.options).toEqual(NO_RULE);
    const hidden = await asked(agent, "vscode_run_in_terminal", { command: 'c""d src; npm run build' });
    expect(hidden.options).toEqual(NO_RULE);
    const rule = {
      id: "r",
      scope: "session",
      tool: "vscode_run_in_terminal",
      pattern: "npm run *",
      text: "vscode_run_in_terminal npm run *",
      createdAt: 1,
      uses: 0,
    };
    await agent.call("add_approval_rules", { rules: [rule] });
    expect(await runUnasked(agent, "vscode_run_in_terminal", { command: "npm run test" })).toEqual(ran);
    await asked(agent, "vscode_run_in_terminal", { command: "npm run test; rm -rf ." });
    await asked(agent, "bash", { command: "npm run test" });
  });

  it("that runs a command in a file is judged by both", async () => {
    const paths = [{ argument: "path", access: "write" }];
    const agent = await start({ tools: [tool("act", { approval: "edit", command: "script", paths })] });
    const question = await asked(agent, "act", { path: "src/a.ts", script: "npm run build" });
    expect(question.options).toContain("Allow for this session: act npm run *");
    const guarded = await asked(agent, "act", { path: ".git/config", script: "npm run build" });
    expect(guarded.options).toEqual(NO_RULE);
  });

  it("that runs a task has rules for that task", async () => {
    const agent = await start();
    const question = await asked(agent, "vscode_run_task", { task: "npm: build" });
    expect(question.options).toEqual([
      "Allow once",
      "Allow for this session: host tool vscode_run_task npm: build",
      "Allow in this workspace: host tool vscode_run_task npm: build",
      "Deny",
    ]);
  });

  it("ignores a stored rule for its name alone once it declares what it runs", async () => {
    const agent = await start();
    const names = ["vscode_run_in_terminal", "vscode_run_task", "vscode_delete_file"];
    const rules = names.map((name, at) => ({
      id: name,
      scope: "always",
      tool: name,
      text: `host tool ${name}`,
      createdAt: at,
      uses: 0,
    }));
    writeFileSync(join(agent.agentDir, "approvals.json"), JSON.stringify({ version: 1, rules }));
    await asked(agent, "vscode_run_in_terminal", { command: "npm run build" });
    await asked(agent, "vscode_run_task", { task: "build" });
    await asked(agent, "vscode_delete_file", { path: "src/a.ts" });
    expect(asRecord(await agent.call("get_approval_rules")).rules).toHaveLength(3);
  });
});
