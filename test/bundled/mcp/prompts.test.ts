import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { faultyServer, McpBench, mcpFixture, stdioServer } from "../../support/mcp-fixtures.ts";
import { reply } from "../../support/scripted-replies.ts";
import { AGENT_NODE, type AgentUnderTest, asRecord, type Frame } from "../../support/spawn-agent.ts";

const OFFERS = { FIXTURE_OFFERS: "1", FIXTURE_TOOLS: "offer_more" };

let bench: McpBench;

beforeEach(async () => {
  bench = await McpBench.open();
});

afterEach(() => bench.close());

/** On a busy machine, a server may take long to start. */
const PATIENT = { mcp: { waitMs: 25_000 } };
const startWithOffers = () => bench.start({ servers: { notes: stdioServer(OFFERS) }, settings: PATIENT });

/** Returns the commands of servers, once the servers run. */
async function commands(agent: AgentUnderTest): Promise<Record<string, unknown>[]> {
  await agent.call("find_mcp_resources", { query: "" });
  const { commands: all } = await agent.call("get_commands");
  return (Array.isArray(all) ? all.map(asRecord) : []).filter(({ name }) => String(name).startsWith("mcp__"));
}

/** The last user message that the model got: its text, and the types of its blocks. */
function lastMessage(): { text: string; types: unknown[] } {
  const content = bench.model.requests.at(-1)?.body.messages.findLast(({ role }) => role === "user")?.content;
  const blocks = Array.isArray(content) ? content.map(asRecord) : [{ type: "text", text: content }];
  return { text: blocks.map(({ text }) => text ?? "").join("\n"), types: blocks.map(({ type }) => type) };
}

async function sent(agent: AgentUnderTest, message: string): Promise<ReturnType<typeof lastMessage>> {
  bench.model.enqueue(reply("ok"));
  await agent.run(message);
  return lastMessage();
}

/** The next question, or message to the user, of the agent. */
function told(agent: AgentUnderTest, method: string, from = 0): Promise<Frame> {
  return agent.waitFor((frame) => frame.type === "extension_ui_request" && frame.method === method, from);
}

