import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentMessage } from "../../agent/protocol/messages.ts";
import type { Model } from "../../agent/protocol/model.ts";
import { createAnthropicProvider } from "../../agent/providers/anthropic.ts";
import { createCompletionsProvider } from "../../agent/providers/completions.ts";
import { toChatRequest } from "../../agent/providers/completions-convert.ts";
import { ProviderError, type ProviderRequest } from "../../agent/providers/provider.ts";
import { mapToolNames } from "../../agent/providers/tool-names.ts";
import {
  answerText,
  type CompletionReply,
  delta,
  ScriptedCompletions,
  usage,
} from "../support/scripted-completions.ts";
import { collect, requestFor } from "./collect.ts";

const provider = createCompletionsProvider();
let server: ScriptedCompletions;

beforeEach(async () => {
  server = await ScriptedCompletions.start();
});

afterEach(() => server.stop());

function model(changes: Partial<Model> = {}): Model {
  return {
    id: "served",
    name: "Served",
    api: "openai-completions",
    provider: "local",
    baseUrl: server.url,
    reasoning: false,
    input: ["text"],
    contextWindow: 8_000,
    maxTokens: 1_000,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ...changes,
  };
}

async function eventsOf(reply: CompletionReply, parts: Partial<ProviderRequest> = {}, changes: Partial<Model> = {}) {
  server.enqueue(reply);
  return collect(provider, requestFor(model(changes), parts));
}

/** The body of the request that these parts become. */
async function sent(parts: Partial<ProviderRequest> = {}, changes: Partial<Model> = {}) {
  await eventsOf(answerText("ok"), parts, changes);
  const [request] = server.requests.slice(-1);
  if (request === undefined) throw new Error("Nothing was sent.");
  return request;
}

async function failureOf(reply: CompletionReply, parts: Partial<ProviderRequest> = {}) {
  const error: unknown = await eventsOf(reply, parts).catch((thrown: unknown) => thrown);
  if (!(error instanceof ProviderError)) throw new Error(`The request should have failed: ${JSON.stringify(error)}`);
  return { kind: error.kind, message: error.message.replace(/127\.0\.0\.1:\d+/, "HOST"), error };
}

const events = (...all: unknown[]): CompletionReply => ({ kind: "events", events: all });
const USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const answered = (content: Extract<AgentMessage, { role: "assistant" }>["content"]): AgentMessage => ({
  role: "assistant",
  content,
  api: "openai-completions",
  provider: "local",
  model: "served",
  usage: { ...USAGE, cost: COST },
  stopReason: "toolUse",
  timestamp: 2,
});
const result = (
  toolCallId: string,
  content: Extract<AgentMessage, { role: "toolResult" }>["content"],
): AgentMessage => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  content,
  isError: false,
  timestamp: 3,
});
const said = (text: string): AgentMessage => ({ role: "user", content: text, timestamp: 1 });

