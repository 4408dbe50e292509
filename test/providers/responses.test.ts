import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MessageBuilder } from "../../agent/loop/message-builder.ts";
import type { AgentMessage, AssistantMessage } from "../../agent/protocol/messages.ts";
import type { Model } from "../../agent/protocol/model.ts";
import { prepareContext } from "../../agent/providers/prepare-context.ts";
import type { ProviderRequest } from "../../agent/providers/provider.ts";
import { createResponsesProvider } from "../../agent/providers/responses.ts";
import { responseEvents, type ScriptedItem } from "../support/responses-events.ts";
import { type ResponsesReply, ScriptedResponses } from "../support/scripted-responses.ts";
import { collect, requestFor } from "./collect.ts";

let provider = createResponsesProvider();
let server: ScriptedResponses;

beforeEach(async () => {
  server = await ScriptedResponses.start();
  provider = createResponsesProvider();
});

afterEach(() => server.stop());

function model(changes: Partial<Model> = {}): Model {
  return {
    id: "served",
    name: "Served",
    api: "openai-responses",
    provider: "openai",
    baseUrl: server.url,
    reasoning: true,
    input: ["text", "image"],
    contextWindow: 8_000,
    maxTokens: 1_000,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ...changes,
  };
}

const THOUGHT: ScriptedItem = { kind: "reasoning", id: "rs_1", summary: ["First look.", "Then act."] };
const SAID: ScriptedItem = { kind: "text", id: "msg_1", text: "Grüße 🙂", phase: "commentary" };
const READ: ScriptedItem = { kind: "call", id: "fc_1", callId: "call_1", name: "read", args: { path: "a" } };
const LIST: ScriptedItem = { kind: "call", id: "fc_2", callId: "call_2", name: "ls", args: {} };
const whole = (...items: ScriptedItem[]): ResponsesReply => ({ kind: "events", events: responseEvents(items) });
const said = (content: Extract<AgentMessage, { role: "user" }>["content"]): AgentMessage => ({
  role: "user",
  content,
  timestamp: 1,
});
const result = (id: string, content: Extract<AgentMessage, { role: "toolResult" }>["content"]): AgentMessage => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "read",
  content,
  isError: false,
  timestamp: 3,
});

async function eventsOf(reply: ResponsesReply, parts: Partial<ProviderRequest> = {}, changes: Partial<Model> = {}) {
  server.enqueue(reply);
  return collect(provider, requestFor(model(changes), parts));
}

/** The body that is sent for these parts. */
async function sent(parts: Partial<ProviderRequest> = {}, changes: Partial<Model> = {}) {
  await eventsOf(whole(SAID), parts, changes);
  const body = server.requests.at(-1)?.body;
  if (body === undefined) throw new Error("Nothing was sent.");
  return body;
}

/** The answer that a reply becomes in a session; one that is cut was stopped by the user. */
async function answerOf(reply: ResponsesReply, messages?: AgentMessage[]): Promise<AssistantMessage> {
  server.enqueue(reply);
  const builder = new MessageBuilder(model(), "low");
  const parts = messages === undefined ? {} : { messages: prepareContext(messages, model()) };
  try {
    for await (const batch of provider.stream(requestFor(model(), parts)))
      for (const event of batch) builder.apply(event);
  } catch {
    return builder.failed("aborted", "Stopped.");
  }
  return builder.finished();
}

/** The items that a session with these messages sends. */
async function itemsOf(messages: AgentMessage[], changes: Partial<Model> = {}) {
  const own = model(changes);
  return (await sent({ messages: prepareContext(messages, own) }, changes)).input;
}

