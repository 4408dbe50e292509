import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findMcpFiles } from "../../../agent/bundled/mcp/mcp-files.ts";
import { readServerEntries } from "../../../agent/bundled/mcp/server-config.ts";
import { serverSubject } from "../../../agent/bundled/mcp/server-subject.ts";
import { writeFiles } from "../../support/extension-files.ts";
import { McpBench, outcomeText, stdioServer } from "../../support/mcp-fixtures.ts";
import { reply } from "../../support/scripted-replies.ts";
import type { AgentUnderTest } from "../../support/spawn-agent.ts";

let bench: McpBench;
beforeEach(async () => {
  bench = await McpBench.open();
});
afterEach(() => bench.close());

describe("envFile", () => {
  const lines = ["# comment", "FROM_FILE='a b'", "export EXPORTED=yes", "BOTH=file", 'QUOTED="x\\ny"'].join("\n");
  const variable = async (agent: AgentUnderTest, name: string) =>
    outcomeText(await bench.callTool(agent, "mcp__fix__environment", { name }));

  it("adds the variables of a file beside the user's; those of the entry come first", async () => {
    writeFiles(join(bench.folder, "agent"), { "conf/.env": lines });
    const agent = bench.start({ servers: { fix: { ...stdioServer({ BOTH: "entry" }), envFile: "conf/.env" } } });
    expect(await variable(agent, "FROM_FILE")).toBe("FROM_FILE=a b");
    expect(await variable(agent, "EXPORTED")).toBe("EXPORTED=yes");
    expect(await variable(agent, "BOTH")).toBe("BOTH=entry");
  });

  it("that is missing is reported, and the server doesn't start", async () => {
    const agent = bench.start({ servers: { fix: { ...stdioServer(), envFile: "none.env" } } });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    const error = agent.frames.find(({ type }) => type === "extension_error")?.error;
    expect(error).toContain('is not running: its "envFile" can\'t be read');
    expect(bench.log()).toEqual([]);
  });

  // biome-ignore lint/suspicious/noTemplateCurlyInString: the file holds a variable
  const inProject = { fix: { ...stdioServer(), envFile: "${workspaceFolder}/.env" } };

  it("in a project is read only if the user trusts the project", async () => {
    const agent = bench.start({ project: { ".env": lines }, servers: inProject });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    const error = agent.frames.find(({ type }) => type === "extension_error")?.error;
    expect(error).toContain("it is in the project, which you haven't trusted (--approve).");
    expect(bench.log()).toEqual([]);
  });

  it("in a project that the user trusts is read", async () => {
    const agent = bench.start({ project: { ".env": lines }, servers: inProject, args: ["--approve"] });
    expect(await variable(agent, "EXPORTED")).toBe("EXPORTED=yes");
  });

  it("of a project is part of what the user allows, with its content", async () => {
    const files = {
      ".env": "A=1",
      ".mcp.json": JSON.stringify({ mcpServers: { fix: { ...stdioServer(), envFile: ".env" } } }),
    };
    writeFiles(bench.folder, files);
    const sources = { agentDir: bench.folder, cwd: bench.folder, isProjectTrusted: true, warn: () => {} };
    const hash = () => {
      const [entry] = readServerEntries(findMcpFiles(sources)).entries;
      if (entry === undefined) throw new Error("There is no entry.");
      return serverSubject(entry, { ...sources, childEnv: () => ({}) }).hash;
    };
    const before = hash();
    expect(hash()).toBe(before);
    writeFiles(bench.folder, { ".env": "NODE_OPTIONS=--require ./evil.cjs" });
    expect(hash()).not.toBe(before);
  });

  it("of a project is part of what the user allows", async () => {
    const servers = { fix: { ...stdioServer(), envFile: ".env" } };
    const agent = bench.start({
      project: { ".env": lines, ".mcp.json": JSON.stringify({ mcpServers: servers }) },
      args: ["--approve", "--permission-mode", "confirm"],
    });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    const question = agent.frames.find(({ consent }) => consent !== undefined);
    expect(question?.title).toContain("With the variables in .env");
    expect(bench.log()).toEqual([]);
  });
});

describe("the messages of a server", () => {
  it("are in the log from the level warning on", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    await bench.callTool(agent, "mcp__fix__report");
    await expect.poll(() => agent.stderr).toContain("[mcp fix] error: fixture: error is logged");
    expect(agent.stderr).toContain("[mcp fix] warning: fixture: warning is logged");
    expect(agent.stderr).not.toContain("info is");
  });

  it("are in the log from another level on when the settings say so", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() }, settings: { mcp: { logLevel: "info" } } });
    await bench.callTool(agent, "mcp__fix__report");
    await expect.poll(() => agent.stderr).toContain("[mcp fix] info: fixture: info is logged");
    expect(agent.stderr).not.toContain("debug is");
  });
});

describe("an input with a password", () => {
  it("is asked for with hidden text", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the file holds a variable
    const entry = stdioServer({ KEY: "${input:key}" });
    const inputs = [{ type: "promptString", id: "key", description: "The key", password: true, default: "d" }];
    const agent = bench.start({
      project: { [join(".vscode", "mcp.json")]: JSON.stringify({ inputs, servers: { fix: entry } }) },
      args: ["--approve"],
    });
    const run = bench.callTool(agent, "mcp__fix__environment", { name: "KEY" });
    const question = await agent.waitFor(({ method }) => method === "input");
    expect(question).toMatchObject({ password: true, title: 'MCP server "fix" needs: The key' });
    expect(question.placeholder).toBeUndefined();
    agent.send({ type: "extension_ui_response", id: question.id, value: "planted-password" });
    expect(outcomeText(await run)).toBe("KEY=planted-password");
    expect(agent.stderr).not.toContain("planted-password");
  });
});
