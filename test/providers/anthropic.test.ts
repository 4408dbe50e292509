import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Model } from "../../agent/protocol/model.ts";
import { createAnthropicProvider } from "../../agent/providers/anthropic.ts";
import type { ProviderError } from "../../agent/providers/provider.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import {
  cutMidStream,
  flood,
  garbage,
  hang,
  httpError,
  ping,
  type ReplySource,
  redactedThinking,
  reply,
  streamError,
  text,
  thinking,
  toolCall,
} from "../support/scripted-replies.ts";
import { collect, modelAt, requestFor } from "./collect.ts";

const provider = createAnthropicProvider();
let server: ScriptedModel;

beforeEach(async () => {
  server = await ScriptedModel.start();
});

afterEach(async () => {
  await server.stop();
});

function model(id = "claude-opus-5-5") {
  return modelAt(id, server.url);
}

async function failureOf(script: ReplySource, parts: Parameters<typeof requestFor>[1] = {}) {
  server.enqueue(script);
  const failure: ProviderError = await collect(provider, requestFor(model(), parts)).then(
    () => expect.unreachable("the request should have failed"),
    (error) => error,
  );
  return { kind: failure.kind, message: failure.message.replace(server.url.slice("http://".length), "HOST"), failure };
}

describe("a streamed answer of Anthropic's API", () => {
  test("arrives as text, thinking and tool calls with indices, usage and stop reason", async () => {
    server.enqueue(
      reply(
        [
          thinking("Hm.", { signature: "sig-1" }),
          ping(),
          redactedThinking("secret"),
          text("Grüße 🙂!", { chunks: 3 }),
          toolCall("read", { path: "ü.txt" }, { id: "toolu_1", pieces: 2 }),
        ],
        { usage: { input_tokens: 12, output_tokens: 34, cache_read_input_tokens: 5, thinking_tokens: 3 } },
      ),
    );
    const events = await collect(provider, requestFor(model()));
    expect(events).toEqual([
      { type: "start", responseId: "msg_scripted", responseModel: "claude-opus-5-5" },
      { type: "usage", tokens: { input: 12, output: 1, cacheRead: 5, cacheWrite: 0, reasoning: undefined } },
      { type: "thinking_start", index: 0 },
      { type: "thinking_delta", index: 0, delta: "Hm." },
      { type: "thinking_end", index: 0, signature: "sig-1" },
      { type: "thinking_start", index: 1, redacted: true },
      { type: "thinking_end", index: 1, signature: "secret" },
      { type: "text_start", index: 2 },
      { type: "text_delta", index: 2, delta: "Grüße 🙂!" },
      { type: "text_end", index: 2 },
      { type: "toolcall_start", index: 3, id: "toolu_1", name: "read" },
      { type: "toolcall_delta", index: 3, delta: '{"path":"ü.txt"}' },
      { type: "toolcall_end", index: 3 },
      { type: "usage", tokens: { input: 12, output: 34, cacheRead: 5, cacheWrite: 0, reasoning: 3 } },
      { type: "end", stopReason: "toolUse" },
    ]);
  });

  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
  ])("that stops with %s ends as %s", async (stopReason, expected) => {
    server.enqueue(reply("Hi", { stopReason }));
    const events = await collect(provider, requestFor(model()));
    expect(events.at(-1)).toEqual({ type: "end", stopReason: expected });
  });

  test("returns tools with invalid names under their own name", async () => {
    server.enqueue(reply([toolCall("my_tool", {}, { id: "toolu_1" })]));
    const tools = [{ name: "my.tool", description: "d", parameters: {} }];
    const events = await collect(provider, requestFor(model(), { tools }));
    expect(events).toContainEqual({ type: "toolcall_start", index: 0, id: "toolu_1", name: "my.tool" });
  });

  test("of many deltas arrives in far fewer events, with all of its text", async () => {
    server.enqueue(reply([flood(5000, 20)]));
    let events = 0;
    let said = "";
    for await (const batch of provider.stream(requestFor(model()))) {
      events += batch.length;
      for (const event of batch) if (event.type === "text_delta") said += event.delta;
    }
    expect(said).toBe("lorem ipsum dolor si".repeat(5000));
    expect(events).toBeLessThan(500);
  });

  test("keeps deltas of different blocks and kinds apart", async () => {
    server.enqueue(reply([thinking("Hm."), text("One"), text("Two"), toolCall("ls", {}, { id: "toolu_1" })]));
    const events = await collect(provider, requestFor(model()));
    expect(events.filter((event) => "delta" in event)).toEqual([
      { type: "thinking_delta", index: 0, delta: "Hm." },
      { type: "text_delta", index: 1, delta: "One" },
      { type: "text_delta", index: 2, delta: "Two" },
      { type: "toolcall_delta", index: 3, delta: "{}" },
    ]);
  });

  test("is requested with key, limits, effort and readable thinking", async () => {
    server.enqueue(reply("Hi"));
    await collect(provider, requestFor(model(), { thinkingLevel: "xhigh", maxTokens: 900 }));
    const [{ headers, body } = expect.unreachable("no request came")] = server.requests;
    expect(headers).toMatchObject({
      "x-api-key": "test-key",
      "anthropic-beta": "thinking-binding-controls-2026-08-01",
    });
    expect(body).toMatchObject({
      model: "claude-opus-5-5",
      max_tokens: 900,
      output_config: { effort: "xhigh" },
      thinking: { type: "adaptive", display: "summarized", block_binding: { prefix_mismatch_behavior: "drop_block" } },
    });
  });
});