describe("a streamed response", () => {
  test("that ends in the middle of a call has no call that runs", async () => {
    const whole = responseEvents([READ]);
    const events = whole
      .filter(({ type }) => !/\.done$/.test(type))
      .map((event) => (event.type.endsWith("arguments.delta") ? { ...event, delta: '{"path":"a' } : event));
    server.enqueue({ kind: "events", events });
    const builder = new MessageBuilder(model(), "low");
    for await (const batch of provider.stream(requestFor(model()))) for (const event of batch) builder.apply(event);
    expect([...builder.brokenCalls.keys()]).toEqual(["call_1"]);
  });

  test("arrives as thinking, text, and overlapping calls, each with what sends it back", async () => {
    const events = responseEvents([THOUGHT, SAID, READ, LIST], {
      usage: { input: 12, output: 34, cached: 5, reasoning: 20 },
    });
    expect(await eventsOf({ kind: "events", events })).toEqual([
      { type: "start", responseId: "resp_1", responseModel: "served-2026" },
      { type: "thinking_start", index: 0 },
      { type: "thinking_delta", index: 0, delta: "First look.\n\nThen act." },
      { type: "thinking_end", index: 0, signature: expect.stringContaining('"encrypted_content":"encrypted:rs_1"') },
      { type: "text_start", index: 1 },
      { type: "text_delta", index: 1, delta: "Grüße 🙂" },
      { type: "text_end", index: 1, signature: '{"id":"msg_1","phase":"commentary"}' },
      { type: "toolcall_start", index: 2, id: "call_1", name: "read" },
      { type: "toolcall_delta", index: 2, delta: '{"path":"a"}' },
      { type: "toolcall_end", index: 2, signature: "fc_1" },
      { type: "toolcall_start", index: 3, id: "call_2", name: "ls" },
      { type: "toolcall_delta", index: 3, delta: "{}" },
      { type: "toolcall_end", index: 3, signature: "fc_2" },
      { type: "usage", tokens: { input: 7, output: 34, cacheRead: 5, cacheWrite: 0, reasoning: 20 } },
      { type: "end", stopReason: "toolUse" },
    ]);
  });

  test("is complete from a server that sends whole items only", async () => {
    const events = responseEvents([THOUGHT, SAID, READ]).filter(({ type }) => !/delta|part|added/.test(type));
    const received = await eventsOf({ kind: "events", events });
    expect(received.flatMap((event) => ("delta" in event ? [event.delta] : []))).toEqual([
      "First look.\n\nThen act.",
      "Grüße 🙂",
      '{"path":"a"}',
    ]);
    expect(received.at(-1)).toEqual({ type: "end", stopReason: "toolUse" });
  });

  test("passes over events and items that are new", async () => {
    const events = responseEvents([SAID]);
    const item = { type: "new_thing", id: "x" };
    events.splice(2, 0, { type: "response.output_item.added", output_index: 9, item }, { type: "keepalive" });
    const received = await eventsOf({ kind: "events", events });
    expect(received.map(({ type }) => type)).toEqual(["start", "text_start", "text_delta", "text_end", "usage", "end"]);
  });
});

