import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { mcpFixture, outcomeText } from "../support/mcp-fixtures.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

const ROOT = join(import.meta.dirname, "../..");
const EXTENSION = `interface Call { name: string }
export default (pi: any) => pi.registerCommand("hello", {
  handler: async (args: string, ctx: any) => ctx.ui.notify(\`hello \${(JSON.parse(args) as Call).name}\`),
});
`;

let folder: string;
let program: string;
/** Starts the program as a script of Node, as the tests start agents. */
let script: string;
let model: ScriptedModel;
const agents: AgentUnderTest[] = [];

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(ROOT, "scripts/run.mjs"), "binary"], { cwd: ROOT });
  program = join(ROOT, `dist/binary/tiller-linux-${process.arch}`);
  folder = mkdtempSync(join(tmpdir(), "tiller-one-file-"));
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const name of ["bash", "sh", "cat"]) {
    symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(bin, name));
  }
  script = join(folder, "agent.mjs");
  writeFileSync(
    script,
    `process.execve(${JSON.stringify(program)}, [${JSON.stringify(program)}, ...process.argv.slice(2)], process.env);\n`,
  );
  model = await ScriptedModel.start();
});

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.dispose();
});

afterAll(async () => {
  await model.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts it where no Node is found. */
function start(home: string, { args = ["--no-session"], agentDir = join(folder, "agent") } = {}): AgentUnderTest {
  mkdirSync(agentDir, { recursive: true });
  const env = { HOME: home, PATH: join(folder, "bin") };
  const agent = new AgentUnderTest({ modelUrl: model.url, env, args, agentDir, program: script });
  agents.push(agent);
  return agent;
}

function makeHome(name: string): string {
  const home = join(folder, name);
  mkdirSync(home);
  return home;
}

describe("the agent as one file", () => {
  it("unpacks its files once, also when several begin at the same time", async () => {
    const home = makeHome("home");
    const agents = [1, 2, 3].map(() => start(home));
    for (const agent of agents) await agent.call("get_state");
    const [only, ...others] = readdirSync(join(home, ".cache/tiller/programs"));
    expect(only).toMatch(/^\d+\.\d+\.\d+-[0-9a-f]{16}$/);
    expect(others).toEqual([]);
  });

  it("starts although it can't tidy up", async () => {
    const home = makeHome("untidy");
    await start(home).call("get_state");
    const place = join(home, ".cache/tiller/programs");
    const [id = ""] = readdirSync(place);
    symlinkSync("nowhere", join(place, "gone"));
    const longAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
    utimesSync(join(place, id), longAgo, longAgo);
    expect(await start(home).call("get_state")).toMatchObject({ isStreaming: false });
  });

  it("runs tools, extensions in TypeScript, and MCP servers, and opens its sessions again", async () => {
    const home = makeHome("user");
    const agentDir = join(folder, "own");
    mkdirSync(join(agentDir, "extensions"), { recursive: true });
    writeFileSync(join(agentDir, "extensions/hello.ts"), EXTENSION);
    const fix = { command: process.execPath, args: [mcpFixture("stdio-server.mjs")] };
    writeFileSync(join(agentDir, "mcp.json"), JSON.stringify({ mcpServers: { fix } }));
    const agent = start(home, { args: ["--tools", "bash,grep,mcp__fix__echo"], agentDir });
    writeFileSync(join(agent.cwd, "a.txt"), "needle\n");
    const calls = [
      toolCall("bash", { command: "cat a.txt" }),
      toolCall("grep", { pattern: "needle" }),
      toolCall("mcp__fix__echo", { text: "hi" }),
    ];
    for (const [index, text] of ["needle", "a.txt:1: needle", "echo: hi"].entries()) {
      const call = calls[index];
      if (call === undefined) throw new Error("There is one call for each text.");
      model.enqueue(reply([call]), reply("ok"));
      expect(outcomeText(await agent.run("go"))).toContain(text);
    }
    await agent.call("prompt", { message: '/hello {"name":"Ada"}' });
    expect(agent.frames).toContainEqual(expect.objectContaining({ method: "notify", message: "hello Ada" }));
    const { sessionFile, messageCount } = await agent.call("get_state");
    await agent.end();
    const again = start(home, { args: ["--session", String(sessionFile)], agentDir });
    expect(await again.call("get_state")).toMatchObject({ sessionFile, messageCount });
  });

  it("never keeps or looks for its files in the working folder", async () => {
    const agent = start("");
    await agent.call("get_state");
    expect(existsSync(join(agent.cwd, ".cache"))).toBe(false);
  });

  it("hides its keys from what it starts, as an agent of Node does", async () => {
    const agent = start(makeHome("hidden"));
    model.enqueue(reply([toolCall("bash", { command: `cat /proc/${agent.child.pid}/environ` })]), reply("ok"));
    expect(outcomeText(await agent.run("go"))).not.toContain("test-key");
  });

  it("says what to do if it has no place for its files", async () => {
    const home = join(folder, "no-folder");
    writeFileSync(home, "");
    const agent = start(home);
    expect((await agent.exited).code).toBe(1);
    expect(agent.stderr).toContain("Set HOME to a folder that can be written, and try again.");
    expect(agent.stderr).not.toMatch(/^\s+at /m);
  });
});
