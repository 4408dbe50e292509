import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MessageBuilder } from "../../agent/loop/message-builder.ts";
import type { AgentMessage, AssistantMessage } from "../../agent/protocol/messages.ts";
import type { Model } from "../../agent/protocol/model.ts";
import { prepareContext } from "../../agent/providers/prepare-context.ts";
import type { ProviderRequest, ToolSpec } from "../../agent/providers/provider.ts";
import { createResponsesProvider } from "../../agent/providers/responses.ts";
import { responseEvents, type ScriptedItem } from "../support/responses-events.ts";
import { ScriptedResponses } from "../support/scripted-responses.ts";
import { requestFor } from "./collect.ts";

let server: ScriptedResponses;

beforeEach(async () => {
  server = await ScriptedResponses.start();
});

afterEach(() => server.stop());

const SEARCH: ToolSpec = { name: "web_search", description: "", parameters: {}, serverTool: "search" };
const THOUGHT: ScriptedItem = { kind: "reasoning", id: "rs_1", summary: ["Look it up."] };
const QUERY = { type: "search", query: "new release", queries: ["new release"] };
const SEARCHED: ScriptedItem = { kind: "search", id: "ws_1", action: QUERY };
const OPENED: ScriptedItem = { kind: "search", id: "ws_2", action: { type: "open_page", url: "https://a.example/" } };
const CITES = [{ url: "https://a.example/?utm_source=openai", title: "News" }];
const SAID: ScriptedItem = { kind: "text", id: "msg_1", text: "It is out.", cites: CITES };

function model(changes: Partial<Model> = {}): Model {
  return {
    id: "gpt-6.1-sol",
    name: "GPT",
    api: "openai-responses",
    provider: "openai",
    baseUrl: server.url,
    reasoning: true,
    input: ["text"],
    contextWindow: 8_000,
    maxTokens: 1_000,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ...changes,
  };
}

/** Answers a request with these items. */
async function answer(items: readonly ScriptedItem[], parts: Partial<ProviderRequest> = {}): Promise<AssistantMessage> {
  server.enqueue({ kind: "events", events: responseEvents(items) });
  const builder = new MessageBuilder(model(), "low");
  const request = requestFor(model(), { tools: [SEARCH], ...parts });
  for await (const batch of createResponsesProvider().stream(request)) for (const event of batch) builder.apply(event);
  return builder.finished();
}

const asked = (content: string): AgentMessage => ({ role: "user", content, timestamp: 1 });

/** The items of the request behind an answer. */
async function sentAfter(message: AssistantMessage, parts: Partial<ProviderRequest> = {}) {
  const messages = prepareContext([asked("Is it out?"), message, asked("And?")], model());
  await answer([SAID], { messages, ...parts });
  return server.requests.at(-1)?.body.input.slice(1, -1);
}

describe("the search of OpenAI", () => {
  test("is declared by its type alone, and not with the lowest effort, which refuses it", async () => {
    await answer([SAID]);
    expect(server.requests[0]?.body.tools).toEqual([{ type: "web_search" }]);
    await answer([SAID], { thinkingLevel: "minimal" });
    expect(server.requests[1]?.body.tools).toBeUndefined();
  });

  test("tells queries and pages, counts the queries, and links the sources", async () => {
    const { content, usage } = await answer([THOUGHT, SEARCHED, OPENED, SAID]);
    expect(content).toMatchObject([
      { type: "thinking" },
      { note: "search", text: "\n\n> Searched the web: new release" },
      { note: "search", text: "\n\n> Read https://a.example/" },
      { text: "It is out." },
      { note: "sources", text: "\n\nSources: [News](https://a.example/?utm_source=openai)" },
    ]);
    expect(usage).toMatchObject({ webSearches: 1, cost: { total: 0.01 } });
  });

  test("goes back as it came, behind its thought", async () => {
    const sent = await sentAfter(await answer([THOUGHT, SEARCHED, SAID]));
    expect(sent).toMatchObject([
      { type: "reasoning", id: "rs_1" },
      { type: "web_search_call", id: "ws_1", status: "completed", action: QUERY },
      { type: "message", id: "msg_1", content: [{ text: "It is out.", annotations: [] }] },
    ]);
  });

  test("is left out with its thought once it is switched off", async () => {
    const sent = await sentAfter(await answer([THOUGHT, SEARCHED, SAID]), { tools: [] });
    expect(sent).toEqual([{ role: "assistant", content: "It is out." }]);
  });

  test("says that it failed, which costs nothing", async () => {
    const { content, usage } = await answer([{ ...SEARCHED, status: "failed" }, SAID]);
    expect(content[0]).toMatchObject({ note: "search", text: "\n\n> Searched the web: new release (failed)" });
    expect(usage.webSearches).toBeUndefined();
  });
});