describe("a Responses request", () => {
  test("keeps nothing at the service, and asks for thinking that can be sent back", async () => {
    const tools = [{ name: "read", description: "Reads.", parameters: { type: "object" } }];
    const body = await sent({ tools, conversationId: `s${"x".repeat(80)}`, maxTokens: 5 });
    expect(body).toEqual({
      model: "served",
      instructions: "Be brief.",
      input: [{ role: "user", content: [{ type: "input_text", text: "Hello" }] }],
      stream: true,
      store: false,
      tools: [{ type: "function", name: "read", description: "Reads.", parameters: { type: "object" }, strict: false }],
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "low", summary: "auto" },
      max_output_tokens: 16,
      prompt_cache_key: `s${"x".repeat(63)}`,
    });
    const plain = await sent({}, { reasoning: false });
    expect(plain).not.toHaveProperty("reasoning");
    expect(plain).not.toHaveProperty("include");
    const off = await sent({ thinkingLevel: "off" });
    expect(off).not.toHaveProperty("reasoning");
    const none = await sent({ thinkingLevel: "off" }, { thinkingLevelMap: { off: "none" } });
    expect(none.reasoning).toEqual({ effort: "none", summary: "auto" });
  });

  test("sends a turn back as it was: thinking, text, and calls with their ids", async () => {
    const answer = await answerOf(whole(THOUGHT, SAID, READ, LIST));
    const text = [{ type: "text" as const, text: "A" }];
    const items = await itemsOf([said("Go"), answer, result("call_1", text), result("call_2", [])]);
    expect(items.slice(1)).toEqual([
      {
        type: "reasoning",
        id: "rs_1",
        summary: [
          { type: "summary_text", text: "First look." },
          { type: "summary_text", text: "Then act." },
        ],
        encrypted_content: "encrypted:rs_1",
      },
      {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Grüße 🙂", annotations: [] }],
        id: "msg_1",
        phase: "commentary",
      },
      { type: "function_call", call_id: "call_1", name: "read", arguments: '{"path":"a"}', id: "fc_1" },
      { type: "function_call", call_id: "call_2", name: "ls", arguments: "{}", id: "fc_2" },
      { type: "function_call_output", call_id: "call_1", output: "A" },
      { type: "function_call_output", call_id: "call_2", output: "(no output)" },
    ]);
  });

  test("sends no thinking of an answer whose text was cut", async () => {
    const all = responseEvents([THOUGHT, SAID]);
    const events = all.slice(0, all.findIndex(({ type }) => type === "response.output_text.delta") + 1);
    const answer = await answerOf({ kind: "events", events });
    const items = await itemsOf([said("Go"), answer, said("Go on")]);
    expect(items[1]).toEqual({ role: "assistant", content: "Grüß" });
    expect(JSON.stringify(items)).not.toMatch(/rs_1|msg_1/);
  });

  test("sends the thinking of an answer whose call was cut, with the text that followed it", async () => {
    const all = responseEvents([THOUGHT, SAID, READ]);
    const events = all.slice(0, all.findIndex(({ type }) => type === "response.function_call_arguments.delta") + 1);
    const answer = await answerOf({ kind: "events", events });
    expect(await itemsOf([said("Go"), answer, said("Go on")])).toMatchObject([
      { role: "user" },
      { type: "reasoning", id: "rs_1" },
      { type: "message", id: "msg_1" },
      { role: "user" },
    ]);
  });

  test("sends nothing of an answer that was cut after its thinking", async () => {
    const answer = await answerOf({ kind: "events", events: responseEvents([THOUGHT]).slice(0, -1) });
    expect(answer.content).toMatchObject([{ type: "thinking" }]);
    expect(await itemsOf([said("Go"), answer, said("Go on")])).toHaveLength(2);
  });

  test("sends another model's answer without thinking and ids", async () => {
    const answer = await answerOf(whole(THOUGHT, SAID, READ));
    const items = await itemsOf([said("Go"), answer, result("call_1", [])], { id: "other" });
    expect(items).toHaveLength(4);
    expect(JSON.stringify(items)).not.toMatch(/rs_1|msg_1|fc_1/);
  });

  test("sends no ids when the thinking came without encrypted content", async () => {
    const events = responseEvents([THOUGHT, READ]).map((event) =>
      JSON.parse(JSON.stringify(event, (key, value: unknown) => (key === "encrypted_content" ? null : value))),
    );
    const answer = await answerOf({ kind: "events", events });
    const items = await itemsOf([said("Go"), answer, result("call_1", [])]);
    expect(JSON.stringify(items)).not.toMatch(/rs_1|fc_1/);
  });

  test("contains images, those of tools in their results", async () => {
    const image = { type: "image" as const, mimeType: "image/png", data: "QUJD" };
    const answer = await answerOf(whole(READ));
    const messages = [said([image]), answer, result("call_1", [{ type: "text", text: "See" }, image])];
    const shown = { type: "input_image", detail: "auto", image_url: "data:image/png;base64,QUJD" };
    expect(await itemsOf(messages)).toMatchObject([
      { role: "user", content: [shown] },
      { type: "function_call" },
      { type: "function_call_output", output: [{ type: "input_text", text: "See" }, shown] },
    ]);
    expect(JSON.stringify(await itemsOf(messages, { input: ["text"] }))).not.toContain("QUJD");
  });
});

