import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { McpBench, outcomeText } from "../../support/mcp-fixtures.ts";
import { OAuthServers } from "../../support/oauth-servers.ts";
import { reply } from "../../support/scripted-replies.ts";
import type { AgentUnderTest } from "../../support/spawn-agent.ts";

const DEADLINE = { timeout: 15_000 };

let bench: McpBench;
beforeEach(async () => {
  bench = await McpBench.open();
});
afterEach(() => bench.close());

function errorOf(agent: AgentUnderTest): string {
  return String(agent.frames.find(({ type }) => type === "extension_error")?.error);
}

describe("an MCP server with the sse transport", () => {
  it("provides its tools", async () => {
    const { url } = await bench.startHttp({}, "sse-server.mjs");
    const agent = bench.start({ servers: { old: { type: "sse", url } } });
    expect(outcomeText(await bench.callTool(agent, "mcp__old__echo", { text: "hi" }))).toBe("echo: hi");
  });

  it("gets the headers of its entry", async () => {
    const { url } = await bench.startHttp({ FIXTURE_TOKEN: "secret" }, "sse-server.mjs");
    const headers = { Authorization: "Bearer secret" };
    const agent = bench.start({ servers: { old: { type: "sse", url, headers } } });
    expect(outcomeText(await bench.callTool(agent, "mcp__old__echo", { text: "hi" }))).toBe("echo: hi");
  });

  it("that refuses us is reported with advice", async () => {
    const { url } = await bench.startHttp({ FIXTURE_TOKEN: "secret" }, "sse-server.mjs");
    const agent = bench.start({ servers: { old: { type: "sse", url } } });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    expect(errorOf(agent)).toContain("it refuses access (HTTP 401) and offers no sign-in.");
  });

  it("that needs a sign-in asks for it", async () => {
    const servers = await OAuthServers.start();
    const agent = bench.start({ servers: { old: { type: "sse", url: servers.url } } });
    bench.model.enqueue(reply("hello"));
    const run = agent.run("hi");
    const question = await agent.waitFor(({ method }) => method === "select");
    expect(question.title).toContain('MCP server "old" asks you to sign in at');
    agent.send({ type: "extension_ui_response", id: question.id, value: "Not Now" });
    await run;
    servers.stop();
  });

  it("is started anew when its stream breaks", async () => {
    const { url } = await bench.startHttp({}, "sse-server.mjs");
    const agent = bench.start({ servers: { old: { type: "sse", url } } });
    await bench.callTool(agent, "mcp__old__echo", { text: "hi" });
    await fetch(url, { method: "PUT" });
    await expect.poll(() => bench.log().filter((line) => line === "stream").length, DEADLINE).toBe(2);
    expect(outcomeText(await bench.callTool(agent, "mcp__old__echo", { text: "again" }))).toBe("echo: again");
  });
});
