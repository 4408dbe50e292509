import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeFiles } from "../support/extension-files.ts";
import { McpBench, outcomeText, stdioServer, toolNames } from "../support/mcp-fixtures.ts";
import { reply } from "../support/scripted-replies.ts";
import { type AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

/** How our own host starts an agent in a trusted workspace. */
const OWN_HOST = ["--approve", "--permission-mode", "auto"];

let bench: McpBench;

beforeEach(async () => {
  bench = await McpBench.open();
});

afterEach(() => bench.close());

const isQuestion = ({ method, title }: Frame) =>
  method === "select" && String(title).startsWith("Allow this project's ");
const questions = (agent: AgentUnderTest) => agent.frames.filter(isQuestion).map(({ title }) => String(title));
const question = (agent: AgentUnderTest, from = 0) => agent.waitFor(isQuestion, from);
const answer = (agent: AgentUnderTest, { id }: Frame, value: string) =>
  agent.send({ type: "extension_ui_response", id, value });

async function prompt(agent: AgentUnderTest): Promise<void> {
  bench.model.enqueue(reply("ok"));
  await agent.run("go");
}

const lastTools = () => toolNames(bench.model, bench.model.requests.length - 1);
const isStarted = () => bench.log().some((line) => line.startsWith("start "));
const mcpFile = (args: readonly string[] = [], env: Record<string, string> = {}) =>
  JSON.stringify({ mcpServers: { fix: stdioServer(env, args) } });

describe("an MCP server of a project", () => {
  it("is asked about without delaying the prompt, runs once it is allowed, and is not asked about again", async () => {
    const agent = bench.start({ project: { ".mcp.json": mcpFile(["--port", "a b"]) }, args: OWN_HOST });
    await prompt(agent);
    const asked = await question(agent);
    expect(isStarted()).toBe(false);
    expect(lastTools()).not.toContain("mcp__fix__echo");
    expect(String(asked.title)).toContain('Allow this project\'s MCP server "fix"?\nRuns with your permissions: ');
    expect(String(asked.title)).toContain('stdio-server.mjs --port "a b"');
    expect(asked.options).toEqual(["Allow", "Don't Allow"]);
    expect(asked.consent).toEqual({ kind: "mcp", name: "fix" });
    answer(agent, asked, "Allow");
    await expect.poll(() => toolsOf(agent), { timeout: 10_000 }).toContain("mcp__fix__echo");
    expect(outcomeText(await bench.callTool(agent, "mcp__fix__echo", { text: "hi" }))).toBe("echo: hi");
    await agent.end();

    const file = join(agent.agentDir, "consents.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(Object.keys(asRecord(asRecord(JSON.parse(readFileSync(file, "utf8"))).projects))).toEqual([
      realpathSync(agent.cwd),
    ]);
    const next = bench.start({ args: OWN_HOST });
    await prompt(next);
    expect(lastTools()).toContain("mcp__fix__echo");
    expect(questions(next)).toEqual([]);
  });

  it.each([
    ["argument", mcpFile(["--verbose"])],
    ["variable", mcpFile([], { NODE_OPTIONS: "--no-warnings" })],
  ])("is asked about again when its definition has another %s", async (_part, changed) => {
    const agent = bench.start({ project: { ".mcp.json": mcpFile() }, args: OWN_HOST });
    await prompt(agent);
    answer(agent, await question(agent), "Allow");
    await expect.poll(isStarted, { timeout: 10_000 }).toBe(true);
    writeFiles(agent.cwd, { ".mcp.json": changed });
    const from = agent.frames.length;
    await prompt(agent);
    expect(lastTools()).not.toContain("mcp__fix__echo");
    const asked = await question(agent, from);
    expect(String(asked.title)).toContain("It has changed since you last decided.");
  });

  it("is never started when declined, until /trust allows it, and /trust can also take that back", async () => {
    const agent = bench.start({ project: { ".mcp.json": mcpFile() }, args: OWN_HOST });
    await prompt(agent);
    answer(agent, await question(agent), "Don't Allow");
    const notice = await agent.waitFor(({ method }) => method === "notify");
    expect(notice.message).toBe('The MCP server "fix" isn\'t allowed to run. To allow it, run /trust.');
    await agent.end();

    const next = bench.start({ args: OWN_HOST });
    await prompt(next);
    expect(questions(next)).toEqual([]);
    expect(isStarted()).toBe(false);
    const shown = next.request("prompt", { message: "/mcp" });
    const list = await next.waitFor(({ title }) => title === "MCP servers");
    expect(list.options).toEqual(["fix: not allowed (/trust)"]);
    next.send({ type: "extension_ui_response", id: list.id, cancelled: true });
    await shown;
    await decide(next, "Allow");
    await expect.poll(() => toolsOf(next), { timeout: 10_000 }).toContain("mcp__fix__echo");
    expect(outcomeText(await bench.callTool(next, "mcp__fix__echo", { text: "hi" }))).toBe("echo: hi");
    await decide(next, "Don't Allow");
    // It stays declared, so that the provider needn't read the chat anew, but it can't be called.
    const refused = await bench.callTool(next, "mcp__fix__echo", { text: "hi" });
    expect(outcomeText(refused)).toBe("Tool mcp__fix__echo is no longer available. Continue without it.");
    await decide(next, "Allow");
    await expect.poll(() => toolsOf(next), { timeout: 5_000 }).toContain("mcp__fix__echo");
  });

  it("can be allowed later when it was declined beside an allowed one", async () => {
    const servers = { one: stdioServer(), two: stdioServer() };
    const agent = bench.start({ project: { ".mcp.json": JSON.stringify({ mcpServers: servers }) }, args: OWN_HOST });
    await prompt(agent);
    const asked = await question(agent);
    const from = agent.frames.indexOf(asked) + 1;
    answer(agent, asked, "Don't Allow");
    answer(agent, await question(agent, from), "Allow");
    await expect.poll(() => toolsOf(agent), { timeout: 5_000 }).toContain("mcp__two__echo");
    await decide(agent, "Allow");
    await expect.poll(() => toolsOf(agent), { timeout: 5_000 }).toContain("mcp__one__echo");
  });

  it("leaves its name to the user's own server while it is declined", async () => {
    const ownLog = join(bench.folder, "own.log");
    const agent = bench.start({
      servers: { fix: stdioServer({ FIXTURE_LOG: ownLog }) },
      project: { ".mcp.json": mcpFile() },
      args: OWN_HOST,
    });
    await prompt(agent);
    expect(lastTools()).not.toContain("mcp__fix__echo");
    answer(agent, await question(agent), "Don't Allow");
    await agent.waitFor(({ method }) => method === "notify");
    await prompt(agent);
    expect(lastTools()).toContain("mcp__fix__echo");
    await agent.end();

    const next = bench.start({ args: OWN_HOST });
    await prompt(next);
    expect(lastTools()).toContain("mcp__fix__echo");
    expect([existsSync(ownLog), isStarted()]).toEqual([true, false]);
    expect(next.stderr).not.toContain("an earlier file has one");
    await decide(next, "Allow");
    await prompt(next);
    expect([isStarted(), lastTools().includes("mcp__fix__echo")]).toEqual([true, true]);
    await next.end();
    expect(next.stderr).toContain('server "fix" is ignored because an earlier file has one with the same name.');
  });

  it("is not started, and delays nothing, until the user answers", async () => {
    const agent = bench.start({ project: { ".mcp.json": mcpFile() }, args: OWN_HOST });
    await prompt(agent);
    await prompt(agent);
    expect(questions(agent)).toHaveLength(1);
    expect(isStarted()).toBe(false);
    expect((await agent.end()).code).toBe(0);
    expect(existsSync(join(agent.agentDir, "consents.json"))).toBe(false);
  });

  it("runs without a question in a trusted project for a host that names no mode, unless it was declined", async () => {
    const agent = bench.start({ project: { ".mcp.json": mcpFile() }, args: ["--approve"] });
    await prompt(agent);
    expect(lastTools()).toContain("mcp__fix__echo");
    expect(questions(agent)).toEqual([]);
    await decide(agent, "Don't Allow");
    await agent.end();
    const next = bench.start({ args: ["--approve"] });
    await prompt(next);
    expect(lastTools()).not.toContain("mcp__fix__echo");
    await next.end();
    expect(next.stderr).toContain('The MCP server "fix" isn\'t allowed to run. To allow it, run /trust.');
  });

  it("is asked about when the host enforces a mode later", async () => {
    const agent = bench.start({ project: { ".mcp.json": mcpFile() }, args: ["--approve"] });
    await agent.call("set_permission_mode", { mode: "confirm", enforce: true });
    await prompt(agent);
    await question(agent);
    expect(isStarted()).toBe(false);
  });

  it("cannot imitate one of our questions in its definition", async () => {
    const servers = {
      "x\nRuns with your permissions: ls": { command: "evil", args: ["\u001b[2J\u202Etxt", "x".repeat(5000)] },
    };
    const agent = bench.start({ project: { ".mcp.json": JSON.stringify({ mcpServers: servers }) }, args: OWN_HOST });
    await prompt(agent);
    const lines = String((await question(agent)).title).split("\n");
    expect(lines.filter((line) => line.startsWith("Runs with your permissions: "))).toHaveLength(1);
    for (const hidden of ["\u001b", "\u202E"]) expect(lines.join("")).not.toContain(hidden);
    expect(lines[1]).toMatch(/… \(\d+ more characters\)$/);
  });
});

