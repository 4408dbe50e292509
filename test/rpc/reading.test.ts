import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answer, callUnasked, outcome, questionAbout } from "../support/approval-agent.ts";
import { writeFiles } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

/** A folder that is neither in a workspace of these tests nor in one for temporary files, wherever the tests themselves are. */
let elsewhere: string;
const TOOLS = ["--tools", "read,grep,find,ls,bash,edit,write"];

let model: ScriptedModel;
let cwd: string;
const cleanups: (() => unknown)[] = [];

beforeAll(() => {
  const fixtures = fileURLToPath(new URL("../fixtures/approvals", import.meta.url));
  elsewhere = join(
    mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : homedir(), "tiller-elsewhere-")),
    "approvals",
  );
  cpSync(fixtures, elsewhere, { recursive: true });
});

afterAll(() => rmSync(dirname(elsewhere), { recursive: true, force: true }));

beforeEach(async () => {
  model = await ScriptedModel.start();
  cwd = mkdtempSync(join(tmpdir(), "tiller-reading-"));
  writeFiles(cwd, {
    "src/a.ts": "const token = 1;\n",
    ".env": "token=hidden\n",
    ".env.example": "token=\n",
    "keys/id_rsa": "token\n",
    "data/users.sqlite": "token\n",
    ".aws/config": "token\n",
  });
  symlinkSync(join(elsewhere, "rules.txt"), join(cwd, "link.txt"));
  symlinkSync(".env", join(cwd, "config.txt"));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await model.stop();
  rmSync(cwd, { recursive: true, force: true });
});

interface Start {
  mode?: string;
  args?: string[];
  agentDir?: string;
  env?: Record<string, string>;
}

function start({ mode = "confirm", args = [], ...places }: Start = {}): AgentUnderTest {
  const modeArgs = mode === "" ? [] : ["--permission-mode", mode];
  const agent = new AgentUnderTest({
    ...places,
    cwd,
    modelUrl: model.url,
    args: ["--no-session", ...TOOLS, ...modeArgs, ...args],
  });
  cleanups.push(() => agent.dispose());
  return agent;
}

/** The title of the question about a call, which is denied. */
async function asked(agent: AgentUnderTest, tool: string, args: Record<string, unknown>): Promise<unknown> {
  const question = await questionAbout(agent, model, tool, args);
  expect(await answer(agent, question, { value: "Deny" })).toEqual({ isError: true, text: `Blocked by user: ${tool}` });
  return question.title;
}

