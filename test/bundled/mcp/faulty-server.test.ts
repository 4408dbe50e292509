import { afterEach, beforeEach, expect, it } from "vitest";
import { faultyServer, McpBench } from "../../support/mcp-fixtures.ts";
import { reply } from "../../support/scripted-replies.ts";
import type { AgentUnderTest } from "../../support/spawn-agent.ts";

let bench: McpBench;
beforeEach(async () => {
  bench = await McpBench.open();
});
afterEach(() => bench.close());

/** Starts an agent with such a server, and lets it answer once. */
async function startWith(fault: string): Promise<AgentUnderTest> {
  const servers = { faulty: faultyServer(bench, fault) };
  const agent = bench.start({ servers, settings: { mcp: { waitMs: 25_000 } } });
  bench.model.enqueue(reply("hello"));
  await agent.run("hi");
  return agent;
}

it("a server that ends while its resources are listed doesn't run", async () => {
  const agent = await startWith("dies");
  const errors = agent.frames.filter(({ type }) => type === "extension_error").map(({ error }) => String(error));
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain("is not running: it has ended (exit code 3).");
});

it("a server that announces changes all the time is listed less and less often", async () => {
  const agent = await startWith("announces");
  await expect
    .poll(() => agent.stderr, { timeout: 20_000 })
    .toContain("[mcp faulty] announces changes of its lists all the time; they are read less often now.");
  const lists = (what: string) => bench.log().filter((line) => line === `list ${what}`).length;
  expect(lists("tools")).toBeLessThan(10);
  expect(lists("resources")).toBeLessThan(10);
});