describe("a service that refuses a model's thinking", () => {
  const refusal = (code: string, message: string): ResponsesReply => ({
    kind: "error",
    status: 400,
    body: JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code } }),
  });
  const UNREADABLE = ["invalid_encrypted_content", "The encrypted content gAAA...DQ== could not be verified."] as const;

  test.each<[string, ResponsesReply]>([
    ["before it answers", refusal(...UNREADABLE)],
    [
      "as an event",
      {
        kind: "events",
        events: [
          ...responseEvents([]).slice(0, 2),
          { type: "error", error: { type: "invalid_request_error", code: UNREADABLE[0], message: UNREADABLE[1] } },
        ],
      },
    ],
  ])("gets the chat without what it cannot read, now and later: %s", async (_, refused) => {
    const before = await answerOf(whole(THOUGHT, READ));
    const messages = [said("Go"), before, result("call_1", [])];
    server.enqueue(refused);
    const after = await answerOf(whole({ ...THOUGHT, id: "rs_2" }, { ...SAID, id: "msg_2" }), messages);
    expect(after.content).toMatchObject([{ type: "thinking" }, { type: "text", text: "Grüße 🙂" }]);
    const items = await itemsOf([...messages, after, said("More")]);
    const [, first, second] = server.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain("rs_1");
    expect(second).not.toMatch(/rs_1|fc_1/);
    expect(JSON.stringify(items)).not.toMatch(/rs_1|fc_1/);
    expect(JSON.stringify(items)).toMatch(/rs_2.*msg_2/);
  });

  test("is not asked for summaries again", async () => {
    const message = "Your organization must be verified to generate reasoning summaries.";
    server.enqueue(refusal("unsupported_value", message));
    expect((await sent()).reasoning).toEqual({ effort: "low" });
    expect((await sent()).reasoning).toEqual({ effort: "low" });
    expect((await sent({}, { id: "other" })).reasoning).toEqual({ effort: "low", summary: "auto" });
  });

  test("and has nothing to refuse fails with its words", async () => {
    await expect(eventsOf(refusal(...UNREADABLE))).rejects.toMatchObject({
      kind: "invalid_request",
      message: expect.stringContaining(UNREADABLE[1]),
    });
  });
});

describe("the scripted service", () => {
  const call = { type: "function_call", call_id: "c", name: "read", arguments: "{}" };
  const thought = { type: "reasoning", id: "rs_9", summary: [], encrypted_content: "encrypted:rs_9" };
  const user = { role: "user", content: [{ type: "input_text", text: "Hi" }] };

  test.each([
    [[user, { type: "function_call_output", call_id: "c", output: "" }], "No tool call found"],
    [[user, call], "No tool output found for function call c."],
    [[user, thought], "without its required following item"],
    [[user, thought, user], "without its required following item"],
    [[user, { ...thought, encrypted_content: "other" }], "could not be verified"],
    [[{ ...user, extra: 1 }], 'Unrecognized key: "extra"'],
  ])("refuses %j", async (input, words) => {
    const hooks = {
      payload: async (body: object) => ({ ...body, input }),
      response: async () => undefined,
    };
    const failed = await collect(provider, requestFor(model(), { hooks })).catch(String);
    expect(failed).toContain(words);
  });

  test("refuses a call without the thinking that it followed", async () => {
    await answerOf(whole(THOUGHT, READ));
    const input = [
      { ...call, id: "fc_1" },
      { type: "function_call_output", call_id: "c", output: "" },
    ];
    const hooks = { payload: async (body: object) => ({ ...body, input }), response: async () => undefined };
    const failed = await collect(provider, requestFor(model(), { hooks })).catch(String);
    expect(failed).toContain("without its required 'reasoning' item: 'rs_1'");
  });
});

describe("a failed response", () => {
  test.each([
    [{ status: "failed", error: { code: "server_error", message: "boom" } }, "server"],
    [{ status: "failed", error: { code: "rate_limit_exceeded", message: "Slow down" } }, "rate_limit"],
    [{ status: "failed" }, "server"],
    [{ status: "incomplete", reason: "content_filter" }, "invalid_request"],
  ] as const)("is classified: %j is %s", async (end, kind) => {
    const failed: unknown = await eventsOf({ kind: "events", events: responseEvents([SAID], end) }).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({ kind });
  });

  test.each([
    [{ type: "error", error: { type: "slow_down", message: "Busy" } }, "overloaded"],
    [{ type: "error" }, "server"],
    [{ error: { code: "slow_down", message: "Busy" } }, "overloaded"],
    [{ type: "response.output_text.delta", output_index: 0 }, "server"],
  ])("can end with %j", async (event, kind) => {
    const events = [...responseEvents([SAID]).slice(0, 4), event];
    const failed: unknown = await eventsOf({ kind: "events", events }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ kind });
  });
});