describe("reading", () => {
  it.each(["confirm", "auto-edit", "readonly"])(
    "asks in the mode %s outside the workspace and for possible secrets, and nowhere else",
    async (mode) => {
      const agent = start({ mode });
      expect(await callUnasked(agent, model, "read", { path: "src/a.ts" })).toMatchObject({
        isAsked: false,
        text: "const token = 1;\n",
      });
      for (const [tool, path] of [
        ["ls", "."],
        ["find", "src"],
        ["read", ".env.example"],
        ["grep", "src"],
      ] as const) {
        const args = { path, pattern: "token" };
        expect(await callUnasked(agent, model, tool, args)).toMatchObject({ isAsked: false, isError: false });
      }
      const outside = `reads outside the workspace: ${elsewhere}`;
      expect(await asked(agent, "read", { path: join(elsewhere, "rules.txt") })).toContain(`\n${outside}/rules.txt`);
      expect(await asked(agent, "read", { path: "link.txt" })).toContain(`\n${outside}/rules.txt`);
      expect(await asked(agent, "ls", { path: elsewhere })).toContain(`\n${outside}`);
      expect(await asked(agent, "find", { path: elsewhere, pattern: "*" })).toContain(`\n${outside}`);
      expect(await asked(agent, "grep", { path: elsewhere, pattern: "x" })).toContain(`\n${outside}`);
      const secret = "reads a file that may hold secrets: ";
      expect(await asked(agent, "read", { path: ".env" })).toContain(`\n${secret}.env`);
      expect(await asked(agent, "read", { path: "config.txt" })).toContain(`\n${secret}.env`);
      expect(await asked(agent, "grep", { path: "keys/id_rsa", pattern: "x" })).toContain(`\n${secret}keys/id_rsa`);
    },
  );

  it.each(["", "auto"])("does not ask in the mode auto (%j), and leaves nothing out", async (mode) => {
    const agent = start({ mode });
    expect(await callUnasked(agent, model, "read", { path: ".env" })).toEqual({
      isAsked: false,
      isError: false,
      text: "token=hidden\n",
    });
    const path = join(elsewhere, "rules.txt");
    expect(await callUnasked(agent, model, "read", { path })).toMatchObject({ isAsked: false, isError: false });
    expect(await callUnasked(agent, model, "grep", { pattern: "token" })).toMatchObject({
      text: [
        ".aws/config:1: token",
        ".env:1: token=hidden",
        ".env.example:1: token=",
        "data/users.sqlite:1: token",
        "keys/id_rsa:1: token",
        "src/a.ts:1: const token = 1;",
      ].join("\n"),
    });
  });

  it("asks once for a folder outside when a rule is saved, which covers all tools but no secrets there", async () => {
    const agent = start();
    const question = await questionAbout(agent, model, "read", { path: join(elsewhere, "rules.txt") });
    const value = `Allow always: read ${elsewhere}/**`;
    expect(question.options).toContain(value);
    expect(await answer(agent, question, { value })).toMatchObject({ isError: false });
    const path = join(elsewhere, "commands.txt");
    expect(await callUnasked(agent, model, "read", { path })).toMatchObject({ isAsked: false, isError: false });
    expect(await callUnasked(agent, model, "ls", { path: elsewhere })).toMatchObject({ isAsked: false });
    await asked(agent, "read", { path: join(elsewhere, ".env") });
    await asked(agent, "ls", { path: join(elsewhere, "..") });
  });

  it("of a secret of the workspace can be allowed for that file alone, in this workspace", async () => {
    const agent = start();
    const question = await questionAbout(agent, model, "read", { path: ".env" });
    expect(question.options).toEqual([
      "Allow once",
      "Allow for this session: read .env",
      "Allow in this workspace: read .env",
      "Change the rule…",
      "Deny",
    ]);
    expect(await answer(agent, question, { value: "Allow for this session: read .env" })).toMatchObject({
      text: "token=hidden\n",
    });
    expect(await callUnasked(agent, model, "read", { path: ".env" })).toMatchObject({ isAsked: false });
    await asked(agent, "read", { path: "keys/id_rsa" });
  });

  it("needs no approval for files that the prompt tells the model to read: skills, instructions, and the rest of a long output", async () => {
    const agentDir = mkdtempSync(join(elsewhere, "../agent-"));
    cleanups.push(() => rmSync(agentDir, { recursive: true, force: true }));
    writeFiles(agentDir, {
      "AGENTS.md": "Be brief.",
      "skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDF.\n---\nSee forms.md",
      "skills/pdf/forms.md": "Forms",
      "auth.json": "{}",
    });
    const agent = start({ agentDir });
    for (const path of ["skills/pdf/SKILL.md", "skills/pdf/forms.md", "AGENTS.md"]) {
      const read = await callUnasked(agent, model, "read", { path: join(agentDir, path) });
      expect([path, read.isAsked, read.isError]).toEqual([path, false, false]);
    }
    expect(await asked(agent, "read", { path: join(agentDir, "auth.json") })).toContain("reads outside the workspace");
    const { text } = await callUnasked(agent, model, "bash", { command: "seq 1 20000" });
    const [, path = ""] = /Full output: (\S+?)[\]\s]/.exec(String(text)) ?? [];
    expect(path).not.toBe("");
    expect(await callUnasked(agent, model, "read", { path })).toMatchObject({ isAsked: false, isError: false });
  });

  it("by a host tool asks, too, when the tool declares which files it reads", async () => {
    const agent = start();
    const show = { name: "show", description: "Shows.", parameters: { type: "object" }, readOnly: true };
    const paths = [{ argument: "path", access: "read" }];
    await agent.call("set_host_tools", { tools: [{ ...show, paths }] });
    expect(await asked(agent, "show", { path: ".env" })).toContain("reads a file that may hold secrets: .env");
    expect(await asked(agent, "show", { path: "/etc/passwd" })).toContain("reads outside the workspace: /etc/passwd");
  });
});

