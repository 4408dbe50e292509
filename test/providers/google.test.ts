import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MessageBuilder } from "../../agent/loop/message-builder.ts";
import type { AgentMessage, AssistantMessage } from "../../agent/protocol/messages.ts";
import type { Model } from "../../agent/protocol/model.ts";
import { createGoogleProvider } from "../../agent/providers/google.ts";
import { prepareContext } from "../../agent/providers/prepare-context.ts";
import type { ProviderRequest } from "../../agent/providers/provider.ts";
import { takesPdf } from "../../agent/providers/takes-pdf.ts";
import { blocked, geminiEvents, type ScriptedPart, signature } from "../support/gemini-events.ts";
import { type GeminiReply, googleError, ScriptedGemini } from "../support/scripted-gemini.ts";
import { collect, requestFor } from "./collect.ts";

const provider = createGoogleProvider();
let server: ScriptedGemini;

beforeEach(async () => {
  server = await ScriptedGemini.start();
});

afterEach(() => server.stop());

function model(changes: Partial<Model> = {}): Model {
  return {
    id: "gemini-4-argon",
    name: "Served",
    api: "google-generative-ai",
    provider: "google",
    baseUrl: `${server.url}/v1beta`,
    reasoning: true,
    input: ["text", "image"],
    contextWindow: 8_000,
    maxTokens: 1_000,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ...changes,
  };
}

const EARLIER = { id: "gemini-2.5-flash" };
const READ: ScriptedPart = {
  functionCall: { id: "c1", name: "read", args: { path: "a" } },
  thoughtSignature: signature("read"),
};
const LIST: ScriptedPart = { functionCall: { id: "c2", name: "ls" } };
const whole = (...parts: ScriptedPart[]): GeminiReply => ({ kind: "events", events: geminiEvents(parts) });
const said = (content: Extract<AgentMessage, { role: "user" }>["content"]): AgentMessage => ({
  role: "user",
  content,
  timestamp: 1,
});
type ResultContent = Extract<AgentMessage, { role: "toolResult" }>["content"];
const result = (id: string, content: ResultContent, isError = false): AgentMessage => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "read",
  content,
  isError,
  timestamp: 3,
});
const PICTURE = { type: "image" as const, mimeType: "image/png", data: "QUJD" };
const PDF = { type: "image" as const, mimeType: "application/pdf", data: "JVBERg==" };

async function eventsOf(reply: GeminiReply, parts: Partial<ProviderRequest> = {}, changes: Partial<Model> = {}) {
  server.enqueue(reply);
  return collect(provider, requestFor(model(changes), parts));
}

/** Returns the body that is sent for these parts. */
async function sent(parts: Partial<ProviderRequest> = {}, changes: Partial<Model> = {}) {
  await eventsOf(whole({ text: "Hi" }), parts, changes);
  const body = server.requests.at(-1)?.body;
  if (body === undefined) throw new Error("Nothing was sent.");
  return body;
}

/** Returns the message that a response becomes in a session; a cut one was stopped by the user. */
async function answerOf(reply: GeminiReply, changes: Partial<Model> = {}): Promise<AssistantMessage> {
  server.enqueue(reply);
  const builder = new MessageBuilder(model(changes), "low");
  try {
    for await (const batch of provider.stream(requestFor(model(changes))))
      for (const event of batch) builder.apply(event);
  } catch {
    return builder.failed("aborted", "Stopped.");
  }
  return builder.finished();
}

/** Returns the contents that a session with these messages sends. */
async function contentsOf(messages: AgentMessage[], changes: Partial<Model> = {}) {
  const own = model(changes);
  return (await sent({ messages: prepareContext(messages, own) }, changes)).contents;
}

const failureOf = (reply: GeminiReply): Promise<unknown> => eventsOf(reply).catch((error: unknown) => error);