describe("a streamed answer of chat completions", () => {
  test("arrives as thinking, text and tool calls with indices, tokens and stop reason", async () => {
    const call = (fields: object) => delta({ tool_calls: [fields] });
    const reply = events(
      delta({ role: "assistant", content: "" }),
      delta({ reasoning_content: "Hm" }),
      delta({ reasoning_content: "." }),
      delta({ content: "Grüße " }),
      delta({ content: "🙂" }),
      call({ index: 0, id: "c1", function: { name: "read", arguments: "" } }),
      call({ index: 1, id: "c2", function: { name: "ls", arguments: "{}" } }),
      call({ index: 0, function: { arguments: '{"path":"a"}' } }),
      delta({}, "tool_calls"),
      usage(12, 34, 5),
      "[DONE]",
    );
    expect(await eventsOf(reply)).toEqual([
      { type: "start", responseId: "chatcmpl-1", responseModel: "served" },
      { type: "thinking_start", index: 0 },
      { type: "thinking_delta", index: 0, delta: "Hm." },
      { type: "thinking_end", index: 0, signature: "reasoning_content" },
      { type: "text_start", index: 1 },
      { type: "text_delta", index: 1, delta: "Grüße 🙂" },
      { type: "text_end", index: 1 },
      { type: "toolcall_start", index: 2, id: "c1", name: "read" },
      { type: "toolcall_start", index: 3, id: "c2", name: "ls" },
      { type: "toolcall_delta", index: 3, delta: "{}" },
      { type: "toolcall_delta", index: 2, delta: '{"path":"a"}' },
      { type: "usage", tokens: { input: 7, output: 34, cacheRead: 5, cacheWrite: 0, reasoning: undefined } },
      { type: "toolcall_end", index: 2 },
      { type: "toolcall_end", index: 3 },
      { type: "end", stopReason: "toolUse" },
    ]);
  });

  test("is complete without the final mark, with unmarked calls, and with calls at one index", async () => {
    const call = (id: string) => delta({ tool_calls: [{ index: 0, id, function: { name: "ls", arguments: "{}" } }] });
    const calls = await eventsOf(events(call("a"), call("b"), delta({}, "stop")));
    expect(calls.filter(({ type }) => type === "toolcall_start")).toMatchObject([{ id: "a" }, { id: "b" }]);
    expect(calls.at(-1)).toEqual({ type: "end", stopReason: "toolUse" });
    const silent = await eventsOf(events(delta({ content: "Hi" }), "[DONE]"));
    expect(silent.at(-1)).toEqual({ type: "end", stopReason: "stop" });
    const short = await eventsOf(events(delta({ content: "Hi" }, "length")));
    expect(short.at(-1)).toEqual({ type: "end", stopReason: "length" });
  });

  test("can come in pieces of thinking and of text", async () => {
    const thinking = (part: string) =>
      delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: part }] }] });
    const last = delta({
      content: [
        { type: "text", text: "So." },
        { type: "reference", reference_ids: [1] },
      ],
    });
    expect(await eventsOf(events(thinking("H"), thinking("m"), last, delta({ content: " Yes." }, "stop")))).toEqual([
      { type: "start", responseId: "chatcmpl-1", responseModel: "served" },
      { type: "thinking_start", index: 0 },
      { type: "thinking_delta", index: 0, delta: "Hm" },
      { type: "thinking_end", index: 0 },
      { type: "text_start", index: 1 },
      { type: "text_delta", index: 1, delta: "So. Yes." },
      { type: "text_end", index: 1 },
      { type: "end", stopReason: "stop" },
    ]);
  });

  test("tells what was written to the cache, as OpenRouter counts it", async () => {
    const counts = { prompt_tokens: 100, completion_tokens: 4 };
    const details = { cached_tokens: 60, cache_write_tokens: 30 };
    const counted = { choices: [], usage: { ...counts, prompt_tokens_details: details } };
    const found = await eventsOf(events(delta({ content: "Hi" }, "stop"), counted, "[DONE]"));
    expect(found).toContainEqual({
      type: "usage",
      tokens: expect.objectContaining({ input: 10, output: 4, cacheRead: 60, cacheWrite: 30 }),
    });
  });

  test("is complete with unusual token counts", async () => {
    const counts = { prompt_tokens: -1, completion_tokens: 4, prompt_tokens_details: [] };
    const counted = await eventsOf(events(delta({ content: "Hi" }, "stop"), { choices: [], usage: counts }, "[DONE]"));
    expect(counted).toContainEqual({ type: "usage", tokens: expect.objectContaining({ input: 0, output: 4 }) });
    const uncounted = await eventsOf(events(delta({ content: "Hi" }, "stop"), { usage: "none" }, "[DONE]"));
    expect(uncounted.at(-1)).toEqual({ type: "end", stopReason: "stop" });
  });

  test("is complete when the connection breaks after the final mark", async () => {
    const reply = { kind: "cut" as const, events: [delta({ content: "Hi" }, "stop"), "[DONE]"] };
    expect((await eventsOf(reply)).at(-1)).toEqual({ type: "end", stopReason: "stop" });
  });

  test("gives calls unique ids when the server gives none, or repeats one", async () => {
    const call = (index: number, id?: string) => ({ index, id, function: { name: "ls", arguments: "{}" } });
    const calls = [call(0), call(1, ""), call(2, "c"), call(3, "c"), call(3, "c")];
    const reply = events(delta({ tool_calls: calls }), "[DONE]");
    const all = [...(await eventsOf(reply)), ...(await eventsOf(reply))];
    const ids = all.flatMap((event) => (event.type === "toolcall_start" ? [event.id] : []));
    expect(ids).toHaveLength(8);
    expect(ids.filter((id) => id === "c")).toHaveLength(2);
    expect(new Set(ids).size).toBe(7);
  });

  test("restores names that the API could not carry", async () => {
    const name = `${"very ".repeat(20)}long`;
    const tools = [{ name, description: "Reads.", parameters: { type: "object" } }];
    server.enqueue(events(delta({}, "stop")));
    await collect(provider, requestFor(model(), { tools }));
    const wire = server.requests[0]?.body.tools?.[0]?.function.name ?? "";
    expect(wire).toHaveLength(64);
    const reply = events(
      delta({ tool_calls: [{ index: 0, id: "c", function: { name: wire, arguments: "{}" } }] }),
      "[DONE]",
    );
    expect(await eventsOf(reply, { tools })).toContainEqual({ type: "toolcall_start", index: 0, id: "c", name });
  });
});

