import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  faultyServer,
  McpBench,
  mcpFixture,
  outcome,
  outcomeText,
  stdioServer,
  toolNames,
} from "../../support/mcp-fixtures.ts";
import { reply, toolCall } from "../../support/scripted-replies.ts";
import { AGENT_NODE, type AgentUnderTest, asRecord } from "../../support/spawn-agent.ts";

const OFFERS = { FIXTURE_OFFERS: "1", FIXTURE_TOOLS: "touch,offer_more" };
const TOOLS = ["list_mcp_resources", "read_mcp_resource"];

let bench: McpBench;

beforeEach(async () => {
  bench = await McpBench.open();
});

afterEach(() => bench.close());

/** On a busy machine, a server may take long to start. */
const PATIENT = { mcp: { waitMs: 25_000 } };
const startWithOffers = (name = "notes", args: readonly string[] = []) =>
  bench.start({ servers: { [name]: stdioServer(OFFERS) }, settings: PATIENT, args });
const odd = () => ({ command: AGENT_NODE, args: [mcpFixture("odd-offers.mjs")] });

/** Sends a message. @returns the content of the last user message that the model got. */
async function sent(agent: AgentUnderTest, message: string): Promise<Record<string, unknown>[]> {
  bench.model.enqueue(reply("ok"));
  await agent.run(message);
  const content = bench.model.requests.at(-1)?.body.messages.findLast(({ role }) => role === "user")?.content;
  return Array.isArray(content) ? content.map(asRecord) : [{ type: "text", text: content }];
}
const textOf = (content: readonly Record<string, unknown>[]) => content.map(({ text }) => text ?? "").join("\n");

describe("the tools for resources", () => {
  it("are offered when a server has resources, and list and read them", async () => {
    const agent = startWithOffers();
    const listed = await bench.callTool(agent, "list_mcp_resources", { query: "note" });
    expect(toolNames(bench.model, 0)).toEqual(expect.arrayContaining(TOOLS));
    expect(outcomeText(listed)).toContain(
      '{"server":"notes","uri":"note://1","name":"First note","mimeType":"text/plain"}',
    );
    expect(outcomeText(listed)).toContain('"uriTemplate":"note://about/{topic}"');
    const read = await bench.callTool(agent, "read_mcp_resource", { server: "notes", uri: "note://1" });
    expect(outcome(read)).toEqual({ isError: false, content: [{ type: "text", text: "Buy milk." }] });
    const pixel = await bench.callTool(agent, "read_mcp_resource", { server: "notes", uri: "note://pixel" });
    expect(outcome(pixel).content).toMatchObject([{ type: "image", mimeType: "image/png" }]);
    const zip = await bench.callTool(agent, "read_mcp_resource", { server: "notes", uri: "note://zip" });
    expect(outcomeText(zip)).toBe("[note://zip is binary (application/zip, 3B) and isn't shown.]");
  });

  it("are not offered when no server has any", async () => {
    const agent = bench.start({ servers: { fix: stdioServer({ FIXTURE_TOOLS: "echo" }) } });
    bench.model.enqueue(reply("ok"));
    await agent.run("hi");
    expect(toolNames(bench.model, 0).filter((name) => TOOLS.includes(name))).toEqual([]);
  });

  it("bound the text of a resource, and say what is missing", async () => {
    const agent = startWithOffers();
    const long = await bench.callTool(agent, "read_mcp_resource", { server: "notes", uri: "note://long" });
    expect(outcomeText(long).length).toBeLessThan(52_000);
    expect(outcomeText(long)).toMatch(/a line\n\[Cut: the first \d+ of 140000 bytes\.\]$/);
  });

  it("pass on what a server says when it refuses", async () => {
    const agent = startWithOffers();
    const gone = await bench.callTool(agent, "read_mcp_resource", { server: "notes", uri: "note://gone" });
    expect(outcome(gone).isError).toBe(true);
    expect(outcomeText(gone)).toContain("it is gone");
    const unknown = await bench.callTool(agent, "read_mcp_resource", { server: "other", uri: "note://1" });
    expect(outcomeText(unknown)).toContain('There is no MCP server "other".');
  });

  it("ask before they read in the mode that asks, and list without asking", async () => {
    const agent = startWithOffers("notes", ["--permission-mode", "confirm"]);
    bench.model.enqueue(
      reply([toolCall("list_mcp_resources", {}), toolCall("read_mcp_resource", { server: "notes", uri: "note://1" })]),
      reply("ok"),
    );
    const run = agent.run("go");
    const question = await agent.waitFor(({ type }) => type === "extension_ui_request");
    expect(String(question.title)).toContain("read_mcp_resource");
    agent.send({ type: "extension_ui_response", id: question.id, value: "Deny" });
    const ends = (await run).filter(({ type }) => type === "tool_execution_end");
    expect(ends.map(({ toolName, isError }) => [toolName, isError])).toEqual([
      ["list_mcp_resources", false],
      ["read_mcp_resource", true],
    ]);
  });

  it("know resources that a server adds", async () => {
    const agent = startWithOffers();
    await bench.callTool(agent, "mcp__notes__offer_more");
    const more = async () => outcomeText(await bench.callTool(agent, "list_mcp_resources", { query: "note://more" }));
    await expect.poll(more).toContain('"name":"More"');
  });
});