describe("the features of a request", () => {
  const betas = async (parts: Partial<Model>, request: Parameters<typeof requestFor>[1] = {}) => {
    server.enqueue(reply("Hi"));
    await collect(provider, requestFor({ ...model("claude-sonnet-4-5"), ...parts }, request));
    return server.requests.at(-1)?.headers["anthropic-beta"];
  };
  const INTERLEAVED = "interleaved-thinking-2025-05-14";
  const LONG = "context-1m-2025-08-07";

  test("are asked for by header: thinking between calls for models with a budget, and a larger window", async () => {
    expect(await betas({}, { thinkingLevel: "off" })).toBeUndefined();
    expect(await betas({})).toBe(INTERLEAVED);
    const messages = [{ role: "user", content: "word ".repeat(200_000), timestamp: 1 } as const];
    expect(await betas({ contextWindow: 1_000_000 }, { messages })).toBe(`${INTERLEAVED},${LONG}`);
    expect(await betas({ id: "claude-sonnet-4-5-20250929", contextWindow: 1_000_000 })).toContain(LONG);
    expect(await betas({ id: "claude-sonnet-4-6", contextWindow: 1_000_000 })).not.toContain(LONG);
  });

  test("are added to those that the model's headers ask for, and left out when the headers say so", async () => {
    expect(await betas({ headers: { "Anthropic-Beta": LONG } })).toBe(`${LONG},${INTERLEAVED}`);
    expect(await betas({}, { headers: { "anthropic-beta": INTERLEAVED } })).toBe(INTERLEAVED);
    expect(await betas({}, { headers: { "anthropic-beta": null } })).toBeUndefined();
  });

  test("are refused by the service when it doesn't know them", async () => {
    const failed = collect(provider, requestFor({ ...model(), headers: { "anthropic-beta": "tea-2026" } }));
    await expect(failed).rejects.toThrow("Unexpected value(s) `tea-2026` for the `anthropic-beta` header.");
  });
});

