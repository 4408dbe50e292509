import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { McpBench, outcome, outcomeText } from "../../support/mcp-fixtures.ts";
import { answer, oddHttpServer } from "../../support/odd-http-server.ts";
import { reply, toolCall } from "../../support/scripted-replies.ts";
import { type AgentUnderTest, asRecord } from "../../support/spawn-agent.ts";

const DEADLINE = { timeout: 15_000 };

let bench: McpBench;

beforeEach(async () => {
  bench = await McpBench.open();
});

afterEach(() => bench.close());

function errorsOf(agent: AgentUnderTest): string[] {
  return agent.frames.filter(({ type }) => type === "extension_error").map(({ error }) => String(error));
}

describe("an MCP server over HTTP", () => {
  it("provides its tools in a session that is closed at the end", async () => {
    const { url } = await bench.startHttp();
    const agent = bench.start({ servers: { far: { type: "http", url } } });
    expect(outcomeText(await bench.callTool(agent, "mcp__far__echo", { text: "hi" }))).toBe("echo: hi");
    await agent.end();
    expect(bench.log()).toContain("closed session");
  });

  it("shows progress, cancels calls and announces new tools", async () => {
    const { url } = await bench.startHttp();
    const agent = bench.start({ servers: { far: { type: "streamable-http", url } } });
    const frames = await bench.callTool(agent, "mcp__far__steps");
    expect(frames.find(({ type }) => type === "tool_execution_update")?.partialResult).toMatchObject({
      content: [{ type: "text", text: "half way (1 of 2)" }],
    });
    await bench.callTool(agent, "mcp__far__grow");
    const tools = async () => JSON.stringify((await agent.call("get_state")).dumpTools);
    await expect.poll(tools, DEADLINE).toContain("mcp__far__grown");
    bench.model.enqueue(reply([toolCall("mcp__far__wait")]));
    await agent.call("prompt", { message: "go" });
    await expect.poll(() => bench.log(), DEADLINE).toContain("waiting");
    await agent.call("abort");
    await expect.poll(() => bench.log(), DEADLINE).toContain("cancelled");
  });

  it("gets the headers of its entry, with variables replaced", async () => {
    const { url } = await bench.startHttp({ FIXTURE_TOKEN: "secret" });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the file holds a variable
    const headers = { Authorization: "Bearer ${FAR_TOKEN}" };
    const agent = bench.start({ servers: { far: { type: "http", url, headers } }, env: { FAR_TOKEN: "secret" } });
    expect(outcomeText(await bench.callTool(agent, "mcp__far__echo", { text: "hi" }))).toBe("echo: hi");
  });

  it("that refuses us is reported with advice", async () => {
    const { url } = await bench.startHttp({ FIXTURE_TOKEN: "secret" });
    const agent = bench.start({ servers: { far: { url } } });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    const file = join(agent.agentDir, "mcp.json");
    expect(errorsOf(agent)).toEqual([
      `MCP server "far" (${file}) is not running: it refuses access (HTTP 401) and offers no sign-in. Add "headers" with an Authorization to its entry in ${file}.`,
    ]);
  });

  it("that redirects is not followed, so that its headers stay private", async () => {
    const other = await bench.startHttp();
    const { url } = await bench.startHttp({ FIXTURE_REDIRECT: other.url.replace("127.0.0.1", "localhost") });
    const agent = bench.start({ servers: { far: { url, headers: { Authorization: "Bearer secret" } } } });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    expect(errorsOf(agent)[0]).toContain('MCP server "far"');
    expect(errorsOf(agent)[0]).toContain("it doesn't respond like an MCP server");
    expect(bench.log()).toEqual(["POST Bearer secret"]);
  });

  it.each([
    ["--offline", { args: ["--offline"] }],
    ["PI_OFFLINE", { env: { PI_OFFLINE: "yes" } }],
  ])("is not contacted with %s", async (_, options) => {
    const { url } = await bench.startHttp();
    const agent = bench.start({ servers: { far: { url } }, ...options });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    expect(errorsOf(agent)[0]).toContain("is not running: the agent is offline (--offline).");
    expect(bench.log()).toEqual([]);
  });

  it("that does not exist is reported with the reason", async () => {
    const { url, stop } = await bench.startHttp();
    await stop();
    const agent = bench.start({ servers: { far: { url } } });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    expect(errorsOf(agent)[0]).toContain("ECONNREFUSED");
  });

  it("that has lost the session gets a new one", async () => {
    const { url } = await bench.startHttp();
    const agent = bench.start({ servers: { far: { url } } });
    await bench.callTool(agent, "mcp__far__echo", { text: "one" });
    await fetch(url, { method: "PUT" });
    const frames = await bench.callTool(agent, "mcp__far__echo", { text: "two" });
    expect(outcome(frames)).toEqual({ isError: false, content: [{ type: "text", text: "echo: two" }] });
  });

  it("that has lost the session gets all calls again in one new one, and may still answer those of the old one", async () => {
    const sessions: unknown[] = [];
    const url = await oddHttpServer((got) => {
      const { message, request, response } = got;
      if (message.method === "GET") return response.writeHead(405).end();
      if (message.method === "tools/list")
        return answer(got, { tools: [{ name: "t", inputSchema: { type: "object" } }] });
      const session = request.headers["mcp-session-id"];
      sessions.push(session);
      const { ms, isKept } = asRecord(message.params.arguments);
      const say = () => answer(got, { content: [{ type: "text", text: `ok ${session}` }] });
      if (session !== "s1") return say();
      return setTimeout(() => (isKept ? say() : response.writeHead(404).end()), Number(ms));
    });
    const agent = bench.start({ servers: { far: { url } } });
    // All of them are on their way before the first is answered.
    const calls = [{ ms: 1500 }, { ms: 1505 }, { ms: 3000 }, { ms: 3000, isKept: true }];
    bench.model.enqueue(reply(calls.map((args) => toolCall("mcp__far__t", args))), reply("ok"));
    const frames = await agent.run("go");
    const texts = frames.flatMap((frame) =>
      frame.type === "tool_execution_end" ? [outcome([frame]).content[0]?.text] : [],
    );
    expect(texts.sort()).toEqual(["ok s1", "ok s2", "ok s2", "ok s2"]);
  });

  it("that disconnects fails the call", async () => {
    const { url, stop } = await bench.startHttp();
    const agent = bench.start({ servers: { far: { url } } });
    await bench.callTool(agent, "mcp__far__echo", { text: "one" });
    await stop();
    const frames = await bench.callTool(agent, "mcp__far__echo", { text: "two" });
    expect(outcome(frames).isError).toBe(true);
    expect(outcomeText(frames)).toContain('MCP server "far": fetch failed');
  });
});
