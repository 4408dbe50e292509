import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MessageBuilder } from "../../agent/loop/message-builder.ts";
import type { AgentMessage, AssistantMessage } from "../../agent/protocol/messages.ts";
import type { Model } from "../../agent/protocol/model.ts";
import { createGoogleProvider } from "../../agent/providers/google.ts";
import { prepareContext } from "../../agent/providers/prepare-context.ts";
import type { ProviderRequest, ToolSpec } from "../../agent/providers/provider.ts";
import { geminiEvents, type ScriptedPart, signature } from "../support/gemini-events.ts";
import { ScriptedGemini } from "../support/scripted-gemini.ts";
import { requestFor } from "./collect.ts";

let server: ScriptedGemini;

beforeEach(async () => {
  server = await ScriptedGemini.start();
});

afterEach(() => server.stop());

const SEARCH: ToolSpec = { name: "web_search", description: "", parameters: {}, serverTool: "search" };
const LIST: ToolSpec = { name: "ls", description: "Lists.", parameters: { type: "object" } };
const WEB = { id: "search_1", toolType: "GOOGLE_SEARCH_WEB" };
const CALL = {
  toolCall: { ...WEB, args: { queries: ["new release", "news"] } },
  thoughtSignature: signature("call"),
};
const RESPONSE = {
  toolResponse: { ...WEB, response: { search_suggestions: "<b>news</b>" } },
  thoughtSignature: signature("response"),
};
const SAID = { text: "It is out." };

function model(): Model {
  return {
    id: "gemini-4-argon",
    name: "Gemini",
    api: "google-generative-ai",
    provider: "google",
    baseUrl: server.url,
    reasoning: true,
    input: ["text"],
    contextWindow: 8_000,
    maxTokens: 1_000,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
}

/** Answers a request with these parts. */
async function answer(
  parts: readonly ScriptedPart[],
  request: Partial<ProviderRequest> = {},
): Promise<AssistantMessage> {
  const pages = [{ uri: "https://a.example/", title: "News" }];
  server.enqueue({ kind: "events", events: geminiEvents(parts, { pages }) });
  const builder = new MessageBuilder(model(), "low");
  const whole = requestFor(model(), { tools: [LIST, SEARCH], ...request });
  for await (const batch of createGoogleProvider().stream(whole)) for (const event of batch) builder.apply(event);
  return builder.finished();
}

const asked = (content: string): AgentMessage => ({ role: "user", content, timestamp: 1 });

/** The turn of the model in the request behind an answer. */
async function sentAfter(message: AssistantMessage, request: Partial<ProviderRequest> = {}) {
  const messages = prepareContext([asked("Is it out?"), message, asked("And?")], model());
  await answer([SAID], { messages, ...request });
  return server.requests.at(-1)?.body.contents[1]?.parts;
}

describe("the search of Google", () => {
  test("is declared beside functions, with what the service wants for that", async () => {
    await answer([SAID]);
    const { tools, toolConfig } = server.requests[0]?.body ?? {};
    expect(tools).toMatchObject([{ functionDeclarations: [{ name: "ls" }] }, { googleSearch: {} }]);
    expect(toolConfig).toEqual({ includeServerSideToolInvocations: true });
  });

  test("tells the queries, and links the sources", async () => {
    expect((await answer([CALL, RESPONSE, SAID])).content).toMatchObject([
      { note: "search", text: "\n\n> Searched the web: new release\n\n> Searched the web: news" },
      { text: "It is out." },
      { note: "sources", text: "\n\nSources: [News](https://a.example/)" },
    ]);
  });

  test("goes back as it came, with its signatures", async () => {
    expect(await sentAfter(await answer([CALL, RESPONSE, SAID]))).toEqual([CALL, RESPONSE, SAID]);
  });

  test("is left out without its result, and once it is switched off", async () => {
    expect(await sentAfter(await answer([CALL, SAID]))).toEqual([SAID]);
    expect(await sentAfter(await answer([CALL, RESPONSE, SAID]), { tools: [LIST] })).toEqual([SAID]);
  });
});
