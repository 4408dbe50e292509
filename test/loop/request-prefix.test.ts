import { describe, expect, it } from "vitest";
import { isExpired, RequestPrefix, type SentRequest } from "../../agent/loop/request-prefix.ts";
import type { AssistantMessage, UserMessage } from "../../agent/protocol/messages.ts";
import type { Model } from "../../agent/protocol/model.ts";
import { cacheLifetimeMs, rereadCost } from "../../agent/providers/cache-lifetime.ts";
import { ZERO_USAGE } from "../../agent/providers/cost.ts";
import { anyTool, textOutput } from "../../agent/tools/tool.ts";
import { modelAt } from "../providers/collect.ts";

const MINUTE_MS = 60_000;
const model = modelAt("claude-opus-5-5", "http://127.0.0.1");
const other = modelAt("claude-sonnet-5-5", "http://127.0.0.1");

const said = (text: string): UserMessage => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 });
const answered = (timestamp: number): AssistantMessage => ({
  role: "assistant",
  content: [{ type: "text", text: "Hello" }],
  api: model.api,
  provider: model.provider,
  model: model.id,
  usage: ZERO_USAGE,
  stopReason: "stop",
  timestamp,
});

const tool = (name: string, description = `Can ${name}.`) =>
  anyTool<unknown>({
    name,
    label: name,
    description,
    origin: "host",
    concurrency: "shared",
    isReadOnly: true,
    parameters: {},
    parse: (input) => ({ ok: true, input }),
    summarize: () => "",
    run: () => Promise.resolve(textOutput("ok")),
  });
const toolMap = (...tools: ReturnType<typeof tool>[]) => new Map(tools.map((one) => [one.name, one]));

/** The usage of an answer whose request was stored in the cache. */
const WRITTEN = { ...ZERO_USAGE, cacheWrite: 100 };

/** Sends a request. @returns the rewrite that its answer reports. */
function send(prefix: RequestPrefix, parts: Partial<SentRequest> = {}, usage = WRITTEN, now = 0) {
  const request = {
    model,
    thinkingLevel: "off",
    tools: [],
    systemPrompt: "Be brief.",
    messages: [said("Hi")],
    ...parts,
  } as const;
  const lifetimeMs = cacheLifetimeMs(request.model, "5m");
  prefix.sends(request, toolMap(), lifetimeMs, now);
  return prefix.takeRewrite(usage)?.reason;
}

