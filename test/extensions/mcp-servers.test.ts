import { describe, expect, it } from "vitest";
import { extensionBench } from "../support/extension-bench.ts";
import { writeFiles } from "../support/extension-files.ts";
import { mcpFixture, outcomeText, toolNames } from "../support/mcp-fixtures.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import type { AgentUnderTest } from "../support/spawn-agent.ts";
import { AGENT_NODE } from "../support/spawn-agent.ts";

const bench = extensionBench();
const server = (fields = "") =>
  `{ command: process.execPath, args: [${JSON.stringify(mcpFixture("stdio-server.mjs"))}], ${fields} }`;
const command = (name: string, body: string) =>
  `pi.registerCommand("${name}", { handler: async (args, ctx) => { ${body} } });`;

const names = (request: number) => toolNames(bench.model(), request).filter((name) => name.startsWith("mcp__"));
const notices = (agent: AgentUnderTest) =>
  agent.frames.filter(({ method }) => method === "notify").map(({ message }) => message);
const errors = (agent: AgentUnderTest) =>
  agent.frames.filter(({ type }) => type === "extension_error").map(({ error }) => String(error));

describe("an extension", () => {
  it("brings an MCP server, whose tools the model calls", async () => {
    const agent = bench.start(`pi.registerMcpServer("fix", ${server()});`);
    bench.model().enqueue(reply([toolCall("mcp__fix__echo", { text: "hello" })]), reply("ok"));
    expect(outcomeText(await agent.run("go"))).toContain("hello");
  });

  it("brings and ends a server while the agent runs, and hears of it", async () => {
    const agent = bench.start(`
      pi.on("mcp_servers_change", ({ servers }, ctx) => ctx.ui.notify(JSON.stringify(servers.map((one) => one.name))));
      ${command("add", `pi.registerMcpServer("fix", ${server()}); ctx.ui.notify(pi.getMcpServers()[0].extensionPath);`)}
      ${command("drop", `pi.unregisterMcpServer("other"); pi.unregisterMcpServer("fix");`)}`);
    bench.model().enqueue(reply("ok"), reply("ok"), reply("ok"));
    await agent.run("before");
    await agent.call("prompt", { message: "/add" });
    await agent.run("with it");
    await agent.call("prompt", { message: "/drop" });
    await agent.run("after");
    expect(names(0)).toEqual([]);
    expect(names(1)).toContain("mcp__fix__echo");
    // They stay declared, so that the provider needn't read the chat anew.
    expect(names(2)).toEqual(names(1));
    expect(notices(agent)).toEqual([expect.stringMatching(/mine\.ts$/), '["fix"]', "[]"]);
  });

  it("brings a server that starts slowly, and a prompt that waits for it says so", async () => {
    const slow = `{ command: process.execPath, args: [${JSON.stringify(mcpFixture("hang.mjs"))}] }`;
    const agent = bench.start(command("add", `pi.registerMcpServer("slow", ${slow});`), {
      settings: { mcp: { waitMs: 3_000 } },
    });
    bench.model().enqueue(reply("ok"));
    await agent.call("prompt", { message: "/add" });
    const frames = await agent.run("go");
    const waits = frames.filter(({ type }) => type === "run_waiting");
    expect(waits[0]).toMatchObject({ for: "mcp_servers", names: ["slow"] });
    expect(waits.length).toBeGreaterThan(0);
    expect(frames.findIndex(({ type }) => type === "run_waiting")).toBeLessThan(
      frames.findIndex(({ type }) => type === "agent_start"),
    );
  });

  it("says how the model reaches the tools of its server", async () => {
    const agent = bench.start(`
      pi.registerMcpServer("fix", ${server(`exposure: "hidden", toolExposure: { "ec*": "codemode-deferred", echo: "direct" }`)});
      ${command(
        "tell",
        `ctx.ui.notify(pi.getAllTools().filter(({ name }) => name.startsWith("mcp__"))
        .map(({ name, exposure }) => name + " " + exposure).join());`,
      )}`);
    bench.model().enqueue(reply("ok"));
    await agent.run("go");
    expect(names(0)).toEqual(["mcp__fix__echo"]);
    await agent.call("prompt", { message: "/tell" });
    expect(String(notices(agent)[0]).split(",")).toEqual(
      expect.arrayContaining(["mcp__fix__echo direct", expect.stringMatching(/ hidden$/)]),
    );
  });

  it("brings tools that the model has to search for, though there are few", async () => {
    const agent =
      bench.start(`pi.registerMcpServer("fix", ${server(`exposure: "hidden", toolExposure: { echo: "deferred" }`)});
      const tool = (name, exposure) => pi.registerTool({ name, exposure, description: "Waters a plant.", parameters: {},
        execute: () => ({ content: [{ type: "text", text: "watered" }] }) });
      tool("water", "codemode"); tool("prune", "direct");`);
    bench.model().enqueue(reply([toolCall("tool_search", { queries: ["mcp__fix__echo", "water"] })]), reply("ok"));
    await agent.run("go");
    const added = ["water", "prune", "mcp__fix__echo", "tool_search"];
    const told = (request: number) => toolNames(bench.model(), request).filter((name) => added.includes(name));
    expect(told(0).sort()).toEqual(["prune", "tool_search"]);
    expect(told(1).sort()).toEqual([...added].sort());
  });

  it("keeps such tools in sight of the model when the search is off", async () => {
    const tool = `{ name: "water", exposure: "deferred", description: "Waters.", parameters: {}, execute() {} }`;
    const agent = bench.start(`pi.registerTool(${tool});`, { settings: { toolSearch: { mode: "off" } } });
    bench.model().enqueue(reply("ok"));
    await agent.run("go");
    expect(toolNames(bench.model(), 0)).toContain("water");
  });

  it("gives way to a server of a file, and keeps a server that is disabled from starting", async () => {
    const agent = bench.start(`pi.registerMcpServer("mine", { command: "/not/there" });
      pi.registerMcpServer("off", ${server("enabled: false")});`);
    const entry = { command: AGENT_NODE, args: [mcpFixture("stdio-server.mjs")] };
    writeFiles(agent.agentDir, { "mcp.json": JSON.stringify({ mcpServers: { mine: entry } }) });
    bench.model().enqueue(reply("ok"));
    await agent.run("go");
    expect(names(0)).toContain("mcp__mine__echo");
    expect(names(0).filter((name) => name.startsWith("mcp__off"))).toEqual([]);
    expect(errors(agent)).toEqual([]);
  });

  it("learns which argument is wrong", async () => {
    const attempt = (args: string) =>
      `try { pi.registerMcpServer(${args}); } catch (error) { said.push(error.message); }`;
    const agent = bench.start(`const said = [];
      ${attempt(`"no spaces", { url: "http://localhost" }`)} ${attempt(`"a", { command: "x", args: "y" }`)}
      ${attempt(`"a", {}`)} ${attempt(`"a", { url: "http://localhost", exposure: "loud" }`)} ${attempt(`"a"`)}
      ${command("tell", `ctx.ui.notify(JSON.stringify([...said, pi.getMcpServers()]));`)}`);
    await agent.call("prompt", { message: "/tell" });
    const [name, args, neither, exposure, nothing, servers] = JSON.parse(String(notices(agent)[0]));
    expect(name).toContain("The name of an MCP server cannot be registered");
    expect(args).toMatch(/^MCP server "a" cannot be registered:\n.*args/);
    expect(neither).toContain('expected a "command" or a "url"');
    expect(exposure).toMatch(/exposure/);
    expect(nothing).toContain('MCP server "a" cannot be registered');
    expect(servers).toEqual([]);
  });

  it("learns that another extension has the name", async () => {
    const mine = `export default (pi) => { pi.registerMcpServer("fix", { url: "http://localhost" }); };`;
    const agent = bench.startKeeping({ "a.ts": mine, "b.ts": mine });
    const failure = await agent.waitFor(({ type }) => type === "extension_error");
    expect(failure.error).toMatch(/MCP server "fix" cannot be registered: .*a\.ts has registered it/);
  });

  it("learns that MCP servers are switched off", async () => {
    const agent = bench.start(`pi.registerMcpServer("fix", ${server()});`, { args: ["--no-session", "--no-mcp"] });
    const failure = await agent.waitFor(({ type }) => type === "extension_error");
    expect(failure.error).toBe(`MCP server "fix" isn't used, because MCP servers are switched off.`);
  });
});