describe("a response of Gemini", () => {
  test("arrives as thinking, text, and calls, each with the signatures of its parts", async () => {
    const parts: ScriptedPart[] = [{ text: "Hm. So.", thought: true }, { text: "Grüße 🙂" }, READ, LIST];
    const events = geminiEvents(parts, { usage: { prompt: 12, output: 30, cached: 5, thoughts: 4 } });
    expect(await answerOf({ kind: "events", events })).toMatchObject({
      content: [
        { type: "thinking", thinking: "Hm. So." },
        { type: "text", text: "Grüße 🙂" },
        { type: "toolCall", id: "c1", name: "read", arguments: { path: "a" }, thoughtSignature: signature("read") },
        { type: "toolCall", id: "c2", name: "ls", arguments: {} },
      ],
      stopReason: "toolUse",
      usage: { input: 7, output: 34, cacheRead: 5, reasoning: 4 },
      responseId: "resp_1",
      responseModel: "served-2026",
    });
  });

  test("gives ids of its own to calls that come without one, or with one twice", async () => {
    const bare: ScriptedPart = { functionCall: { name: "ls" } };
    const { content } = await answerOf(whole(bare, bare, READ, { ...READ, thoughtSignature: signature("again") }));
    const ids = content.map((block) => (block.type === "toolCall" ? block.id : ""));
    expect(ids).toEqual([
      expect.stringMatching(/^call_[0-9a-f]{32}$/),
      expect.stringMatching(/^call_[0-9a-f]{32}$/),
      "c1",
      expect.stringMatching(/^call_[0-9a-f]{32}$/),
    ]);
    expect(new Set(ids).size).toBe(4);
  });

  test("is complete if each piece names a reason to finish, and passes over parts that are new", async () => {
    const strange = { candidates: [{ content: { role: "model", parts: [{ executableCode: { code: "x" } }] } }] };
    const events = [...geminiEvents([{ text: "A" }]), strange, ...geminiEvents([{ text: "B" }])];
    expect(await answerOf({ kind: "events", events })).toMatchObject({
      content: [{ text: "AB" }],
      stopReason: "stop",
    });
  });

  test.each([
    ["SAFETY", "The model declined to respond: Google's safety filter stopped it (SAFETY)."],
    ["PROHIBITED_CONTENT", "The model declined to respond: the content is prohibited (PROHIBITED_CONTENT)."],
  ])("that a filter stopped is a refusal: %s", async (finish, words) => {
    const failed = await failureOf({ kind: "events", events: geminiEvents([{ text: "I" }], { finish }) });
    expect(failed).toMatchObject({ kind: "invalid_request", message: expect.stringContaining(words) });
  });

  test("to a message that was blocked is a refusal", async () => {
    expect(await failureOf({ kind: "events", events: [blocked("PROHIBITED_CONTENT")] })).toMatchObject({
      kind: "invalid_request",
      message: expect.stringContaining("The model declined to respond: the content is prohibited"),
    });
    expect(await failureOf({ kind: "events", events: [blocked("NEW_REASON")] })).toMatchObject({
      message: expect.stringContaining("Google's filter stopped the message (NEW_REASON)"),
    });
  });

  test("with a call that can't be read is asked for again", async () => {
    const message = "Malformed function call: read(path=";
    const events = geminiEvents([{ text: "I" }], { finish: "MALFORMED_FUNCTION_CALL", message });
    expect(await failureOf({ kind: "events", events })).toMatchObject({
      kind: "server",
      isRetryable: true,
      message: `The model stopped with an error: MALFORMED_FUNCTION_CALL: ${message}`,
    });
  });

  test("that has the wrong shape fails", async () => {
    expect(await failureOf({ kind: "events", events: [{ candidates: 7 }] })).toMatchObject({ kind: "server" });
    expect(await failureOf({ kind: "events", events: [{ other: true }] })).toMatchObject({ kind: "network" });
  });
});