describe("a mention of a resource", () => {
  it("attaches its content to the message", async () => {
    const agent = startWithOffers("my notes");
    const text = textOf(await sent(agent, 'Read @"my notes:note://1", please.'));
    expect(text).toMatch(/^Read @"my notes:note:\/\/1", please\.\n\n<attached key="/);
    expect(text).toContain(
      '{"kind":"resource","name":"First note","server":"my notes","uri":"note://1","mimeType":"text/plain"}>\nBuy milk.\n',
    );
  });

  it("attaches images as images, tells of binary data, and ends before the end of the sentence", async () => {
    const agent = startWithOffers();
    const content = await sent(agent, "See (@notes:note://pixel) and @notes:note://zip.");
    expect(content.map(({ type }) => type)).toContain("image");
    expect(textOf(content)).toContain("[1 image is attached.]");
    expect(textOf(content)).toContain("[note://zip is binary (application/zip, 3B) and isn't shown.]");
  });

  it("reads URIs of templates, and says why something can't be read", async () => {
    const agent = startWithOffers();
    const text = textOf(await sent(agent, "@notes:note://about/tea and @notes:note://gone"));
    expect(text).toContain("All about tea");
    expect(text).toMatch(
      /\{"kind":"missing","name":"@notes:note:\/\/gone","reason":"MCP server \\"notes\\": .*gone"\}/,
    );
  });

  it("is text in code, in a word, and for a server that isn't there", async () => {
    const agent = startWithOffers();
    const message = "`@notes:note://1` me@notes:note://1 @other:note://1 @notes:word";
    expect(textOf(await sent(agent, message))).toBe(message);
    expect(bench.log().filter((line) => line.startsWith("read"))).toEqual([]);
  });

  it("isn't read again when the host has attached it", async () => {
    const agent = startWithOffers();
    const once = textOf(await sent(agent, "@notes:note://1"));
    expect(textOf(await sent(agent, once))).toBe(once);
    expect(bench.log().filter((line) => line === "read note://1")).toHaveLength(1);
  });

  it("works in messages for a run that is active", async () => {
    const agent = startWithOffers();
    bench.model.enqueue(reply([toolCall("mcp__notes__touch", {})]), reply("ok"), reply("ok"));
    const settled = agent.run("go");
    await agent.waitFor(({ type }) => type === "agent_start");
    await agent.call("prompt", { message: "and @notes:note://1", streamingBehavior: "followUp" });
    await settled;
    expect(JSON.stringify(bench.model.requests.at(-1)?.body.messages)).toContain("Buy milk.");
  });
});

describe("a resource that was read", () => {
  it("is told to the model once when it changes", async () => {
    const agent = startWithOffers();
    await sent(agent, "@notes:note://1");
    await bench.callTool(agent, "mcp__notes__touch");
    const note = "These MCP resources have changed since they were read:\n- server notes: note://1";
    const told = async () => JSON.stringify(await sent(agent, "news?")).includes(JSON.stringify(note).slice(1, -1));
    expect(await told()).toBe(true);
    const { messages } = bench.model.requests.at(-1)?.body ?? { messages: [] };
    await sent(agent, "more?");
    const again = JSON.stringify(bench.model.requests.at(-1)?.body.messages).split("have changed since").length - 1;
    expect(again).toBe(JSON.stringify(messages).split("have changed since").length - 1);
    expect(bench.log().filter((line) => line === "subscribe note://1")).toHaveLength(1);
  });

  it("is forgotten with its conversation", async () => {
    const agent = startWithOffers();
    await sent(agent, "@notes:note://1");
    await agent.call("new_session");
    await bench.callTool(agent, "mcp__notes__touch");
    await sent(agent, "news?");
    expect(JSON.stringify(bench.model.requests.at(-1)?.body.messages)).not.toContain("have changed since");
  });
});

describe("find_mcp_resources", () => {
  it("starts the servers, and finds resources by server, URI, and name", async () => {
    const agent = startWithOffers();
    const find = async (query: string) => {
      const { resources } = await agent.call("find_mcp_resources", { query });
      return Array.isArray(resources) ? resources.map((one) => asRecord(one).uri) : [];
    };
    expect(await find("")).toEqual(["note://1", "note://pixel", "note://zip", "note://long", "note://about/"]);
    expect(await find("FIRST")).toEqual(["note://1"]);
    expect(await find("notes:note://p")).toEqual(["note://pixel"]);
    expect(await find("nothing")).toEqual([]);
  });

  it("completes the variables of templates", async () => {
    const agent = startWithOffers();
    const { resources } = await agent.call("find_mcp_resources", { query: "notes:note://about/te" });
    const found = { server: "notes", name: "Notes about a topic", isPartial: false };
    expect(resources).toEqual([
      { ...found, uri: "note://about/tea" },
      { ...found, uri: "note://about/tea%20time" },
      { ...found, uri: "note://about/te" },
    ]);
  });

  it("finds nothing without servers, and starts nothing", async () => {
    const agent = bench.start({});
    expect(await agent.call("find_mcp_resources", { query: "" })).toEqual({ resources: [] });
  });
});

describe("read_mcp_resource", () => {
  it("shows a host what the model would get", async () => {
    const agent = startWithOffers();
    expect(await agent.call("read_mcp_resource", { server: "notes", uri: "note://1" })).toEqual({
      text: "Buy milk.",
      mimeType: "text/plain",
      images: [],
    });
    const gone = await agent.request("read_mcp_resource", { server: "notes", uri: "note://gone" });
    expect(gone).toMatchObject({ success: false, code: "not_found" });
  });
});

describe("a server with odd resources", () => {
  it("is used as far as they make sense", async () => {
    const agent = bench.start({ servers: { odd: odd() }, settings: PATIENT });
    const { resources } = await agent.call("find_mcp_resources", { query: "odd:" });
    expect(resources).toEqual([
      { server: "odd", uri: "odd://1", name: "a b c", isPartial: false },
      { server: "odd", uri: "odd://hang", name: "Never read", isPartial: false },
      { server: "odd", uri: "odd://nonsense", name: `${"n".repeat(100)}…`, isPartial: false },
      { server: "odd", uri: "odd://", name: "odd", description: "odd://{}", isPartial: true },
    ]);
    const text = textOf(await sent(agent, "@odd:odd://1 @odd:odd://nonsense"));
    expect(text).toContain("[Content that can't be shown is left out.]\nkept");
    expect(text).toContain('"name":"@odd:odd://nonsense","reason":');
  });

  it("that never answers is left behind when the user stops", async () => {
    const agent = bench.start({ servers: { odd: odd() }, settings: PATIENT });
    await agent.call("find_mcp_resources", { query: "" });
    const answer = agent.request("prompt", { message: "@odd:odd://hang" });
    await agent.call("get_state");
    await agent.call("abort");
    expect(await answer).toMatchObject({ success: false, code: "aborted" });
  });
});

it("a search ends when the next one begins", async () => {
  const agent = bench.start({ servers: { faulty: faultyServer(bench, "completes late") }, settings: PATIENT });
  await agent.call("find_mcp_resources", { query: "" });
  const first = agent.call("find_mcp_resources", { query: "faulty:db://a" });
  await expect.poll(() => bench.log()).toContain("complete");
  const second = agent.call("find_mcp_resources", { query: "faulty:db://ab" });
  expect((await first).resources).toMatchObject([{ uri: "db://a" }]);
  await agent.call("find_mcp_resources", { query: "" });
  expect((await second).resources).toMatchObject([{ uri: "db://ab" }]);
});