describe("the reason why a request begins differently", () => {
  it("is none for the first request, and for one that adds messages, also new objects for the same words", () => {
    const prefix = new RequestPrefix();
    expect(send(prefix)).toBeUndefined();
    expect(send(prefix, { messages: [said("Hi"), answered(0), said("And?")] })).toBeUndefined();
  });

  it.each<[string, Partial<SentRequest>]>([
    [`model changed (${model.id} to ${other.id})`, { model: other }],
    ["tool list changed (github was added)", { tools: [tool("read"), tool("github")] }],
    [
      "tool list changed (a, b, c and 1 more were added; read was removed)",
      { tools: [tool("a"), tool("b"), tool("c"), tool("d")] },
    ],
    ["tool list changed (read was changed)", { tools: [tool("read", "Reads.")] }],
    ["system prompt changed", { systemPrompt: "Be long." }],
    ["thinking level changed (off to high)", { thinkingLevel: "high" }],
    ["earlier messages changed", { messages: [said("Ho"), answered(0)] }],
  ])("is: %s", (reason, parts) => {
    const prefix = new RequestPrefix();
    send(prefix, { tools: [tool("read")] });
    expect(send(prefix, { tools: [tool("read")], ...parts })).toBe(reason);
    expect(send(prefix, { tools: [tool("read")], ...parts })).toBeUndefined();
  });

  it.each([
    ["compaction", "history was compacted"],
    ["pruning", "old tool results were left out"],
    ["branch", "the chat continued from an earlier message"],
    ["refusal", "a part that the provider refused was left out"],
    ["shortening", "long messages were shortened"],
  ] as const)("is what was told of the history: %s", (change, reason) => {
    const prefix = new RequestPrefix();
    send(prefix);
    prefix.changes(change);
    expect(send(prefix, { messages: [said("Summary")], tools: [tool("recall")] })).toBe(reason);
    prefix.changes(change);
    expect(send(prefix, { messages: [said("Summary"), said("More")], tools: [tool("recall")] })).toBeUndefined();
  });

  it("is that the cache has expired, which another provider's answer doesn't tell", () => {
    const messages = [said("Hi"), answered(0), said("And?")];
    expect(send(new RequestPrefix(), { messages }, WRITTEN, 5 * MINUTE_MS)).toBeUndefined();
    const reason = "cache expired after 5 minutes";
    expect(send(new RequestPrefix(), { messages }, WRITTEN, 6 * MINUTE_MS)).toBe(reason);
    expect(send(new RequestPrefix(), { messages, model: other }, WRITTEN, 6 * MINUTE_MS)).toBeUndefined();
  });

  it("is that the cache has expired, whatever else changed, unless the model did", () => {
    const later = { messages: [said("Hi"), answered(0), said("And?")], systemPrompt: "Be long." };
    const prefix = new RequestPrefix();
    send(prefix);
    expect(send(prefix, later, WRITTEN, 6 * MINUTE_MS)).toBe("cache expired after 5 minutes");
    const changed = `model changed (${model.id} to ${other.id})`;
    expect(send(prefix, { ...later, model: other }, WRITTEN, 12 * MINUTE_MS)).toBe(changed);
  });

  it("is none while the provider has reported no tokens of a cache", () => {
    const prefix = new RequestPrefix();
    send(prefix, {}, ZERO_USAGE);
    expect(send(prefix, { systemPrompt: "Be long." }, ZERO_USAGE)).toBeUndefined();
    send(prefix);
    expect(send(prefix, { systemPrompt: "Be kind." }, ZERO_USAGE)).toBe("system prompt changed");
    prefix.clear();
    send(prefix, {}, ZERO_USAGE);
    expect(send(prefix, { systemPrompt: "Be bold." }, ZERO_USAGE)).toBeUndefined();
  });

  it("is none if the cache served what it had, however much is new", () => {
    const prefix = new RequestPrefix();
    send(prefix);
    const usage = { ...ZERO_USAGE, cacheRead: 95, cacheWrite: 1000 };
    expect(send(prefix, { systemPrompt: "Be long." }, usage)).toBeUndefined();
    expect(send(prefix, { systemPrompt: "Be kind." }, usage)).toBe("system prompt changed");
  });

  it("doesn't come from a request that was never answered", () => {
    const prefix = new RequestPrefix();
    send(prefix);
    const failed = { model: other, thinkingLevel: "off", tools: [], systemPrompt: "", messages: [] } as const;
    prefix.sends(failed, toolMap(), undefined);
    expect(send(prefix)).toBeUndefined();
    prefix.changes("pruning");
    prefix.sends(failed, toolMap(), undefined);
    expect(send(prefix, { messages: [said("Ho")] })).toBe("old tool results were left out");
  });

  it("waits for the answer when a request fails, and is none if the cache served the request after all", () => {
    const prefix = new RequestPrefix();
    send(prefix);
    const changed = {
      model,
      thinkingLevel: "off",
      tools: [],
      systemPrompt: "Be long.",
      messages: [said("Hi")],
    } as const;
    prefix.sends(changed, toolMap(), undefined); // fails
    expect(send(prefix, changed)).toBe("system prompt changed");
    expect(send(prefix, { systemPrompt: "Be kind." }, { ...ZERO_USAGE, cacheRead: 95, input: 5 })).toBeUndefined();
    expect(send(prefix, { systemPrompt: "Be bold." }, { ...ZERO_USAGE, cacheRead: 50, input: 50 })).toBeDefined();
  });
});