describe("a failure of Google's", () => {
  const quota = (quotaId: string) => ({
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    violations: [{ quotaMetric: "requests", quotaId }],
  });
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "58.5s" };
  const words = "You exceeded your current quota, please check your plan and billing details.";

  test.each([
    [[quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"), retry], "rate_limit", 58_500],
    [[quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), retry], "quota", undefined],
    [[retry], "rate_limit", 58_500],
    [[], "rate_limit", undefined],
  ])("says when to ask again, or that nothing is left: %j", async (details, kind, retryAfterMs) => {
    const error = googleError(429, "RESOURCE_EXHAUSTED", words, details);
    const refused = await failureOf({ kind: "error", status: 429, body: JSON.stringify([error]) });
    expect(refused).toMatchObject({ kind, status: 429, retryAfterMs });
    const midway = await failureOf({
      kind: "events",
      events: [...geminiEvents([{ text: "I" }], { finish: null }), error],
    });
    expect(midway).toMatchObject({ kind, retryAfterMs });
  });

  test("names its wait in its message", async () => {
    const events = [googleError(429, "RESOURCE_EXHAUSTED", `${words} Please retry in 58.25s.`)];
    expect(await failureOf({ kind: "events", events })).toMatchObject({ kind: "rate_limit", retryAfterMs: 58_250 });
  });

  test("that is the page of a proxy is shown", async () => {
    const failed = await failureOf({ kind: "error", status: 502, body: "<html>Bad gateway" });
    expect(failed).toMatchObject({ kind: "server", message: expect.stringContaining("<html>Bad gateway") });
  });
});