describe("a search of the workspace", () => {
  const withoutRipgrep = { PATH: "" };

  it.each([
    ["ripgrep or what there is", {}],
    ["no ripgrep", withoutRipgrep],
  ])("leaves out possible secrets and says so, with %s", async (_what, env) => {
    const agent = start({ env });
    const found = await callUnasked(agent, model, "grep", { pattern: "token" });
    expect(found).toEqual({
      isAsked: false,
      isError: false,
      text: [
        ".env.example:1: token=",
        "data/users.sqlite:1: token",
        "src/a.ts:1: const token = 1;",
        "",
        "[3 files were left out, because they may hold secrets. Search each by its path]",
      ].join("\n"),
    });
  });

  it("gives the same answer whether or not such a file has a match", async () => {
    const agent = start();
    for (const pattern of ["hidden", "nowhere"]) {
      expect(await callUnasked(agent, model, "grep", { pattern })).toMatchObject({
        text: "No matches found\n\n[3 files were left out, because they may hold secrets. Search each by its path]",
      });
    }
    expect(await callUnasked(agent, model, "grep", { pattern: "token", path: ".aws" })).toMatchObject({
      text: "No matches found\n\n[1 file was left out, because they may hold secrets. Search each by its path]",
    });
    expect(await callUnasked(agent, model, "grep", { pattern: "hidden", glob: "*.ts" })).toMatchObject({
      text: "No matches found",
    });
  });
});

describe("a rule that forbids reading", () => {
  it.each(["", "confirm", "auto-edit", "readonly"])(
    "applies in the mode %j to all tools, without a question",
    async (mode) => {
      const agent = start({ mode, args: ["--deny-read", "*.sqlite"] });
      const show = { name: "show", description: "Shows.", parameters: { type: "object" }, readOnly: true };
      const paths = [{ argument: "path", access: "read" }];
      await agent.call("set_host_tools", { tools: [{ ...show, paths }] });
      const text = "Blocked: a rule forbids reading it: data/users.sqlite";
      const path = "data/users.sqlite";
      for (const tool of ["read", "grep", "show"]) {
        const call = await callUnasked(agent, model, tool, { path, pattern: "x" });
        expect([tool, call]).toEqual([tool, { isAsked: false, isError: true, text }]);
      }
      if (mode !== "readonly") {
        const command = "cat data/users.sqlite";
        expect(await callUnasked(agent, model, "bash", { command })).toEqual({ isAsked: false, isError: true, text });
      }
      const found = await callUnasked(agent, model, "grep", { pattern: "token" });
      expect(found.text).not.toContain("sqlite");
      expect(await callUnasked(agent, model, "read", { path: "src/a.ts" })).toMatchObject({ isError: false });
    },
  );

  it("comes from settings of the user and the project, and stops moves and edits that would expose the file", async () => {
    const agentDir = mkdtempSync(join(tmpdir(), "tiller-agent-"));
    cleanups.push(() => rmSync(agentDir, { recursive: true, force: true }));
    writeFiles(agentDir, { "settings.json": JSON.stringify({ denyRead: ["*.sqlite"] }) });
    writeFiles(cwd, { ".tiller/settings.json": JSON.stringify({ denyRead: ["src/**"] }) });
    const agent = start({ mode: "auto", agentDir });
    const tool = { name: "move", description: "Moves.", parameters: { type: "object" } };
    const paths = [{ argument: "path", access: "move" }];
    await agent.call("set_host_tools", { tools: [{ ...tool, paths }] });
    for (const [name, args] of [
      ["read", { path: "src/a.ts" }],
      ["edit", { path: "src/a.ts", edits: [{ oldText: "const", newText: "let" }] }],
      ["move", { path: "data/users.sqlite" }],
    ] as const) {
      const call = await callUnasked(agent, model, name, args);
      expect([name, call.isAsked, String(call.text)]).toEqual([
        name,
        false,
        expect.stringMatching(/^Blocked: a rule forbids reading it: /),
      ]);
    }
    model.enqueue(reply([toolCall("bash", { command: "echo fine" })], { stopReason: "tool_use" }), reply("ok"));
    expect(outcome(await agent.run("go"))).toMatchObject({ isError: false });
  });
});
