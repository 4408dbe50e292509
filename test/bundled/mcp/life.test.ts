import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeFiles } from "../../support/extension-files.ts";
import { McpBench, mcpFixture, outcome, outcomeText, stdioServer, toolNames } from "../../support/mcp-fixtures.ts";
import { isRunning } from "../../support/process-state.ts";
import { reply } from "../../support/scripted-replies.ts";
import { AGENT_NODE, type AgentUnderTest, asRecord } from "../../support/spawn-agent.ts";

const DEADLINE = { timeout: 15_000 };

let bench: McpBench;

beforeEach(async () => {
  bench = await McpBench.open();
});

afterEach(() => bench.close());

/** Process ids of the fixture servers that were started, in order. */
function startedPids(): number[] {
  return bench.log().flatMap((line) => (line.startsWith("start ") ? [Number(line.slice("start ".length))] : []));
}

function errorsOf(agent: AgentUnderTest): unknown[] {
  return agent.frames.filter(({ type }) => type === "extension_error").map(({ error }) => error);
}

/** Ids of a server and of a process that it started. */
async function breed(agent: AgentUnderTest): Promise<{ server: number; child: number }> {
  const ids = asRecord(JSON.parse(outcomeText(await bench.callTool(agent, "mcp__fix__breed"))));
  return { server: Number(ids.server), child: Number(ids.child) };
}

describe("the start of MCP servers", () => {
  it("waits for the first prompt", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    await agent.call("get_state");
    await agent.end();
    expect(startedPids()).toEqual([]);
  });

  it("loads no code when no file names a server", async () => {
    const coverage = join(bench.folder, "coverage");
    const agent = bench.start({ env: { NODE_V8_COVERAGE: coverage } });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    await agent.end();
    const loaded = readdirSync(coverage).flatMap((name) => scriptsIn(join(coverage, name)));
    expect(loaded.some((path) => path.endsWith("/dist/agent/cli.js"))).toBe(true);
    const client = loaded.filter((path) => readFileSync(path, "utf8").includes("mcp-session-id"));
    expect(client).toEqual([]);
  });

  it("loads the client when a file names a server", async () => {
    const coverage = join(bench.folder, "coverage");
    const agent = bench.start({ servers: { fix: stdioServer() }, env: { NODE_V8_COVERAGE: coverage } });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    await agent.end();
    const loaded = readdirSync(coverage).flatMap((name) => scriptsIn(join(coverage, name)));
    expect(loaded.filter((path) => path.includes("/dist/agent/chunks/mcp-servers-"))).toHaveLength(1);
  });

  it("notices added and removed servers during a session, even in the first file", async () => {
    const agent = bench.start({ args: ["--approve"] });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    const write = (servers: object) => writeFiles(agent.cwd, { ".vscode/mcp.json": JSON.stringify({ servers }) });
    write({ fix: stdioServer() });
    expect(outcomeText(await bench.callTool(agent, "mcp__fix__echo", { text: "hi" }))).toBe("echo: hi");
    write({ fix: stdioServer(), second: stdioServer({ NAME: "second" }) });
    expect(outcomeText(await bench.callTool(agent, "mcp__second__echo", { text: "you" }))).toBe("echo: you");
    const [first = 0, second = 0] = startedPids();
    write({ second: stdioServer({ NAME: "second" }) });
    // Its tools stay declared, since the provider would read everything anew without them, but can't be called.
    const gone = await bench.callTool(agent, "mcp__fix__echo", { text: "hi" });
    expect(outcomeText(gone)).toBe("Tool mcp__fix__echo is no longer available. Continue without it.");
    expect(toolNames(bench.model, bench.model.requests.length - 1)).toContain("mcp__second__echo");
    expect([startedPids(), isRunning(first), isRunning(second)]).toEqual([[first, second], false, true]);
    const { commands } = await agent.call("get_commands");
    expect(JSON.stringify(commands)).toContain('"mcp"');
  });

  it("reports a server that cannot be started, and the others work", async () => {
    const agent = bench.start({
      servers: {
        none: { command: "no-such-program" },
        exits: { command: AGENT_NODE, args: [mcpFixture("exits.mjs")] },
        fix: stdioServer(),
      },
    });
    const frames = await bench.callTool(agent, "mcp__fix__echo", { text: "hi" });
    expect(outcomeText(frames)).toBe("echo: hi");
    const file = join(agent.agentDir, "mcp.json");
    expect(errorsOf(agent).sort()).toEqual([
      `MCP server "exits" (${file}) is not running: it has ended (exit code 7).`,
      `MCP server "none" (${file}) is not running: no-such-program couldn't be started: spawn no-such-program ENOENT`,
    ]);
    await agent.end();
    expect(agent.stderr).toContain("[mcp exits] no licence");
  });

  it("gives up on a silent server and leaves no process of it", async () => {
    const agent = bench.start({
      servers: { hang: { command: AGENT_NODE, args: [mcpFixture("hang.mjs"), bench.folder] } },
      settings: { mcp: { startTimeoutMs: 300 } },
    });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    expect(errorsOf(agent)).toEqual([
      `MCP server "hang" (${join(agent.agentDir, "mcp.json")}) is not running: it didn't respond within 0.3 seconds.`,
    ]);
    expect(processesWith(bench.folder)).toEqual([]);
  });

  it("delays a prompt no longer than the setting says", async () => {
    const agent = bench.start({
      servers: {
        hang: { command: AGENT_NODE, args: [mcpFixture("hang.mjs"), bench.folder] },
        fix: stdioServer(),
      },
      settings: { mcp: { waitMs: 2000 } },
    });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    expect(toolNames(bench.model, 0)).toContain("mcp__fix__echo");
    expect(errorsOf(agent)).toEqual([]);
    await agent.end();
    expect(processesWith(bench.folder)).toEqual([]);
  });

  it("lets a late server join", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() }, settings: { mcp: { waitMs: 0 } } });
    bench.model.enqueue(reply("one"));
    await agent.run("hi");
    expect(toolNames(bench.model, 0)).not.toContain("mcp__fix__echo");
    const named = async () => (await agent.call("get_state")).dumpTools;
    await expect.poll(async () => JSON.stringify(await named()), DEADLINE).toContain("mcp__fix__echo");
  });
});