describe("a request to Gemini", () => {
  test("has instructions, tools, and how much to think", async () => {
    const parameters = {
      type: "object",
      properties: { const: { const: "x" }, mode: { anyOf: [{ const: 1 }, { const: null }] } },
      default: { const: 1 },
    };
    const tools = [{ name: "my.tool", description: "Does.", parameters }];
    expect(await sent({ tools, maxTokens: 5000 })).toEqual({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
      tools: [
        {
          functionDeclarations: [
            {
              name: "my_tool",
              description: "Does.",
              parametersJsonSchema: {
                type: "object",
                properties: { const: { enum: ["x"] }, mode: { anyOf: [{ enum: [1] }, { const: null }] } },
                default: { const: 1 },
              },
            },
          ],
        },
      ],
      generationConfig: {
        maxOutputTokens: 1000,
        thinkingConfig: { includeThoughts: true, thinkingLevel: "LOW" },
      },
    });
    expect(server.requests[0]).toMatchObject({
      path: "/v1beta/models/gemini-4-argon:streamGenerateContent?alt=sse",
      headers: { "x-goog-api-key": "test-key" },
    });
    expect(await sent({ systemPrompt: " " }, { reasoning: false })).toEqual({
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
    });
  });

  test.each<[Partial<Model>, ProviderRequest["thinkingLevel"], object | undefined]>([
    [EARLIER, "high", { includeThoughts: true, thinkingBudget: 24_576 }],
    [EARLIER, "off", { thinkingBudget: 0 }],
    [{ ...EARLIER, thinkingLevelMap: { low: 77 } }, "low", { includeThoughts: true, thinkingBudget: 77 }],
    [{}, "off", undefined],
    [{}, "max", { includeThoughts: true, thinkingLevel: "HIGH" }],
    [{ thinkingLevelMap: { minimal: "minimal" } }, "minimal", { includeThoughts: true, thinkingLevel: "MINIMAL" }],
  ])("asks for thinking as the model takes it: %j at %s", async (changes, thinkingLevel, config) => {
    const body = await sent({ thinkingLevel }, changes);
    expect(body.generationConfig?.thinkingConfig).toEqual(config);
  });

  test("goes to an address with and without a version", async () => {
    await sent({}, { baseUrl: `${server.url}/` });
    expect(server.requests).toHaveLength(1);
  });

  test("sends each signature back at the part that carried it", async () => {
    const parts: ScriptedPart[] = [
      { text: "Hm.", thought: true },
      { text: "", thought: true, thoughtSignature: signature("thought") },
      { text: "Look", thoughtSignature: signature("half") },
      { text: "ing", thoughtSignature: signature("text") },
      { text: " now." },
      { text: "", thoughtSignature: signature("empty") },
      READ,
      LIST,
      { text: "", thoughtSignature: signature("last") },
    ];
    const answer = await answerOf(whole(...parts));
    expect(answer.content).toMatchObject([
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "Looking now." },
      { type: "toolCall" },
      { type: "toolCall" },
    ]);
    // As a session file keeps it.
    const stored: AssistantMessage = JSON.parse(JSON.stringify(answer));
    const results = [result("c1", [{ type: "text", text: "A" }]), result("c2", [])];
    const contents = await contentsOf([said("Go"), stored, ...results, said("Now this")]).catch(String);
    expect(contents).toEqual([
      { role: "user", parts: [{ text: "Go" }] },
      {
        role: "model",
        parts: [
          { text: "", thought: true, thoughtSignature: signature("thought") },
          { text: "Lo" },
          { text: "ok", thoughtSignature: signature("half") },
          { text: "in" },
          { text: "g", thoughtSignature: signature("text") },
          { text: " now." },
          { text: "", thoughtSignature: signature("empty") },
          { functionCall: { id: "c1", name: "read", args: { path: "a" } }, thoughtSignature: signature("read") },
          { functionCall: { id: "c2", name: "ls", args: {} } },
          { text: "", thoughtSignature: signature("last") },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "c1", name: "read", response: { output: "A" } } },
          { functionResponse: { id: "c2", name: "ls", response: { output: "(no output)" } } },
        ],
      },
      { role: "user", parts: [{ text: "Now this" }] },
    ]);
  });

  test("tells Gemini 3 and later of a call that another model made", async () => {
    const answer = await answerOf(whole({ text: "I read." }, READ, LIST));
    const messages = [said("Go"), answer, result("c1", [], true), result("c2", [])];
    const [, calls, results] = await contentsOf(messages, { id: "gemini-3-flash" });
    expect(calls?.parts).toEqual([
      { text: "I read." },
      {
        functionCall: { id: "c1", name: "read", args: { path: "a" } },
        thoughtSignature: "skip_thought_signature_validator",
      },
      { functionCall: { id: "c2", name: "ls", args: {} } },
    ]);
    expect(results?.parts[0]).toMatchObject({ functionResponse: { response: { error: "(no output)" } } });
    const [, earlier] = await contentsOf(messages, EARLIER);
    expect(earlier?.parts.slice(1)).toEqual([
      { functionCall: { name: "read", args: { path: "a" } } },
      { functionCall: { name: "ls", args: {} } },
    ]);
  });

  test("contains images and PDFs, those of tools in their results", async () => {
    const answer = await answerOf(whole(READ, LIST));
    const results = [result("c1", [{ type: "text", text: "See" }, PICTURE]), result("c2", [PDF])];
    const shown = [PICTURE, PDF].map(({ mimeType, data }) => ({ inlineData: { mimeType, data } }));
    const gif = { ...PICTURE, mimeType: "image/gif" };
    const messages = [said([PICTURE, PDF, gif]), answer, ...results];
    const [user, , files] = await contentsOf(messages);
    expect(user?.parts).toEqual([...shown, { text: "[image omitted: image/gif is not supported]" }]);
    expect(files?.parts).toMatchObject([
      { functionResponse: { id: "c1", response: { output: "See" }, parts: [shown[0]] } },
      { functionResponse: { id: "c2", response: { output: "(see the attached file)" }, parts: [shown[1]] } },
    ]);
    const [, , plain, behind] = await contentsOf(messages, EARLIER);
    expect(plain?.parts).toHaveLength(2);
    expect(behind?.parts).toEqual([{ text: "Files from the tool:" }, ...shown]);
    expect(JSON.stringify(await contentsOf(messages, { input: ["text"] }))).not.toContain("QUJD");
  });

  test("begins and ends with the user", async () => {
    const answer = await answerOf(whole({ text: "Hi" }));
    const contents = await contentsOf([answer, answer]);
    expect(contents.map(({ role, parts }) => [role, parts.length])).toEqual([
      ["user", 1],
      ["model", 2],
      ["user", 1],
    ]);
  });

  test("sends nothing of an answer that was cut in its thinking, and the text of one that was cut later", async () => {
    const cut = geminiEvents([{ text: "Hm.", thought: true }], { finish: null });
    const thought = await answerOf({ kind: "cut", events: cut });
    expect(await contentsOf([said("Go"), thought, said("Go on")])).toHaveLength(2);
    const spoken = await answerOf({ kind: "cut", events: geminiEvents([{ text: "I will" }], { finish: null }) });
    expect((await contentsOf([said("Go"), spoken, said("Go on")]))[1]).toMatchObject({ parts: [{ text: "I will" }] });
  });
});