describe("prompts of an MCP server", () => {
  it("are listed as commands, with their arguments", async () => {
    const agent = startWithOffers();
    const all = await commands(agent);
    expect(all.map(({ name }) => name)).toEqual([
      "mcp__notes__greet",
      "mcp__notes__report",
      "mcp__notes__command",
      "mcp__notes__broken",
    ]);
    expect(all[0]).toEqual({
      name: "mcp__notes__greet",
      description: "Greets somebody",
      source: "prompt",
      sourceInfo: { path: "<mcp:notes>", source: "mcp", scope: "temporary", origin: "top-level" },
      argumentHint: "<name> [tone]",
    });
  });

  it("become the message of the user, with the arguments that were written", async () => {
    const agent = startWithOffers();
    expect((await sent(agent, "/mcp__notes__greet Ada")).text).toBe("Greet Ada in a warm tone.");
    expect((await sent(agent, '/mcp__notes__greet "Ada Lovelace" very dry')).text).toBe(
      "Greet Ada Lovelace in a very dry tone.",
    );
    expect((await sent(agent, "/mcp__notes__greet tone=cold Grace")).text).toBe("Greet Grace in a cold tone.");
  });

  it("bring images, embedded resources, and what is attached to the message", async () => {
    const agent = startWithOffers();
    const attached = '\n\n<attached key="0123456789abcdef">\nnote\n</attached 0123456789abcdef>';
    const { text, types } = await sent(agent, `/mcp__notes__report${attached}`);
    expect(text).toMatch(
      /^User: Write a report\.\n\nAssistant: About what\?\n\nUser: About milk\.\n\n<attached key="(\w+)">\nnote\n<item \1 \{"kind":"resource","name":"note:\/\/1","server":"notes","uri":"note:\/\/1"\}>\nBuy milk\.\n<\/item \1>\n<\/attached \1>/,
    );
    expect(types).toContain("image");
  });

  it("run no command, whatever their text begins with", async () => {
    expect((await sent(startWithOffers(), "/mcp__notes__command")).text.trim()).toBe("/skill:tidy and /mcp");
  });

  it("ask for missing arguments, with the values that the server suggests", async () => {
    const agent = startWithOffers();
    bench.model.enqueue(reply("ok"));
    expect(await agent.call("prompt", { message: "/mcp__notes__greet" })).toEqual({ disposition: "handled" });
    const question = await told(agent, "select");
    expect(question).toMatchObject({
      title: "notes, greet: name (Who)",
      options: ["Ada", "Grace", "Enter another value…"],
    });
    agent.send({ type: "extension_ui_response", id: question.id, value: "Enter another value…" });
    const input = await told(agent, "input");
    agent.send({ type: "extension_ui_response", id: input.id, value: "Emmy" });
    await agent.settled();
    expect(lastMessage().text).toBe("Greet Emmy in a warm tone.");
  });

  it("give back what was typed when a question is closed, and when the server refuses", async () => {
    const agent = startWithOffers();
    await agent.call("prompt", { message: "/mcp__notes__greet" });
    const question = await told(agent, "select");
    agent.send({ type: "extension_ui_response", id: question.id, cancelled: true });
    expect(await told(agent, "set_editor_text")).toMatchObject({ text: "/mcp__notes__greet" });
    expect(await told(agent, "notify")).toMatchObject({
      message: 'Couldn\'t use /mcp__notes__greet: The prompt needs a value for "name".',
      notifyType: "error",
    });
    const from = agent.frames.length;
    expect(await agent.call("prompt", { message: "/mcp__notes__broken now" })).toEqual({ disposition: "handled" });
    expect(String((await told(agent, "notify", from)).message)).toContain("no such prompt today");
    expect(await told(agent, "set_editor_text", from)).toMatchObject({ text: "/mcp__notes__broken now" });
    expect(bench.model.requests).toEqual([]);
  });

  it("that come after another session has begun aren't sent there", async () => {
    const agent = bench.start({ servers: { faulty: faultyServer(bench, "prompts late") }, settings: PATIENT });
    await agent.call("find_mcp_resources", { query: "" });
    await agent.call("prompt", { message: "/mcp__faulty__ask" });
    const question = await agent.waitFor(({ method }) => method === "select");
    agent.send({ type: "extension_ui_response", id: question.id, value: "ok" });
    await expect.poll(() => bench.log()).toContain("asked");
    await agent.call("new_session");
    writeFileSync(`${bench.logFile}.go`, "");
    await expect.poll(() => bench.log()).toContain("answered");
    await sent(agent, "hi");
    expect(JSON.stringify(bench.model.requests.map(({ body }) => body.messages))).not.toContain("planted prompt");
    expect(agent.frames.filter(({ method }) => method === "set_editor_text" || method === "notify")).toEqual([]);
  });

  it("are commands as soon as the server adds them", async () => {
    const agent = startWithOffers();
    await bench.callTool(agent, "mcp__notes__offer_more");
    await expect.poll(async () => (await commands(agent)).map(({ name }) => name)).toContain("mcp__notes__more");
    expect((await sent(agent, "/mcp__notes__more")).text).toBe("More!");
  });

  it("that are odd are left out, have plain names, or are refused", async () => {
    const odd = { command: AGENT_NODE, args: [mcpFixture("odd-offers.mjs")] };
    const agent = bench.start({ servers: { odd }, settings: PATIENT });
    const all = await commands(agent);
    expect(all.map(({ name, description }) => [name, description])).toEqual([
      ["mcp__odd__empty", ""],
      ["mcp__odd__odd_one", "line break"],
    ]);
    await agent.call("prompt", { message: "/mcp__odd__empty" });
    expect(String((await told(agent, "notify")).message)).toBe("Couldn't use /mcp__odd__empty: its prompt is empty.");
  });
});
