import { statSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeFiles } from "../../support/extension-files.ts";
import { McpBench, mcpFixture, outcome, outcomeText, stdioServer, toolNames } from "../../support/mcp-fixtures.ts";
import { reply, toolCall } from "../../support/scripted-replies.ts";
import { AGENT_NODE } from "../../support/spawn-agent.ts";

const DEADLINE = { timeout: 15_000 };

let bench: McpBench;

beforeEach(async () => {
  bench = await McpBench.open();
});

afterEach(() => bench.close());

const onlyEcho = { FIXTURE_TOOLS: "echo" };

describe("tools of an MCP server", () => {
  it("are offered to the model from the first prompt on", async () => {
    const agent = bench.start({ servers: { fix: stdioServer(onlyEcho) } });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    expect(toolNames(bench.model, 0)).toContain("mcp__fix__echo");
    expect(bench.model.requests[0]?.body.tools?.find(({ name }) => name === "mcp__fix__echo")).toMatchObject({
      description: "Says it back",
      input_schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    });
  });

  it("are called with the model's arguments", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    const frames = await bench.callTool(agent, "mcp__fix__echo", { text: "hi" });
    expect(outcome(frames)).toEqual({ isError: false, content: [{ type: "text", text: "echo: hi" }] });
  });

  it("are not called with arguments that do not fit their schema", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    const frames = await bench.callTool(agent, "mcp__fix__echo", { text: 5 });
    expect(outcomeText(frames)).toContain('Validation failed for tool "mcp__fix__echo"');
    expect(bench.log()).not.toContain("call echo");
  });

  it("can fail with a result or with a protocol error", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    const failed = await bench.callTool(agent, "mcp__fix__fail");
    expect(outcome(failed)).toEqual({ isError: true, content: [{ type: "text", text: "it did not work" }] });
    const refused = await bench.callTool(agent, "mcp__fix__error");
    expect(outcome(refused).isError).toBe(true);
    expect(outcomeText(refused)).toContain("no such thing");
  });

  it("replace the same tools of a host, as long as the agent has them", async () => {
    const agent = bench.start({ servers: { "Fix it": stdioServer(onlyEcho) } });
    const hostTool = (name: string, sameAs: string) => ({ name, description: "A host tool.", parameters: {}, sameAs });
    const tools = [hostTool("lm_echo", "mcp__fix-it__echo"), hostTool("lm_other", "mcp__fix-it__other")];
    await agent.call("set_host_tools", { tools });
    bench.model.enqueue(reply("hello"), reply("bye"));
    await agent.run("hi");
    expect(toolNames(bench.model, 0)).toEqual(expect.arrayContaining(["mcp__Fix_it__echo", "lm_other"]));
    expect(toolNames(bench.model, 0)).not.toContain("lm_echo");
    writeFiles(agent.agentDir, { "mcp.json": JSON.stringify({ mcpServers: {} }) });
    await agent.run("and now?");
    expect(toolNames(bench.model, 1)).toEqual(expect.arrayContaining(["lm_echo", "lm_other"]));
    expect(toolNames(bench.model, 1)).not.toContain("mcp__Fix_it__echo");
  });

  it("are two tools when two servers use the same name", async () => {
    const agent = bench.start({ servers: { one: stdioServer(onlyEcho), two: stdioServer(onlyEcho) } });
    bench.model.enqueue(
      reply([toolCall("mcp__one__echo", { text: "1" }), toolCall("mcp__two__echo", { text: "2" })]),
      reply("ok"),
    );
    const frames = await agent.run("go");
    const texts = frames.filter(({ type }) => type === "tool_execution_end").map((end) => JSON.stringify(end.result));
    expect(texts.join()).toContain("echo: 1");
    expect(texts.join()).toContain("echo: 2");
  });

  it("follow --tools, and --no-mcp and --no-tools turn them off", async () => {
    const servers = { fix: stdioServer() };
    const some = bench.start({ servers, args: ["--tools", "read,mcp__fix__ec*"] });
    bench.model.enqueue(reply("a"), reply("b"), reply("c"));
    await some.run("hi");
    expect(toolNames(bench.model, 0)).toEqual(["read", "mcp__fix__echo"]);
    expect(bench.log()).toHaveLength(1);
    await bench.start({ servers, args: ["--no-mcp"] }).run("hi");
    await bench.start({ servers, args: ["--no-tools"] }).run("hi");
    expect(toolNames(bench.model, 1).filter((name) => name.startsWith("mcp"))).toEqual([]);
    expect(bench.log()).toHaveLength(1);
  });

  it("are left out and reported when they cannot be used, and get valid names", async () => {
    const agent = bench.start({
      servers: { "my server": stdioServer({ FIXTURE_TOOLS: "echo", FIXTURE_BROKEN: "1" }) },
    });
    bench.model.enqueue(reply("hello"));
    const frames = await agent.run("hi");
    const names = toolNames(bench.model, 0).filter((name) => name.startsWith("mcp"));
    expect(names).toEqual([
      "mcp__my_server__echo",
      "mcp__my_server__w_rds___signs",
      "mcp__my_server__words__signs",
      "mcp__my_server__words__signs_2",
      `mcp__my_server__long_${"n".repeat(43)}`,
      `mcp__my_server__long_${"n".repeat(41)}_2`,
    ]);
    const described = bench.model.requests[0]?.body.tools?.find(({ name }) => name === names[1]);
    expect(described?.description).toHaveLength(4001);
    const errors = frames.filter(({ type }) => type === "extension_error").map(({ error }) => error);
    expect(errors).toEqual([
      'MCP server "my server": tool "bad_type" is left out: its argument schema is invalid.',
      'MCP server "my server": tool "no_object" is left out: its argument schema is invalid.',
      expect.stringContaining('MCP server "my server": a tool is left out: name:'),
    ]);
  });

  it("appear and disappear while the server runs", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    await bench.callTool(agent, "mcp__fix__grow");
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    expect(toolNames(bench.model, 0)).toContain("mcp__fix__shrinking");
    expect(toolNames(bench.model, 2)).toContain("mcp__fix__grown");
    expect(toolNames(bench.model, 2)).not.toContain("mcp__fix__shrinking");
  });

  it("are left out when an extension's tool has the name", async () => {
    const own = `export default (pi) => pi.registerTool({ name: "mcp__fix__echo", description: "own",
      execute: () => ({ content: [{ type: "text", text: "own" }] }) });`;
    const agent = bench.start({
      servers: { fix: stdioServer(onlyEcho) },
      project: { "own.ts": own },
      args: ["-e", "own.ts"],
    });
    const frames = await bench.callTool(agent, "mcp__fix__echo");
    expect(outcomeText(frames)).toBe("own");
    expect(frames.find(({ type }) => type === "extension_error")?.error).toBe(
      'MCP server "fix": tool "echo" is left out: there is another tool with the name mcp__fix__echo.',
    );
  });

  it("are left out when a host tool has the name", async () => {
    const agent = bench.start({ servers: { fix: stdioServer(onlyEcho) } });
    const tools = [{ name: "mcp__fix__echo", description: "host", parameters: { type: "object", properties: {} } }];
    await agent.call("set_host_tools", { tools });
    bench.model.enqueue(reply("hello"));
    const frames = await agent.run("hi");
    expect(frames.find(({ type }) => type === "extension_error")?.error).toBe(
      'MCP server "fix": tool "echo" is left out: there is another tool with the name mcp__fix__echo.',
    );
  });

  it("ask in confirm mode, whatever the server says about them", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() }, args: ["--permission-mode", "confirm"] });
    bench.model.enqueue(reply([toolCall("mcp__fix__echo", { text: "hi" })]), reply("ok"));
    const run = agent.run("go");
    const question = await agent.waitFor(({ method }) => method === "select" || method === "confirm");
    expect(question.title).toContain("mcp__fix__echo");
    agent.send({ type: "extension_ui_response", id: question.id, cancelled: true });
    expect(outcome(await run).isError).toBe(true);
    expect(bench.log()).not.toContain("call echo");
  });
});