test("Gemini takes PDFs; Gemma, and models of other servers, do not unless they say so", () => {
  const takes = (changes: Partial<Model>) => takesPdf({ ...model(), ...changes });
  expect(takes({})).toBe(true);
  expect(takes({ id: "gemma-4-31b-it" })).toBe(false);
  expect(takes({ provider: "mine" })).toBe(false);
  expect(takes({ provider: "mine", compat: { pdf: true } })).toBe(true);
  expect(takes({ api: "openai-completions", compat: { pdf: true } })).toBe(false);
});

describe("the scripted Gemini", () => {
  const user = { role: "user", parts: [{ text: "Hi" }] };
  const call = {
    functionCall: { id: "c", name: "read", args: {} },
    thoughtSignature: "skip_thought_signature_validator",
  };
  const response = { functionResponse: { id: "c", name: "read", response: { output: "" } } };
  const modelSays = (...parts: object[]) => ({ role: "model", parts });
  const userSays = (...parts: object[]) => ({ role: "user", parts });

  test.each([
    [[user, userSays(response)], "function response turn comes immediately after a function call turn"],
    [[user, modelSays(call)], "end with a user turn"],
    [[user, modelSays(call), user], "number of function response parts is equal"],
    [[user, modelSays(call), userSays(response, { text: "and" })], "number of function response parts is equal"],
    [[user, modelSays({ functionCall: call.functionCall }), userSays(response)], "missing a thought_signature"],
    [
      [user, modelSays(call), userSays({ functionResponse: { ...response.functionResponse, id: "d" } })],
      "A function response has no function call.",
    ],
    [[modelSays({ text: "Hi" }), user], "begin with a user turn"],
    [[user, modelSays({ text: "a" }), modelSays({ text: "b" }), user], "do not follow each other"],
    [[user, modelSays({ text: "a", thoughtSignature: "b3RoZXI=" }), user], "Thought signature is not valid."],
    [[{ ...user, extra: 1 }], 'Unrecognized key: "extra"'],
  ])("refuses %j", async (contents, words) => {
    const hooks = { payload: async (body: object) => ({ ...body, contents }), response: async () => undefined };
    const failed = await collect(provider, requestFor(model(), { hooks })).catch(String);
    expect(failed).toContain(words);
  });

  test("refuses a signature at another part", async () => {
    await answerOf(whole(READ));
    const moved = { text: "a", thoughtSignature: signature("read") };
    const contents = [user, modelSays(moved), user];
    const hooks = { payload: async (body: object) => ({ ...body, contents }), response: async () => undefined };
    const failed = await collect(provider, requestFor(model(), { hooks })).catch(String);
    expect(failed).toContain("Thought signature is not valid.");
  });
});
