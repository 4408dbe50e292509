import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { McpBench, outcomeText, stdioServer, toolNames } from "../../support/mcp-fixtures.ts";
import { reply, toolCall } from "../../support/scripted-replies.ts";
import { type AgentUnderTest, asRecord } from "../../support/spawn-agent.ts";
import { changeTools, toolServers } from "../../support/tool-servers.ts";

const DEADLINE = { timeout: 30_000 };
const MERGE = "mcp__github__merge_pull_request";

let bench: McpBench;

beforeEach(async () => {
  bench = await McpBench.open();
});

afterEach(() => bench.close());

/** The tools of a request as they were sent, without the mark for the cache, which moves with the last one. */
function sentTools(request: number): string[] {
  const tools = bench.model.requests[request]?.body.tools ?? [];
  return tools.map(({ cache_control: _mark, ...tool }) => JSON.stringify(tool));
}

const systemPrompt = (request: number) => JSON.stringify(bench.model.requests[request]?.body.system);
const search = (...queries: string[]) => reply([toolCall("tool_search", { queries })]);

async function say(agent: AgentUnderTest, ...replies: Parameters<McpBench["model"]["enqueue"]>) {
  bench.model.enqueue(...replies);
  return agent.run("go");
}

describe("500 tools of three servers", DEADLINE, () => {
  it("take at most 15,000 characters of the first request, which names the servers", async () => {
    await say(bench.start({ servers: toolServers(bench) }), reply("hello"));
    expect(JSON.stringify(bench.model.requests[0]?.body.tools).length).toBeLessThanOrEqual(15_000);
    expect(toolNames(bench.model, 0)).toEqual(["read", "bash", "edit", "write", "todo_write", "tool_search"]);
    expect(bench.model.requests[0]?.body.tools?.at(-1)?.description).toMatch(
      /It finds tools of: github \(170\), platform \(170\), workspace \(160\)\.$/,
    );
  });

  it("are found, called, and kept, without a change of what the model was told before", async () => {
    const agent = bench.start({ servers: toolServers(bench) });
    const found = await say(
      agent,
      search("merge pull request", "send slack message"),
      reply([toolCall(MERGE, { owner: "ada" })]),
      reply("ok"),
    );
    expect(outcomeText(found)).toContain(`- ${MERGE}: Merges a pull request`);
    expect(outcomeText(found.filter(({ toolName }) => toolName === MERGE))).toBe("called merge_pull_request");
    await say(agent, search("list ec2 instances"), reply("ok"));
    const tools = [0, 1, 2, 3, 4].map(sentTools);
    expect(tools[1]?.slice(0, tools[0]?.length)).toEqual(tools[0]);
    expect(tools[1]?.length).toBeGreaterThan(tools[0]?.length ?? 0);
    expect(tools.slice(2, 4)).toEqual([tools[1], tools[1]]);
    expect(tools[4]?.slice(0, tools[1]?.length)).toEqual(tools[1]);
    expect(toolNames(bench.model, 4)).toContain("mcp__platform__list_ec2_instances");
    expect(new Set([0, 1, 2, 3, 4].map(systemPrompt)).size).toBe(1);
  });

  it("are loaded when the model calls one by its exact name", async () => {
    const agent = bench.start({ servers: toolServers(bench, ["github"]) });
    const frames = await say(agent, reply([toolCall(MERGE, { owner: "ada" })]), reply("ok"));
    expect(outcomeText(frames)).toBe("called merge_pull_request");
    expect(toolNames(bench.model, 1).at(-1)).toBe(MERGE);
    const unknown = await say(agent, reply([toolCall("mcp__github__no_such_thing")]), reply("ok"));
    expect(outcomeText(unknown)).toMatch(
      /^Tool mcp__github__no_such_thing not found\. .* Search for others with tool_search\.$/,
    );
  });

  it("stay loaded in the same order after a compaction and in another process", async () => {
    const servers = toolServers(bench, ["github"]);
    const sessions = ["--session-dir", bench.folder];
    const settings = { compaction: { keepRecentTokens: 10 } };
    const first = bench.start({ servers, settings, args: sessions, isSaved: true });
    await say(first, search(MERGE), reply([toolCall("mcp__github__fork_repository")]), reply("ok"));
    await say(first, search("mcp__github__star_repository"), reply("x".repeat(4000)));
    bench.model.enqueue(reply("A summary."), reply("A summary of the turn."));
    await first.call("compact");
    await say(first, reply("ok"));
    const before = sentTools(bench.model.requests.length - 1);
    await first.end();
    const second = bench.start({ servers, settings, args: [...sessions, "--continue"], isSaved: true });
    await say(second, reply("ok"));
    const names = toolNames(bench.model, bench.model.requests.length - 1);
    expect(names.slice(-3)).toEqual([MERGE, "mcp__github__fork_repository", "mcp__github__star_repository"]);
    expect(sentTools(bench.model.requests.length - 1).toSorted()).toEqual(before.toSorted());
  });

  it("that come and go don't change what the model was told, and a note names the difference", async () => {
    const agent = bench.start({ servers: toolServers(bench, ["github"]) });
    await say(agent, search(MERGE), reply("ok"));
    changeTools(bench, "github", (tools) => tools.slice(0, 100));
    await say(agent, reply([toolCall(MERGE, { owner: "ada" })]), reply("ok"));
    await say(agent, reply("ok"));
    const last = bench.model.requests.length - 1;
    expect(sentTools(last)).toEqual(sentTools(1));
    expect(JSON.stringify(bench.model.requests[last]?.body.messages)).toContain("It finds tools of: github (100).");
  });

  it("give a clear error once they are gone", async () => {
    const agent = bench.start({ servers: toolServers(bench, ["github"]) });
    await say(agent, search(MERGE), reply("ok"));
    changeTools(bench, "github", (tools) => tools.filter((tool) => asRecord(tool).name !== "merge_pull_request"));
    await say(agent, reply([toolCall("mcp__github__fork_repository", { owner: "ada" })]), reply("ok"));
    const frames = await say(agent, reply([toolCall(MERGE, { owner: "ada" })]), reply("ok"));
    expect(outcomeText(frames)).toBe(`Tool ${MERGE} is no longer available. Continue without it.`);
  });

  it("are marked in the state", async () => {
    const agent = bench.start({ servers: toolServers(bench, ["github"]) });
    await say(agent, search(MERGE), reply("ok"));
    const { dumpTools } = await agent.call("get_state");
    const tools = Array.isArray(dumpTools) ? dumpTools.map(asRecord) : [];
    const deferred = tools.filter(({ deferred: isDeferred }) => isDeferred === true);
    expect(deferred).toHaveLength(169);
    expect(tools.filter((tool) => !deferred.includes(tool)).map(({ name }) => name)).toEqual(toolNames(bench.model, 1));
  });

  it("are marked in the list of /mcp", async () => {
    const agent = bench.start({ servers: toolServers(bench, ["github"]) });
    await say(agent, search(MERGE), reply("ok"));
    const shown = agent.call("prompt", { message: "/mcp" });
    const answer = async (title: string, value: RegExp) => {
      const asked = await agent.waitFor(
        ({ type, title: shownTitle }) => type === "extension_ui_request" && shownTitle === title,
      );
      const { options } = asked;
      agent.send({
        type: "extension_ui_response",
        id: asked.id,
        value: Array.isArray(options) ? options.find((one) => value.test(String(one))) : "",
      });
    };
    await answer("MCP servers", /^github/);
    await answer("MCP server github", /^Show Tools$/);
    const { message } = await agent.waitFor(({ message: text }) => String(text).startsWith("Tools of github:"));
    const lines = String(message).split("\n");
    expect(lines).toContain(MERGE);
    expect(lines).toContain("mcp__github__fork_repository (found by search)");
    await shown;
  });

  it("need the same approval, while a search needs none", async () => {
    const agent = bench.start({ servers: toolServers(bench, ["github"]), args: ["--permission-mode", "readonly"] });
    const frames = await say(
      agent,
      search("merge pull request"),
      reply([toolCall(MERGE, { owner: "ada" })]),
      reply("ok"),
    );
    const ends = frames.filter(({ type }) => type === "tool_execution_end");
    expect(ends.map(({ toolName, isError }) => [toolName, isError])).toEqual([
      ["tool_search", false],
      [MERGE, true],
    ]);
  });

  it("are all told with the setting off, or if the search is excluded", async () => {
    const servers = toolServers(bench, ["github"]);
    await say(bench.start({ servers, settings: { toolSearch: { mode: "off" } } }), reply("hello"));
    expect(toolNames(bench.model, 0).filter((name) => name.startsWith("mcp__"))).toHaveLength(170);
    await say(bench.start({ servers, args: ["--exclude-tools", "tool_search"] }), reply("hello"));
    expect(toolNames(bench.model, 1).filter((name) => name.startsWith("mcp__"))).toHaveLength(170);
  });

  it("don't hide those that the user names", async () => {
    await say(
      bench.start({ servers: toolServers(bench, ["github"]), args: ["--tools", `read,mcp__*,${MERGE}`] }),
      reply("hello"),
    );
    expect(toolNames(bench.model, 0)).toEqual(["read", MERGE, "tool_search"]);
  });
});

describe("few tools", DEADLINE, () => {
  it("are all told, unless the setting is on", async () => {
    const servers = { fix: stdioServer({ FIXTURE_TOOLS: "echo" }) };
    await say(bench.start({ servers }), reply("hello"));
    expect(toolNames(bench.model, 0)).toContain("mcp__fix__echo");
    expect(toolNames(bench.model, 0)).not.toContain("tool_search");
    await say(bench.start({ servers, settings: { toolSearch: { mode: "on" } } }), reply("hello"));
    expect(toolNames(bench.model, 1).at(-1)).toBe("tool_search");
    expect(toolNames(bench.model, 1)).not.toContain("mcp__fix__echo");
  });
});
