import { createAzureProvider } from "../../agent/providers/azure.ts";
import { createCompletionsProvider } from "../../agent/providers/completions.ts";
import { createResponsesProvider } from "../../agent/providers/responses.ts";
import { bedrockWire } from "./bedrock-wire.ts";
import { geminiWire } from "./gemini-wire.ts";
import { messagesWire } from "./messages-wire.ts";
import { responseEvents, type ScriptedItem } from "./responses-events.ts";
import { answerText, delta, ScriptedCompletions, usage } from "./scripted-completions.ts";
import { ScriptedResponses } from "./scripted-responses.ts";
import { vertexWires } from "./vertex-wires.ts";
import type { Wire, WireServer } from "./wire.ts";

/** The answers of an API of OpenAI. Each is the events of one stream. */
interface StreamedAnswers {
  text(text: string): readonly unknown[];
  calls(): readonly unknown[];
  thinking(text: string): readonly unknown[];
  counted(): readonly unknown[];
  atLimit(text: string): readonly unknown[];
  refused(text: string): readonly unknown[];
  begun(): readonly unknown[];
  failed(code: string, message: string): readonly unknown[];
}

const completions: StreamedAnswers = {
  text: (text) => eventsOf(answerText(text)),
  calls: () => [
    delta({
      tool_calls: [
        { index: 0, id: "call_1", function: { name: "read", arguments: '{"path":"a"}' } },
        { index: 1, id: "call_2", function: { name: "ls", arguments: "{}" } },
      ],
    }),
    delta({}, "tool_calls"),
    "[DONE]",
  ],
  thinking: (text) => [delta({ reasoning_content: text }), ...eventsOf(answerText("So."))],
  counted: () => [delta({ content: "Hi" }, "stop"), usage(12, 34, 5), "[DONE]"],
  atLimit: (text) => [delta({ content: text }, "length"), "[DONE]"],
  refused: (text) => [delta({ refusal: text }, "stop"), "[DONE]"],
  begun: () => [delta({ content: "Hi" })],
  failed: (code, message) => [delta({ content: "Hi" }), { error: { code, message } }],
};

function eventsOf(reply: ReturnType<typeof answerText>): readonly unknown[] {
  return reply.kind === "error" ? [] : reply.events;
}

const HI: ScriptedItem = { kind: "text", id: "msg_1", text: "Hi" };
const responses: StreamedAnswers = {
  text: (text) => responseEvents([{ kind: "text", id: "msg_1", text }]),
  calls: () =>
    responseEvents([
      { kind: "call", id: "fc_1", callId: "call_1", name: "read", args: { path: "a" } },
      { kind: "call", id: "fc_2", callId: "call_2", name: "ls", args: {} },
    ]),
  thinking: (text) =>
    responseEvents([
      { kind: "reasoning", id: "rs_1", summary: [text] },
      { kind: "text", id: "msg_1", text: "So." },
    ]),
  counted: () => responseEvents([HI], { usage: { input: 12, output: 34, cached: 5 } }),
  atLimit: (text) =>
    responseEvents([{ kind: "text", id: "msg_1", text }], { status: "incomplete", reason: "max_output_tokens" }),
  refused: (text) => responseEvents([{ kind: "refusal", id: "msg_1", text }]),
  begun: () => responseEvents([HI]).slice(0, 5),
  failed: (code, message) => [...responseEvents([HI]).slice(0, 5), { type: "error", code, message, param: null }],
};

/** A server of these tests that speaks an API of OpenAI. */
interface EventServer {
  readonly url: string;
  readonly requests: readonly { body: object }[];
  enqueue(
    reply:
      | { kind: "events" | "cut" | "hang"; events: readonly unknown[] }
      | { kind: "error"; status: number; body: string; headers: Record<string, string> },
  ): void;
  stop(): Promise<void>;
}

function wireServer(server: EventServer, answers: StreamedAnswers): WireServer {
  const answer = (events: readonly unknown[]) => server.enqueue({ kind: "events", events });
  return {
    url: server.url,
    bodies: () => server.requests.map(({ body }) => JSON.stringify(body)),
    text: (text) => answer(answers.text(text)),
    calls: () => answer(answers.calls()),
    thinking: (text) => answer(answers.thinking(text)),
    counted: () => answer(answers.counted()),
    atLimit: (text) => answer(answers.atLimit(text)),
    refused: (text) => answer(answers.refused(text)),
    failed: (code, message) => answer(answers.failed(code, message)),
    begun: (end) => server.enqueue({ kind: end === "ended" ? "events" : end, events: answers.begun() }),
    refuse: ({ status, code, message }, headers) => {
      const error = { message, type: code, param: null, code };
      server.enqueue({ kind: "error", status, body: JSON.stringify({ error }), headers });
    },
    stop: () => server.stop(),
  };
}

const FAILURES: Wire["failures"] = [
  ["server_error", "boom", "server"],
  ["server_is_overloaded", "Our servers are busy", "overloaded"],
  ["slow_down", "Slow down", "overloaded"],
  ["rate_limit_exceeded", "Rate limit reached", "rate_limit"],
  ["rate_limit_exceeded", "Limit reached: https://platform.openai.com/account/billing", "rate_limit"],
  ["insufficient_quota", "You exceeded your current quota", "quota"],
  ["context_length_exceeded", "Your input exceeds the context window of this model", "context_overflow"],
];
const REFUSALS: Wire["refusals"] = [
  [{ status: 429, code: "rate_limit_exceeded", message: "Rate limit reached" }, "rate_limit"],
  [
    {
      status: 429,
      code: "rate_limit_exceeded",
      message: "Rate limit reached. You can increase it at https://platform.openai.com/account/billing.",
    },
    "rate_limit",
  ],
  [{ status: 429, code: "insufficient_quota", message: "You exceeded your current quota" }, "quota"],
  [
    { status: 400, code: "context_length_exceeded", message: "Your input exceeds the context window of this model" },
    "context_overflow",
  ],
  [{ status: 403, code: "unsupported_country", message: "No access" }, "auth"],
  [{ status: 404, code: "model_not_found", message: "No such model" }, "invalid_request"],
  [{ status: 503, code: "server_error", message: "busy" }, "server"],
];

/** The APIs of models, each with its scripted server. */
export const WIRES: readonly Wire[] = [
  messagesWire,
  {
    api: "openai-completions",
    create: createCompletionsProvider,
    start: async () => wireServer(await ScriptedCompletions.start(), completions),
    failures: FAILURES,
    refusals: REFUSALS,
  },
  {
    api: "openai-responses",
    create: createResponsesProvider,
    start: async () => wireServer(await ScriptedResponses.start(), responses),
    failures: FAILURES,
    refusals: REFUSALS,
  },
  geminiWire,
  ...vertexWires,
  {
    api: "azure-openai-responses",
    create: (options) => createAzureProvider({ env: {}, ...options }),
    start: async () => wireServer(await ScriptedResponses.start(), responses),
    failures: FAILURES,
    refusals: REFUSALS,
  },
  bedrockWire,
];