describe("a chat completions request", () => {
  test("marks what Claude's service is to keep: the system prompt, and the ends of the last two turns", async () => {
    const call = (id: string) => answered([{ type: "toolCall", id, name: "read", arguments: {} }]);
    const read = (id: string) => result(id, [{ type: "text", text: `read by ${id}` }]);
    const messages = [said("Look"), call("c1"), read("c1"), call("c2"), read("c2"), said("Stop")];
    const marked = { compat: { cacheControlFormat: "anthropic" } };
    const { body } = await sent({ systemPrompt: "You help.", messages, cacheTtl: "1h" }, marked);
    const part = (text: string) => [{ type: "text", text, cache_control: { type: "ephemeral", ttl: "1h" } }];
    expect(body.messages.flatMap(({ content }) => (Array.isArray(content) ? [content] : []))).toEqual([
      part("You help."),
      part("read by c1"),
      part("Stop"),
    ]);
    const unmarked = await sent({ systemPrompt: "You help.", messages });
    expect(JSON.stringify(unmarked.body)).not.toContain("cache_control");
  });

  test("marks images with the text beside them", async () => {
    const image = { type: "image" as const, data: "AA==", mimeType: "image/png" };
    const content = [{ type: "text" as const, text: "What is it?" }, image];
    const { body } = await sent(
      { messages: [{ role: "user", content, timestamp: 1 }] },
      { input: ["text", "image"], compat: { cacheControlFormat: "anthropic" } },
    );
    expect(body.messages.at(-1)).toMatchObject({
      content: [{ text: "What is it?", cache_control: { type: "ephemeral" } }, { type: "image_url" }],
    });
  });

  test("contains the conversation with calls, results, and the thinking of the same model", async () => {
    const { body, headers } = await sent({
      messages: [
        said("Look \ud800"),
        answered([
          { type: "thinking", thinking: "Hm.", thinkingSignature: "reasoning" },
          { type: "text", text: "I look." },
          { type: "toolCall", id: "toolu|1", name: "read", arguments: { path: "a" } },
          { type: "toolCall", id: "x".repeat(60), name: "read", arguments: {} },
        ]),
        result("toolu|1", [{ type: "text", text: "A" }]),
        result("x".repeat(60), []),
      ],
      tools: [{ name: "read", description: "Reads.", parameters: { type: "object" } }],
    });
    expect(headers.authorization).toBe("Bearer test-key");
    expect(body).toEqual({
      model: "served",
      stream: true,
      stream_options: { include_usage: true },
      tools: [{ type: "function", function: { name: "read", description: "Reads.", parameters: { type: "object" } } }],
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Look \ufffd" },
        {
          role: "assistant",
          content: "I look.",
          reasoning: "Hm.",
          tool_calls: [
            { id: "toolu_1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
            { id: "x".repeat(40), type: "function", function: { name: "read", arguments: "{}" } },
          ],
        },
        { role: "tool", tool_call_id: "toolu_1", content: "A" },
        { role: "tool", tool_call_id: "x".repeat(40), content: "(no output)" },
      ],
    });
  });

  test("contains images, those of tools after the results, with a note for models without images", async () => {
    const image = { type: "image" as const, mimeType: "image/png", data: "QUJD" };
    const messages: AgentMessage[] = [
      { role: "user", content: [{ type: "text", text: "What is it?" }, image], timestamp: 1 },
      answered([{ type: "toolCall", id: "c1", name: "read", arguments: {} }]),
      result("c1", [image]),
    ];
    const url = { type: "image_url", image_url: { url: "data:image/png;base64,QUJD" } };
    const seeing = await sent({ messages }, { input: ["text", "image"] });
    expect(seeing.body.messages.slice(1)).toMatchObject([
      { role: "user", content: [{ type: "text", text: "What is it?" }, url] },
      { role: "assistant", content: null },
      { role: "tool", content: "(see the image below)" },
      { role: "user", content: [{ type: "text", text: "Images that the tool gave:" }, url] },
    ]);
    const blind = await sent({ messages });
    expect(JSON.stringify(blind.body)).not.toContain("QUJD");
    expect(blind.body.messages.at(-1)).toMatchObject({ content: "[image omitted: model does not support images]" });
  });

  test.each([
    ["an effort", {}, "high", { reasoning_effort: "high" }],
    ["nothing when off", {}, "off", {}],
    ["the model's own word", { thinkingLevelMap: { high: "max" } }, "high", { reasoning_effort: "max" }],
    ["OpenRouter's field", { compat: { thinkingFormat: "openrouter" } }, "off", { reasoning: { effort: "none" } }],
    ["DeepSeek's field", { compat: { thinkingFormat: "deepseek" } }, "low", { thinking: { type: "enabled" } }],
    [
      "DeepSeek's field and the model's own word",
      { compat: { thinkingFormat: "deepseek" }, thinkingLevelMap: { xhigh: "max" } },
      "xhigh",
      { thinking: { type: "enabled" }, reasoning_effort: "max" },
    ],
    ["Together's field", { compat: { thinkingFormat: "together" } }, "off", { reasoning: { enabled: false } }],
    [
      "Together's field and the model's own word",
      { compat: { thinkingFormat: "together" }, thinkingLevelMap: { high: "high" } },
      "high",
      { reasoning: { enabled: true }, reasoning_effort: "high" },
    ],
    ["Qwen's field", { compat: { thinkingFormat: "qwen" } }, "off", { enable_thinking: false }],
    ["nothing where it is not known", { compat: { supportsReasoningEffort: false } }, "high", {}],
    [
      "an effort where the format is not known",
      { compat: { thinkingFormat: "new" } },
      "low",
      { reasoning_effort: "low" },
    ],
  ] as const)("sets the thinking level by %s", async (_, changes, thinkingLevel, fields) => {
    const { body } = await sent({ thinkingLevel }, { reasoning: true, ...changes });
    const { model: _model, messages: _messages, stream: _stream, stream_options: _options, ...rest } = body;
    expect(rest).toEqual(fields);
  });

  test("gives a call back with the signature that it came with", async () => {
    const extra_content = { google: { thought_signature: "signed" } };
    const call = { index: 0, id: "c1", function: { name: "read", arguments: "{}" }, extra_content };
    const received = await eventsOf(events(delta({ tool_calls: [call] }), delta({}, "tool_calls"), "[DONE]"));
    expect(received).toContainEqual({ type: "toolcall_end", index: 0, signature: "signed" });
    const signed = { type: "toolCall" as const, id: "c1", name: "read", arguments: {}, thoughtSignature: "signed" };
    const { body } = await sent({
      messages: [
        answered([signed, { ...signed, id: "c2", thoughtSignature: undefined }]),
        result("c1", []),
        result("c2", []),
      ],
    });
    expect(body.messages[1]).toMatchObject({ tool_calls: [{ id: "c1", extra_content }, { id: "c2" }] });
    expect(JSON.stringify(body).match(/thought_signature/g)).toHaveLength(1);
  });

  test("gives Google a word for the missing signature of another model's call", () => {
    const gemini = model({ baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai" });
    const calls = ["c1", "c2"].map((id) => ({ type: "toolCall" as const, id, name: "read", arguments: {} }));
    const { messages } = toChatRequest(requestFor(gemini, { messages: [answered(calls)] }), mapToolNames([]));
    expect(messages[1]).toMatchObject({
      tool_calls: [
        { id: "c1", extra_content: { google: { thought_signature: "skip_thought_signature_validator" } } },
        { id: "c2" },
      ],
    });
  });

  test("repeats thinking even if there was none, where the server wants that of a model that thinks", async () => {
    const compat = { requiresReasoningContentOnAssistantMessages: true };
    const messages = [answered([{ type: "text", text: "Done." }])];
    const roles = async (thinkingLevel: "high" | "off") =>
      (await sent({ messages, thinkingLevel }, { reasoning: true, compat })).body.messages.at(-1);
    expect(await roles("high")).toEqual({ role: "assistant", content: "Done.", reasoning_content: "" });
    expect(await roles("off")).toEqual({ role: "assistant", content: "Done." });
  });

  test("follows the description of the server", async () => {
    const compat = {
      supportsDeveloperRole: true,
      supportsUsageInStreaming: false,
      requiresToolResultName: true,
      maxTokensField: "max_completion_tokens",
    };
    const messages = [
      said("Go"),
      answered([{ type: "toolCall", id: "c1", name: "read", arguments: {} }]),
      result("c1", [{ type: "text", text: "A" }]),
    ];
    const { body } = await sent({ messages, maxTokens: 5_000, thinkingLevel: "off" }, { reasoning: true, compat });
    expect(body).not.toHaveProperty("stream_options");
    expect(body).toMatchObject({
      max_completion_tokens: 1_000,
      messages: [{ role: "developer" }, {}, {}, { name: "read" }],
    });
    const plain = await sent({ maxTokens: 200 });
    expect(plain.body).toMatchObject({ max_tokens: 200 });
  });

  test("follows Mistral's rules where they apply", async () => {
    const call = (id: string) => answered([{ type: "toolCall", id, name: "read", arguments: {} }]);
    const done = (id: string) => result(id, [{ type: "text", text: "A" }]);
    const messages = [said("Go"), call("call_1"), done("call_1"), call("abcDEF123"), done("abcDEF123"), said("And?")];
    const compat = { requiresAssistantAfterToolResult: true, requiresMistralToolIds: true };
    const { body } = await sent({ messages }, { compat });
    const roles = body.messages.map(({ role }) => role);
    expect(roles).toEqual(["system", "user", "assistant", "tool", "assistant", "tool", "assistant", "user"]);
    const ids = body.messages.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : []));
    expect(ids).toEqual([expect.stringMatching(/^[a-z0-9]{9}$/), "abcDEF123"]);
  });

  test("has the headers of model and request, and no key when there is none", async () => {
    const headers = { "x-team": "blue", "x-other": null, Authorization: "Bearer own" };
    const changed = await sent({ headers }, { headers: { "x-team": "red", "x-other": "1" } });
    expect(changed.headers).toMatchObject({ "x-team": "blue", authorization: "Bearer own" });
    expect(changed.headers).not.toHaveProperty("x-other");
    expect((await sent({ apiKey: undefined })).headers).not.toHaveProperty("authorization");
  });

  test("is shown to handlers, and sent as they return it", async () => {
    const seen: number[] = [];
    const hooks = {
      payload: async (body: object) => ({ ...body, seed: 1 }),
      response: async (status: number) => void seen.push(status),
    };
    expect((await sent({ hooks })).body).toMatchObject({ seed: 1 });
    expect(seen).toEqual([200]);
  });
});