describe("results of an MCP server", () => {
  it("are text, images, and a line for anything else", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    const { content } = outcome(await bench.callTool(agent, "mcp__fix__media"));
    expect(content).toEqual([
      { type: "image", mimeType: "image/png", data: expect.stringMatching(/^iVBOR/) },
      { type: "text", text: "[Audio (audio/wav, 3B) is not shown.]" },
      { type: "text", text: "[Resource: a.txt file:///a.txt (text/plain)]" },
      { type: "text", text: "[Resource: note://1]\nthe note" },
      { type: "text", text: "[Resource blob://1 (application/zip, 3B) is not shown.]" },
    ]);
  });

  it("are shown as JSON when they are only structured", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    const frames = await bench.callTool(agent, "mcp__fix__structured");
    expect(outcomeText(frames)).toBe('{"answer":42}');
    const end = frames.find(({ type }) => type === "tool_execution_end");
    expect(end?.result).toMatchObject({ details: { structuredContent: { answer: 42 } } });
  });

  it("of five megabytes are cut to 50 KiB, with a file that has all of it", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    const { content } = outcome(await bench.callTool(agent, "mcp__fix__big"));
    const text = String(content[0]?.text);
    expect(text.length).toBeLessThan(52_000);
    const [, file = ""] = /left out: it has 4\.8MB, 1 line\. Full result: (\S+)\]/.exec(text) ?? [];
    expect(statSync(file).size).toBe(5_000_000);
  });

  it("of more than 2000 lines are cut", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    const { content } = outcome(await bench.callTool(agent, "mcp__fix__lines"));
    const lines = String(content[0]?.text).split("\n");
    expect(lines).toHaveLength(2003); // 1000 at either end, and the notice between empty lines
  });

  it("with blocks of an unknown kind keep the others", async () => {
    const agent = bench.start({
      servers: { odd: { command: AGENT_NODE, args: [mcpFixture("odd-server.mjs")] } },
    });
    const { content } = outcome(await bench.callTool(agent, "mcp__odd__hologram"));
    expect(content.map(({ text }) => text)).toEqual(["kept", "[Content that can't be shown is left out.]"]);
  });
});