describe("a prompt that waits for servers", () => {
  it("can be aborted, and the next one does not wait again", async () => {
    const agent = bench.start({
      servers: { hang: { command: AGENT_NODE, args: [mcpFixture("hang.mjs"), bench.folder] } },
      settings: { mcp: { waitMs: 600_000 } },
    });
    await agent.call("prompt", { message: "one" });
    await expect.poll(() => processesWith(bench.folder), DEADLINE).toHaveLength(1);
    await agent.call("abort");
    await agent.settled();
    bench.model.enqueue(reply("hello"));
    await agent.run("two");
    expect(bench.model.requests).toHaveLength(1);
  });
});

describe("the output of an MCP server", () => {
  it("does no harm when it is not a message", async () => {
    const agent = bench.start({ servers: { fix: stdioServer({ FIXTURE_GARBAGE: "1" }) } });
    expect(outcomeText(await bench.callTool(agent, "mcp__fix__echo", { text: "hi" }))).toBe("echo: hi");
    await agent.end();
    expect(agent.stderr).toContain("[mcp fix] wrote something to stdout that isn't a message: Listening…");
  });

  it("ends the server when a message never ends", async () => {
    const agent = bench.start({
      servers: { odd: { command: AGENT_NODE, args: [mcpFixture("odd-server.mjs")] } },
    });
    expect(outcomeText(await bench.callTool(agent, "mcp__odd__endless"))).toBe(
      'MCP server "odd" has been ended because it wrote a message of more than 33554432 bytes before it answered.',
    );
  });

  it("on stderr is passed on with its name, up to a limit", async () => {
    const agent = bench.start({ servers: { fix: stdioServer({ FIXTURE_STDERR: "5000" }) } });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    await agent.end();
    expect(agent.stderr).toContain("[mcp fix] line 0\n[mcp fix] line 1\n");
    expect(agent.stderr).not.toContain("line 50\n");
    expect(agent.stderr).toContain("[mcp fix] (4950 more lines left out)");
  });
});