describe("a failed chat completions request", () => {
  const refused = (status: number, error: unknown, headers = {}): CompletionReply => ({
    kind: "error",
    status,
    body: JSON.stringify({ error }),
    headers,
  });

  test.each([
    [refused(429, { message: "Rate limit reached", type: "requests" }), "rate_limit"],
    [refused(429, { message: "You exceeded your current quota", code: "insufficient_quota" }), "quota"],
    [refused(400, { message: "This model's maximum context length is 8000 tokens" }), "context_overflow"],
    [refused(400, "the request exceeds the available context size"), "context_overflow"],
    [refused(404, { message: "model not found" }), "invalid_request"],
    [refused(503, { message: "busy" }), "server"],
    [{ kind: "error", status: 502, body: "<html>Bad gateway</html>" } as const, "server"],
    [{ kind: "error", status: 400, body: '[{"error":{"message":"bad","code":400}}]' } as const, "invalid_request"],
    [events(delta({ content: "Hi" }), { error: { message: "boom", code: "server_error" } }), "server"],
    [events(delta({ content: "No" }, "content_filter"), "[DONE]"), "invalid_request"],
    [events(delta({ refusal: "I will not." }, "stop"), "[DONE]"), "invalid_request"],
    [events(delta({ content: "Hi" })), "network"],
    [events(delta({ content: "Hi" }), { error: { code: 502 } }, "[DONE]"), "server"],
    [events({ object: "error", message: "maximum context length", code: 400 }, "[DONE]"), "context_overflow"],
    [events(delta({ content: "Hi" }), delta({}, "error"), "[DONE]"), "server"],
    [events(delta({ role: "assistant" }), "[DONE]"), "network"],
    [events("[DONE]"), "network"],
    [events("{"), "server"],
    [events({ choices: "none" }), "server"],
    [{ kind: "cut", events: [delta({ content: "Hi" })] } as const, "network"],
  ] as const)("is classified: %j is %s", async (reply, kind) => {
    expect((await failureOf(reply)).kind).toBe(kind);
  });

  test("says what to do, and how long to wait", async () => {
    const limited = await failureOf(refused(429, { message: "Slow down" }, { "retry-after": "3" }));
    expect(limited.error.retryAfterMs).toBe(3_000);
    expect(limited.message).toBe("HOST is limiting the request rate (429: Slow down).");
    const key = await collect(provider, requestFor(model(), { apiKey: "bad-key" })).catch(String);
    expect(key).toContain("rejected the API key (401: Incorrect API key provided). To change it,");
    const other = await ScriptedCompletions.start();
    await other.stop();
    const gone = await collect(provider, requestFor(model({ baseUrl: other.url }))).catch(String);
    expect(gone).toContain("connection refused (ECONNREFUSED). Check your network and the address.");
  });

  test.each([createCompletionsProvider(), createAnthropicProvider()])(
    "never repeats an invalid key, header or password: $api",
    async (one) => {
      const withPassword = server.url.replace("//", "//me:hush@");
      const requests = [
        requestFor(model(), { apiKey: "hu\nsh" }),
        requestFor(model({ headers: { "x-key": "hu\nsh" } })),
        requestFor(model({ baseUrl: withPassword })),
      ];
      for (const request of requests) {
        const error: unknown = await collect(one, request).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({
          kind: "invalid_request",
          message: expect.stringMatching(/^Couldn't send the request/),
        });
        expect(String(error)).not.toMatch(/hu\s*sh/);
      }
    },
  );

  test("is an abort when the caller's abort came first, before and during an answer", async () => {
    const controller = new AbortController();
    server.enqueue({ kind: "hang", events: [delta({ content: "Hi" })] });
    const request = requestFor(model(), { signal: controller.signal });
    const failure: unknown = await (async () => {
      for await (const _ of provider.stream(request)) controller.abort();
    })().catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: "aborted" });
    expect(await collect(provider, request).catch((error: unknown) => error)).toMatchObject({ kind: "aborted" });
  });

  test("can be a long silence", async () => {
    server.enqueue({ kind: "hang", events: [delta({ content: "Hi" })] });
    const impatient = createCompletionsProvider({ idleTimeoutMs: 50 });
    expect(await collect(impatient, requestFor(model())).catch((error: unknown) => error)).toMatchObject({
      kind: "timeout",
    });
  });
});