describe("a failed request", () => {
  test("explains how to check a wrong key", async () => {
    const failure = await collect(provider, requestFor(model(), { apiKey: "bad-key" })).catch((error) => error);
    expect(failure).toMatchObject({ kind: "auth", status: 401, isRetryable: false });
    expect(failure.message).toContain('run "Tiller: Set API Key" in VS Code, or set ANTHROPIC_API_KEY');
  });

  test.each([
    [404, "not_found_error", "model: nope", "invalid_request"],
    [400, "invalid_request_error", "messages: nonsense", "invalid_request"],
    [400, "invalid_request_error", "prompt is too long: 1000001 tokens > 1000000 maximum", "context_overflow"],
    [413, "request_too_large", "Request exceeds the maximum size", "context_overflow"],
    [400, "invalid_request_error", "Your credit balance is too low to access the API", "quota"],
    [402, "billing_error", "Pay first", "quota"],
    [429, "rate_limit_error", "You have reached your specified API usage limits", "quota"],
    [403, "permission_error", "Your key may not use this", "auth"],
    [500, "api_error", "Internal server error", "server"],
    [529, "overloaded_error", "Overloaded", "overloaded"],
  ] as const)("with %i %s %s is of kind %4$s", async (status, type, message, kind) => {
    const failed = await failureOf(httpError(status, type, message));
    expect(failed.kind).toBe(kind);
    expect(failed.failure.status).toBe(status);
    expect(failed.message).toContain(`${status}: ${message}`);
  });

  test("passes on how long to wait after a rate limit", async () => {
    const seconds = await failureOf(httpError(429, "rate_limit_error", "Slow down", { "retry-after": "7" }));
    expect(seconds).toMatchObject({ kind: "rate_limit", failure: { retryAfterMs: 7000, isRetryable: true } });
    const ms = await failureOf(
      httpError(429, "rate_limit_error", "Slow down", { "retry-after": "7", "retry-after-ms": "1500" }),
    );
    expect(ms.failure.retryAfterMs).toBe(1500);
    expect(ms.message).not.toContain("Ask again");
    const wait = async (seconds: number) =>
      (await failureOf(httpError(429, "rate_limit_error", "Slow down", { "retry-after": `${seconds}` }))).message;
    expect(await wait(61)).toMatch(/\(429: Slow down\)\. Try again in 2 min\.$/);
    expect(await wait(7_201)).toMatch(/ Try again in 2 h 1 min\.$/);
    expect(await wait(1e308)).toMatch(/\(429: Slow down\)\.$/);
  });

  test("passes on what came before an error in the stream", async () => {
    server.enqueue(streamError("overloaded_error", "Overloaded", [text("Hel")]));
    const seen: string[] = [];
    const reading = (async () => {
      for await (const batch of provider.stream(requestFor(model()))) seen.push(...batch.map((event) => event.type));
    })();
    await expect(reading).rejects.toMatchObject({
      kind: "overloaded",
      message: "The model stopped with an error: overloaded_error: Overloaded",
    });
    expect(seen).toEqual(["start", "usage", "text_start", "text_delta", "text_end"]);
  });

  test("is a network failure when the stream was cut", async () => {
    const { kind, message } = await failureOf(cutMidStream([text("Hel")]));
    expect({ kind, message }).toEqual({
      kind: "network",
      message: "Lost the connection to HOST during the response.",
    });
  });

  test("explains why the model refused", async () => {
    const { kind, message } = await failureOf(
      reply([text("I")], { stopReason: "refusal", explanation: "It could do harm" }),
    );
    expect(kind).toBe("invalid_request");
    expect(message).toContain("The model declined to respond: It could do harm.");
  });

  test("quotes an invalid answer of the server", async () => {
    const { kind, message } = await failureOf(garbage("data: <html>\n\n"));
    expect({ kind, message }).toEqual({
      kind: "server",
      message: "The model server sent an event that is not JSON: <html>",
    });
  });

  test("names the host and the reason if no server listens", async () => {
    const port = await freePort();
    const unreachable = modelAt("claude-opus-5-5", `http://127.0.0.1:${port}`);
    await expect(collect(provider, requestFor(unreachable))).rejects.toMatchObject({
      kind: "network",
      message: `Couldn't reach 127.0.0.1:${port}: connection refused (ECONNREFUSED). Check your network and the address.`,
    });
  });

  test("is a timeout when the server is silent, and closes the connection", async () => {
    const silent = hang({ afterBlocks: [text("Hel")] });
    server.enqueue(silent);
    const impatient = createAnthropicProvider({ idleTimeoutMs: 300 });
    await expect(collect(impatient, requestFor(model()))).rejects.toMatchObject({ kind: "timeout" });
    await silent.clientClosed.promise;
  });
});

describe("an aborted request", () => {
  test("closes the connection and ends as aborted", async () => {
    const hanging = hang({ afterBlocks: [text("Hel")] });
    server.enqueue(hanging);
    const controller = new AbortController();
    const reading = (async () => {
      for await (const batch of provider.stream(requestFor(model(), { signal: controller.signal }))) {
        if (batch.some((event) => event.type === "text_delta")) controller.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ kind: "aborted", message: "Request was aborted" });
    await hanging.clientClosed.promise;
  });

  test("is not sent when it was aborted before it began", async () => {
    const signal = AbortSignal.abort();
    await expect(collect(provider, requestFor(model(), { signal }))).rejects.toMatchObject({ kind: "aborted" });
    expect(server.requests).toEqual([]);
  });

  test("closes the connection when its reader stops", async () => {
    const hanging = hang({ afterBlocks: [text("Hel")] });
    server.enqueue(hanging);
    for await (const batch of provider.stream(requestFor(model()))) {
      if (batch.some((event) => event.type === "text_delta")) break;
    }
    await hanging.clientClosed.promise;
  });
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  if (address === null || typeof address === "string") throw new Error("The probe has no port.");
  return address.port;
}