it("an MCP server of the user needs no consent", async () => {
  const agent = bench.start({ servers: { fix: stdioServer() }, args: OWN_HOST });
  await prompt(agent);
  expect(lastTools()).toContain("mcp__fix__echo");
  expect(questions(agent)).toEqual([]);
});

describe("an extension of a project", () => {
  const registers = (name: string) => `export default (pi) => pi.registerCommand("${name}", { handler: () => {} });`;
  const ENTRY = ".tiller/extensions/one.ts";

  it("is asked about, loaded once it is allowed, and not asked about again", async () => {
    const agent = bench.start({ project: { [ENTRY]: registers("one") }, args: OWN_HOST });
    const asked = await question(agent);
    expect(String(asked.title)).toBe(
      `Allow this project's extension "${ENTRY}"?\nRuns with your permissions: ${join(realpathSync(agent.cwd), ENTRY)}`,
    );
    expect(await commandsOf(agent)).toEqual([]);
    answer(agent, asked, "Allow");
    await expect.poll(() => commandsOf(agent), { timeout: 10_000 }).toEqual(["one"]);
    await agent.end();
    const next = bench.start({ args: OWN_HOST });
    expect(await commandsOf(next)).toEqual(["one"]);
    expect(questions(next)).toEqual([]);
  });

  it.each([
    ["its own file", { [ENTRY]: `${registers("one")} // pulled` }],
    ["a file that it imports", { "src/deep.js": "export const deep = 2;" }],
  ])("is asked about again after a pull that changes %s", async (_what, pulled) => {
    const project = {
      [ENTRY]: `import { near } from "../../src/near.ts";\nnear();\n${registers("one")}`,
      "src/near.ts": `import { deep } from "./deep";\nexport const near = () => deep;`,
      "src/deep.js": "export const deep = 1;",
      "src/other.ts": "export {};",
    };
    const first = bench.start({ project, args: OWN_HOST });
    answer(first, await question(first), "Allow");
    await expect.poll(() => commandsOf(first), { timeout: 10_000 }).toEqual(["one"]);
    await first.end();
    writeFiles(first.cwd, { "src/other.ts": "export const unrelated = 1;" });
    const second = bench.start({ args: OWN_HOST });
    expect(await commandsOf(second)).toEqual(["one"]);
    await second.end();
    writeFiles(first.cwd, pulled);
    const third = bench.start({ args: OWN_HOST });
    expect(String((await question(third)).title)).toContain("It has changed since you last decided.");
    expect(await commandsOf(third)).toEqual([]);
  });

  it("in its own folder is asked about again when any file there changes", async () => {
    const project = { ".pi/extensions/big/index.ts": registers("big"), ".pi/extensions/big/data/list.txt": "one" };
    const first = bench.start({ project, args: OWN_HOST });
    answer(first, await question(first), "Allow");
    await expect.poll(() => commandsOf(first), { timeout: 10_000 }).toEqual(["big"]);
    await first.end();
    writeFiles(first.cwd, { ".pi/extensions/big/data/list.txt": "two" });
    const second = bench.start({ args: OWN_HOST });
    expect(String((await question(second)).title)).toContain("It has changed");
  });

  it("with too many files to compare is asked about at each start", async () => {
    const data = Array.from({ length: 600 }, (_, at) => [`.pi/extensions/big/data/${at}.txt`, "x"]);
    const project = { ".pi/extensions/big/index.ts": registers("big"), ...Object.fromEntries(data) };
    const first = bench.start({ project, args: OWN_HOST });
    const asked = await question(first);
    expect(String(asked.title)).toContain("It has too many files to remember your answer.");
    answer(first, asked, "Allow");
    await expect.poll(() => commandsOf(first), { timeout: 10_000 }).toEqual(["big"]);
    await first.end();
    const second = bench.start({ args: OWN_HOST });
    await question(second);
    expect(await commandsOf(second)).toEqual([]);
  });

  it("stays out when declined, but the user can name it on the command line", async () => {
    const agent = bench.start({ project: { [ENTRY]: registers("one") }, args: OWN_HOST });
    answer(agent, await question(agent), "Don't Allow");
    await agent.waitFor(({ method }) => method === "notify");
    await agent.end();
    const next = bench.start({ args: OWN_HOST });
    expect(await commandsOf(next)).toEqual([]);
    expect(questions(next)).toEqual([]);
    await next.end();
    expect(await commandsOf(bench.start({ args: [...OWN_HOST, "-e", ENTRY] }))).toEqual(["one"]);
  });

  it("is loaded and removed by /trust, without a restart", async () => {
    const agent = bench.start({ project: { [ENTRY]: registers("one") }, args: OWN_HOST });
    answer(agent, await question(agent), "Don't Allow");
    await agent.waitFor(({ method }) => method === "notify");
    await decide(agent, "Allow");
    await expect.poll(() => commandsOf(agent), { timeout: 5_000 }).toEqual(["one"]);
    await decide(agent, "Don't Allow");
    await expect.poll(() => commandsOf(agent), { timeout: 5_000 }).toEqual([]);
  });

  it("is asked about one at a time when there are several", async () => {
    const project = { [ENTRY]: registers("one"), ".tiller/extensions/two.ts": registers("two") };
    const agent = bench.start({ project, args: OWN_HOST });
    const asked = await question(agent);
    expect(questions(agent)).toHaveLength(1);
    const from = agent.frames.indexOf(asked) + 1;
    answer(agent, asked, "Don't Allow");
    answer(agent, await question(agent, from), "Allow");
    await expect.poll(() => commandsOf(agent), { timeout: 10_000 }).toEqual(["two"]);
  });

  it("that changes during a question about a server is loaded once it is allowed", async () => {
    const again = `export default (pi) => pi.registerCommand("again", { handler: (_args, ctx) => ctx.reload() });`;
    const project = { [ENTRY]: registers("one"), ".mcp.json": mcpFile() };
    const agentFiles = { "again.ts": again };
    const first = bench.start({ project, args: OWN_HOST });
    answer(first, await question(first), "Allow");
    await expect.poll(() => commandsOf(first), { timeout: 5_000 }).toEqual(["one"]);
    writeFiles(join(first.agentDir, "extensions"), agentFiles);
    await first.end();
    const agent = bench.start({ args: OWN_HOST });
    await prompt(agent);
    const server = await question(agent);
    writeFiles(agent.cwd, { [ENTRY]: registers("two") });
    const from = agent.frames.length;
    await agent.call("prompt", { message: "/again" });
    answer(agent, server, "Don't Allow");
    answer(agent, await question(agent, from), "Allow");
    await expect.poll(() => commandsOf(agent), { timeout: 5_000 }).toEqual(["again", "two"]);
  });

  it("runs without a question in a trusted project for a host that names no mode", async () => {
    const agent = bench.start({ project: { [ENTRY]: registers("one") }, args: ["--approve"] });
    expect(await commandsOf(agent)).toEqual(["one"]);
    expect(questions(agent)).toEqual([]);
  });
});