describe("an invalid answer of an MCP server", () => {
  it("is an error of the tool", async () => {
    const agent = bench.start({
      servers: { odd: { command: AGENT_NODE, args: [mcpFixture("odd-server.mjs")] } },
    });
    const frames = await bench.callTool(agent, "mcp__odd__nonsense");
    expect(outcome(frames).isError).toBe(true);
    expect(outcomeText(frames)).toContain("expected array");
  });
});

describe("a running call of an MCP tool", () => {
  it("shows its progress", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    const frames = await bench.callTool(agent, "mcp__fix__steps");
    const update = frames.find(({ type }) => type === "tool_execution_update");
    expect(update?.partialResult).toMatchObject({ content: [{ type: "text", text: "half way (1 of 2)" }] });
    expect(outcomeText(frames)).toBe("done");
  });

  it("is cancelled at the server when the run is aborted", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    bench.model.enqueue(reply([toolCall("mcp__fix__wait")]));
    await agent.call("prompt", { message: "go" });
    await expect.poll(() => bench.log(), DEADLINE).toContain("waiting");
    await agent.call("abort");
    await agent.settled();
    expect(outcome(agent.frames)).toEqual({ isError: true, content: [{ type: "text", text: "Operation aborted" }] });
    await expect.poll(() => bench.log(), DEADLINE).toContain("cancelled");
  });
});

describe("an MCP server", () => {
  it("gives the model its instructions", async () => {
    const agent = bench.start({ servers: { fix: stdioServer({ FIXTURE_INSTRUCTIONS: "Echo twice." }) } });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    expect(JSON.stringify(bench.model.requests[0]?.body.system)).toContain(
      'Instructions of the MCP server \\"fix\\" for its tools:\\nEcho twice.',
    );
  });

  it("gives its instructions and tools in a run that an extension starts, too", async () => {
    const agent = bench.start({
      servers: { fix: stdioServer({ FIXTURE_INSTRUCTIONS: "Echo twice.", ...onlyEcho }) },
      project: {
        "go.js": `export default (pi) => pi.registerCommand("go", {
          handler: () => pi.sendMessage({ customType: "note", content: "do it" }, { triggerTurn: true }) });`,
      },
      args: ["-e", "go.js"],
    });
    bench.model.enqueue(reply("done"));
    await agent.call("prompt", { message: "/go" });
    await agent.settled();
    expect(JSON.stringify(bench.model.requests[0]?.body.system)).toContain("Echo twice.");
    expect(toolNames(bench.model, 0)).toContain("mcp__fix__echo");
  });

  it("receives the working directory as a root and runs in it", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    expect(outcomeText(await bench.callTool(agent, "mcp__fix__roots"))).toBe(
      JSON.stringify({ roots: [{ uri: `file://${agent.cwd}`, name: "project" }] }),
    );
  });

  it("gets the agent's environment without keys, plus its entry's variables, even a key that it names", async () => {
    const agent = bench.start({
      servers: { fix: stdioServer({ OWN: "own", NAMED: `\${ANTHROPIC_API_KEY}` }) },
      env: { TILLER_PRIVATE_ENV: "MINE", MINE: "mine", SHARED: "shared" },
    });
    const value = async (name: string) => outcomeText(await bench.callTool(agent, "mcp__fix__environment", { name }));
    expect(await value("ANTHROPIC_API_KEY")).toBe("ANTHROPIC_API_KEY=(unset)");
    expect(await value("MINE")).toBe("MINE=(unset)");
    expect(await value("SHARED")).toBe("SHARED=shared");
    expect(await value("OWN")).toBe("OWN=own");
    expect(await value("NAMED")).toBe("NAMED=test-key");
  });

  it("gets no key through an entry of the project", async () => {
    const server = stdioServer({ NAMED: `\${env:ANTHROPIC_API_KEY}` });
    const agent = bench.start({
      project: { ".mcp.json": JSON.stringify({ mcpServers: { fix: server } }) },
      args: ["--approve"],
    });
    expect(outcomeText(await bench.callTool(agent, "mcp__fix__environment", { name: "NAMED" }))).toBe("NAMED=");
  });
});
