import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { McpBench, mcpFixture, stdioServer } from "../../support/mcp-fixtures.ts";
import { reply } from "../../support/scripted-replies.ts";
import { AGENT_NODE } from "../../support/spawn-agent.ts";

const SLOW = { command: AGENT_NODE, args: [mcpFixture("hang.mjs")] };

let bench: McpBench;
beforeEach(async () => {
  bench = await McpBench.open();
});
afterEach(() => bench.close());

describe("a run that waits for MCP servers", () => {
  it("names those that are slow, before it starts", async () => {
    const agent = bench.start({ servers: { quick: stdioServer(), slow: SLOW }, settings: { mcp: { waitMs: 3_000 } } });
    bench.model.enqueue(reply("hello"));
    await agent.run("hi");
    const types = agent.frames.map(({ type }) => type);
    const waiting = agent.frames.find(({ type }) => type === "run_waiting");
    expect(waiting).toMatchObject({ for: "mcp_servers", names: expect.arrayContaining(["slow"]) });
    expect(types.indexOf("run_waiting")).toBeLessThan(types.indexOf("agent_start"));
  });

  it("names them for a message that has the form of a mention and names none of them", async () => {
    const agent = bench.start({ servers: { slow: SLOW }, settings: { mcp: { waitMs: 3_000 } } });
    bench.model.enqueue(reply("hello"));
    await agent.run("look at @src/a.ts: is it fine?");
    expect(agent.frames.find(({ type }) => type === "run_waiting")).toMatchObject({ names: ["slow"] });
  });

  it("names them in its status while a mention waits", async () => {
    const mcp = { waitMs: 3_000, startTimeoutMs: 4_000 };
    const agent = bench.start({ servers: { slow: SLOW }, settings: { mcp } });
    bench.model.enqueue(reply("hello"));
    await agent.run("look at @slow:x://1");
    const told = agent.frames.filter(({ method }) => method === "setStatus").map(({ statusText }) => statusText);
    expect(told).toEqual(["Starting MCP servers: slow", undefined]);
  });

  it("ends at once when it is aborted", async () => {
    const agent = bench.start({ servers: { slow: SLOW } });
    await agent.call("prompt", { message: "hi" });
    await agent.waitFor(({ type }) => type === "run_waiting");
    const abortedAt = performance.now();
    await agent.call("abort");
    expect(performance.now() - abortedAt).toBeLessThan(5_000);
    expect(agent.frames.filter(({ type }) => type === "agent_settled")).toMatchObject([{ aborted: true }]);
    expect(bench.model.requests).toEqual([]);
  });

  it("isn't told when there is nothing to wait for", async () => {
    const agent = bench.start({ servers: { quick: stdioServer() } });
    bench.model.enqueue(reply("one"), reply("two"));
    await agent.run("hi");
    const before = agent.frames.length;
    await agent.run("again");
    expect(agent.frames.slice(before).filter(({ type }) => type === "run_waiting")).toEqual([]);
  });
});