/** Names of the tools that the model would be told of now. */
async function toolsOf(agent: AgentUnderTest): Promise<unknown[]> {
  const { dumpTools } = await agent.call("get_state");
  return Array.isArray(dumpTools) ? dumpTools.map((tool) => asRecord(tool).name) : [];
}

/** Names of the commands that extensions with a file have. */
async function commandsOf(agent: AgentUnderTest): Promise<unknown[]> {
  const { commands } = await agent.call("get_commands");
  if (!Array.isArray(commands)) return [];
  return commands.map(asRecord).flatMap(({ name, path }) => (path === undefined ? [] : [name]));
}

/** Changes the decision about the first entry of /trust. */
async function decide(agent: AgentUnderTest, choice: string): Promise<void> {
  const select = async (from: number, pick: (frame: Frame) => string | undefined) => {
    const asked = await agent.waitFor(({ method }) => method === "select", from);
    const value = pick(asked);
    agent.send({
      type: "extension_ui_response",
      id: asked.id,
      ...(value === undefined ? { cancelled: true } : { value }),
    });
    return agent.frames.indexOf(asked) + 1;
  };
  const running = agent.request("prompt", { message: "/trust" });
  const list = await select(agent.frames.length, ({ options }) => (Array.isArray(options) ? String(options[0]) : ""));
  const chosen = await select(list, () => choice);
  await select(chosen, () => undefined);
  await running;
}