describe("an MCP server that crashes", () => {
  it("fails the call, is restarted once, and is reported after the second crash", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    const first = await bench.callTool(agent, "mcp__fix__die");
    expect(outcomeText(first)).toBe('MCP server "fix" has ended (exit code 3) before it answered.');
    expect(outcomeText(await bench.callTool(agent, "mcp__fix__echo", { text: "back" }))).toBe("echo: back");
    expect(startedPids()).toHaveLength(2);
    await bench.callTool(agent, "mcp__fix__die");
    const file = join(agent.agentDir, "mcp.json");
    const text = `MCP server "fix" (${file}) is not running: it has ended (exit code 3) a second time.`;
    await agent.waitFor(({ type, error }) => type === "extension_error" && error === text);
    expect(agent.frames.find(({ method }) => method === "notify")).toMatchObject({
      message: `${text} To restart it, run /mcp.`,
      notifyType: "error",
    });
    const after = await bench.callTool(agent, "mcp__fix__echo", { text: "gone" });
    expect(outcome(after)).toEqual({
      isError: true,
      content: [{ type: "text", text: 'MCP server "fix" isn\'t running. To restart it, run /mcp.' }],
    });
    expect(startedPids()).toHaveLength(2);
  });

  it("takes its child processes with it", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    const { child } = await breed(agent);
    await bench.callTool(agent, "mcp__fix__die");
    await expect.poll(() => isRunning(child), DEADLINE).toBe(false);
  });
});

describe("the end of the agent", () => {
  it("leaves no process of a server", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    const { server, child } = await breed(agent);
    expect([isRunning(server), isRunning(child)]).toEqual([true, true]);
    await agent.end();
    expect([isRunning(server), isRunning(child)]).toEqual([false, false]);
  });

  it("leaves no process of a server when it is sudden", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    const { server, child } = await breed(agent);
    agent.child.kill("SIGTERM");
    agent.child.kill("SIGTERM");
    await agent.exited;
    await expect.poll(() => [isRunning(server), isRunning(child)], DEADLINE).toEqual([false, false]);
  });

  it("can come while servers are still starting", async () => {
    const agent = bench.start({
      servers: { hang: { command: AGENT_NODE, args: [mcpFixture("hang.mjs"), bench.folder] } },
    });
    await agent.call("prompt", { message: "hi" });
    await expect.poll(() => processesWith(bench.folder), DEADLINE).toHaveLength(1);
    await agent.end();
    expect(processesWith(bench.folder)).toEqual([]);
  });
});

it("another session continues with the same MCP servers", async () => {
  const agent = bench.start({ servers: { fix: stdioServer() } });
  await bench.callTool(agent, "mcp__fix__echo", { text: "one" });
  await agent.call("new_session");
  expect(outcomeText(await bench.callTool(agent, "mcp__fix__echo", { text: "two" }))).toBe("echo: two");
  expect(startedPids()).toHaveLength(1);
});

it("a reload reads the files that name MCP servers again", async () => {
  const again = `export default (pi) => pi.registerCommand("again", { handler: (_args, ctx) => ctx.reload() });`;
  const agent = bench.start({
    servers: { one: stdioServer({ FIXTURE_TOOLS: "echo" }), both: stdioServer({ FIXTURE_TOOLS: "echo" }) },
    project: { "again.ts": again },
    args: ["-e", "again.ts"],
  });
  await bench.callTool(agent, "mcp__one__echo", { text: "one" });
  writeFiles(agent.agentDir, { "mcp.json": JSON.stringify({ mcpServers: { both: stdioServer() } }) });
  await agent.call("prompt", { message: "/again" });
  expect(startedPids().filter(isRunning)).toEqual([]);
  expect(outcomeText(await bench.callTool(agent, "mcp__both__echo", { text: "both" }))).toBe("echo: both");
  expect(toolNames(bench.model, 2)).not.toContain("mcp__one__echo");
  expect(errorsOf(agent)).toEqual([]);
});

/** Ids of living processes with this word on their command line; it is not the agent's own, whose folder is its environment's. */
function processesWith(word: string): string[] {
  return readdirSync("/proc").filter(
    (name) => /^\d+$/.test(name) && commandLine(name).includes(word) && isRunning(Number(name)),
  );
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return ""; // it has ended meanwhile
  }
}

function scriptsIn(coverageFile: string): string[] {
  const { result } = asRecord(JSON.parse(readFileSync(coverageFile, "utf8")));
  const urls = Array.isArray(result) ? result.map((script) => String(asRecord(script).url)) : [];
  return urls.filter((url) => url.startsWith("file://")).map((url) => fileURLToPath(url));
}
