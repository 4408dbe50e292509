import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MessageBuilder } from "../../agent/loop/message-builder.ts";
import type { AgentMessage } from "../../agent/protocol/messages.ts";
import type { Model } from "../../agent/protocol/model.ts";
import { ProviderError, type ProviderRequest } from "../../agent/providers/provider.ts";
import { png } from "../support/pictures.ts";
import type { WireServer } from "../support/wire.ts";
import { WIRES } from "../support/wires.ts";
import { collect, requestFor } from "./collect.ts";

describe.each(WIRES)("a model behind $api", ({ api, model: id = "served", create, start, failures, refusals }) => {
  const provider = create();
  let server: WireServer;

  beforeEach(async () => {
    server = await start();
  });

  afterEach(() => server.stop());

  function model(): Model {
    return {
      id,
      name: "Served",
      api,
      provider: "local",
      baseUrl: server.url,
      reasoning: true,
      input: ["text", "image"],
      contextWindow: 8_000,
      maxTokens: 1_000,
      cost: { input: 1_000_000, output: 2_000_000, cacheRead: 100_000, cacheWrite: 0 },
    };
  }

  const ask = (parts: Partial<ProviderRequest> = {}) => collect(provider, requestFor(model(), parts));

  async function messageOf(parts: Partial<ProviderRequest> = {}) {
    const builder = new MessageBuilder(model(), "low");
    for (const event of await ask(parts)) builder.apply(event);
    return builder.finished();
  }

  async function failure(parts: Partial<ProviderRequest> = {}, asked = provider): Promise<ProviderError> {
    const error: unknown = await collect(asked, requestFor(model(), parts)).catch((thrown: unknown) => thrown);
    if (!(error instanceof ProviderError)) throw new Error(`The request should have failed: ${JSON.stringify(error)}`);
    return error;
  }

  test("answers with text", async () => {
    server.text("Grüße 🙂");
    expect(await messageOf()).toMatchObject({ content: [{ type: "text", text: "Grüße 🙂" }], stopReason: "stop" });
  });

  test("shows each event as the service sent it, and its own model", async () => {
    server.text("Grüße 🙂");
    const shown: { data: unknown; from: string }[] = [];
    const hooks = {
      payload: async (body: object) => body,
      response: async () => undefined,
      streamEvent: async (data: unknown, asked: Model) =>
        void shown.push({ data, from: `${asked.provider} ${asked.api} ${asked.id}` }),
    };
    expect(await messageOf({ hooks })).toMatchObject({ stopReason: "stop" });
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.every(({ data }) => typeof data === "object")).toBe(true);
    expect([...new Set(shown.map(({ from }) => from))]).toEqual([`local ${api} ${id}`]);
  });

  test("shows what it thinks before it answers", async () => {
    server.thinking("Hm.");
    expect((await messageOf()).content).toMatchObject([
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "So." },
    ]);
  });

  test("calls several tools at once, and gets their results", async () => {
    server.calls();
    const tools = ["read", "ls"].map((name) => ({ name, description: name, parameters: { type: "object" } }));
    const message = await messageOf({ tools });
    expect(message).toMatchObject({
      stopReason: "toolUse",
      content: [
        { type: "toolCall", id: "call_1", name: "read", arguments: { path: "a" } },
        { type: "toolCall", id: "call_2", name: "ls", arguments: {} },
      ],
    });
    const result = (toolCallId: string, text: string): AgentMessage => ({
      role: "toolResult",
      toolCallId,
      toolName: "read",
      content: [{ type: "text", text }],
      isError: false,
      timestamp: 3,
    });
    server.text("Done.");
    const said: AgentMessage = { role: "user", content: "Go", timestamp: 1 };
    const results = [result("call_1", "from a"), result("call_2", "nothing")];
    await ask({ tools, messages: [said, message, ...results] });
    expect(server.bodies().at(-1)).toMatch(/from a.*nothing/);
  });

  test("sees images", async () => {
    server.text("A dot.");
    const data = png(2, 2).toString("base64");
    const content = [{ type: "image" as const, mimeType: "image/png", data }];
    await ask({ messages: [{ role: "user", content, timestamp: 1 }] });
    expect(server.bodies()[0]).toContain(data);
  });

  test("counts tokens, those from the cache separately, and their cost", async () => {
    server.counted();
    expect((await messageOf()).usage).toMatchObject({
      input: 7,
      output: 34,
      cacheRead: 5,
      totalTokens: 46,
      cost: { input: 7, output: 68, cacheRead: 0.5, total: 75.5 },
    });
  });

  test("stops at its limit", async () => {
    server.atLimit("Half");
    expect(await messageOf()).toMatchObject({ content: [{ text: "Half" }], stopReason: "length" });
  });

  test("declines in its own words", async () => {
    server.refused("I will not.");
    expect((await failure()).message).toContain("The model declined to respond: I will not.");
  });

  test.each(failures)("fails in the middle of an answer with %s: %s", async (code, message, kind) => {
    server.failed(code, message);
    expect(await failure()).toMatchObject({ kind, message: `The model stopped with an error: ${code}: ${message}` });
  });

  test.each(refusals)("refuses a request with %j", async (refusal, kind) => {
    server.refuse(refusal, { "retry-after": "3" });
    expect(await failure()).toMatchObject({ kind, status: refusal.status, retryAfterMs: 3_000 });
  });

  test("says in the middle of an answer how long to wait", async () => {
    const [code = expect.unreachable()] = failures.find(([, , kind]) => kind === "rate_limit") ?? [];
    for (const [wait, ms] of [
      ["11.5s", 11_500],
      ["120ms", 120],
      ["1m2.5s", 62_500],
      ["6m0s", 360_000],
      ["a while", undefined],
    ]) {
      server.failed(code, `Rate limit reached. Please try again in ${wait}.`);
      expect(await failure()).toMatchObject({ kind: "rate_limit", retryAfterMs: ms });
    }
  });

  test("refuses an invalid key", async () => {
    expect((await failure({ apiKey: "bad-key" })).message).toMatch(/ rejected the API key \(40[13]: /);
  });

  test.each(["cut", "ended"] as const)("can lose the connection: %s", async (end) => {
    server.begun(end);
    expect((await failure()).kind).toBe("network");
  });

  test("can fall silent", async () => {
    server.begun("hang");
    expect((await failure({}, create({ idleTimeoutMs: 50 }))).kind).toBe("timeout");
  });

  test("can be stopped before and during an answer", async () => {
    const controller = new AbortController();
    server.begun("hang");
    const request = requestFor(model(), { signal: controller.signal });
    const stopped: unknown = await (async () => {
      for await (const _ of provider.stream(request)) controller.abort();
    })().catch((error: unknown) => error);
    expect(stopped).toMatchObject({ kind: "aborted" });
    expect(await failure({ signal: controller.signal })).toMatchObject({ kind: "aborted" });
  });
});