describe("the tools that requests declare", () => {
  const [read, turn] = [tool("read"), tool("turn")];
  /** A tool that has withdrawn itself. */
  const pick = { ...tool("pick"), isOffered: () => false };
  const names = (tools: ReadonlyMap<string, unknown>) => [...tools.keys()];

  /** The names after a request that declared `before`. */
  function declared(before: Map<string, typeof read>, offered: Map<string, typeof read>, isExpired = false) {
    const prefix = new RequestPrefix();
    prefix.sends({ model, thinkingLevel: "off", tools: [], systemPrompt: "", messages: [] }, before, undefined);
    prefix.takeRewrite(ZERO_USAGE);
    return { prefix, declare: () => names(prefix.declare(offered, model, isExpired)) };
  }

  it("stay when one withdraws itself, and have new ones behind them; then the ones that went go, too", () => {
    expect(declared(toolMap(read, pick), toolMap(read)).declare()).toEqual(["read", "pick"]);
    expect(declared(toolMap(read, pick), toolMap(turn, read, pick)).declare()).toEqual(["read", "pick", "turn"]);
    expect(declared(toolMap(read, pick), toolMap(turn, read)).declare()).toEqual(["read", "turn"]);
  });

  it("lose one that was switched off, and those that have withdrawn themselves with it", () => {
    expect(declared(toolMap(read, pick, turn), toolMap(read, pick)).declare()).toEqual(["read", "pick"]);
    expect(declared(toolMap(read, pick, turn), toolMap(read)).declare()).toEqual(["read"]);
  });

  it("are those that can be called, once nothing is left in the cache", () => {
    expect(declared(toolMap(read, pick), toolMap(read), true).declare()).toEqual(["read"]);
    const compacted = declared(toolMap(read, pick), toolMap(read));
    compacted.prefix.changes("compaction");
    expect(compacted.declare()).toEqual(["read"]);
    const opened = declared(toolMap(read, pick), toolMap(read));
    opened.prefix.clear();
    expect(opened.declare()).toEqual(["read"]);
    expect(names(declared(toolMap(read, pick), toolMap(read)).prefix.declare(toolMap(read), other, false))).toEqual([
      "read",
    ]);
  });
});

describe("the cache of a provider", () => {
  it("is known for models with a price for writes, for as long as the setting says", () => {
    expect(cacheLifetimeMs(model, "5m")).toBe(5 * MINUTE_MS);
    expect(cacheLifetimeMs(model, "1h")).toBe(60 * MINUTE_MS);
    const cost = { input: 1, output: 1, cacheRead: 0.1, cacheWrite: 0 };
    expect(cacheLifetimeMs({ ...model, cost }, "5m")).toBeUndefined();
    expect(isExpired([answered(0)], undefined, 1e15)).toBe(false);
    expect(isExpired([said("Hi")], 1, 1e15)).toBe(false);
  });

  it.each<[boolean, string, Partial<Model>]>([
    [true, "Claude at Vertex AI", { api: "anthropic-vertex" }],
    [true, "Claude at Bedrock", { api: "bedrock-converse-stream" }],
    [false, "another model at Bedrock", { api: "bedrock-converse-stream", id: "openai.gpt", name: "GPT" }],
    [true, "marks on completions", { api: "openai-completions", compat: { cacheControlFormat: "anthropic" } }],
    [false, "completions", { api: "openai-completions" }],
    [false, "responses", { api: "openai-responses" }],
  ])("is known only where requests mark what is to be kept (%s: %s)", (isKnown, _, parts) => {
    expect(cacheLifetimeMs({ ...model, ...parts }, "5m") !== undefined).toBe(isKnown);
  });

  it("costs the price of writes when it is filled anew, twice that of input for an hour", () => {
    const cost = { input: 4, output: 1, cacheRead: 0.4, cacheWrite: 5 };
    expect(rereadCost({ cost }, 100_000, "5m")).toBeCloseTo(0.5);
    expect(rereadCost({ cost }, 100_000, "1h")).toBeCloseTo(0.8);
  });
});
