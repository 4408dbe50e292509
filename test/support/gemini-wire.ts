import { createGoogleProvider } from "../../agent/providers/google.ts";
import { geminiEvents, type ScriptedPart, signature } from "./gemini-events.ts";
import { type GeminiReply, googleError, ScriptedGemini } from "./scripted-gemini.ts";
import type { Wire, WireServer } from "./wire.ts";

const HI: readonly ScriptedPart[] = [{ text: "Hi" }];

/** Google's API for Gemini. */
export const geminiWire: Wire = {
  api: "google-generative-ai",
  create: createGoogleProvider,
  start: async () => geminiServer(await ScriptedGemini.start()),
  failures: [
    ["INTERNAL", "An internal error has occurred", "server"],
    ["UNAVAILABLE", "The model is overloaded", "overloaded"],
    ["RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details", "rate_limit"],
    ["DEADLINE_EXCEEDED", "The deadline expired", "timeout"],
    [
      "INVALID_ARGUMENT",
      "The input token count (9000) exceeds the maximum number of tokens allowed (8000).",
      "context_overflow",
    ],
  ],
  refusals: [
    [{ status: 429, code: "RESOURCE_EXHAUSTED", message: "You exceeded your current quota" }, "rate_limit"],
    [{ status: 429, code: "RESOURCE_EXHAUSTED", message: "Your prepayment credits are depleted." }, "quota"],
    [
      {
        status: 400,
        code: "INVALID_ARGUMENT",
        message: "The input token count (9000) exceeds the maximum number of tokens allowed (8000).",
      },
      "context_overflow",
    ],
    [{ status: 403, code: "PERMISSION_DENIED", message: "Your project may not use this" }, "auth"],
    [{ status: 404, code: "NOT_FOUND", message: "models/served is not found" }, "invalid_request"],
    [{ status: 500, code: "INTERNAL", message: "An internal error has occurred" }, "server"],
    [{ status: 503, code: "UNAVAILABLE", message: "The model is overloaded" }, "overloaded"],
  ],
};

/** The answers of a server of Google's API. */
export function geminiServer(server: ScriptedGemini): WireServer {
  const answer = (...events: readonly (readonly unknown[])[]) =>
    server.enqueue({ kind: "events", events: events.flat() });
  const begun = geminiEvents(HI, { finish: null });
  return {
    url: server.url,
    bodies: () => server.requests.map(({ body }) => JSON.stringify(body)),
    text: (text) => answer(geminiEvents([{ text }])),
    calls: () =>
      answer(
        geminiEvents([
          { functionCall: { id: "call_1", name: "read", args: { path: "a" } }, thoughtSignature: signature("1") },
          { functionCall: { id: "call_2", name: "ls" } },
        ]),
      ),
    thinking: (text) => answer(geminiEvents([{ text, thought: true }, { text: "So." }])),
    counted: () => answer(geminiEvents(HI, { usage: { prompt: 12, output: 30, cached: 5, thoughts: 4 } })),
    atLimit: (text) => answer(geminiEvents([{ text }], { finish: "MAX_TOKENS" })),
    refused: (message) => answer(geminiEvents([{ text: "I" }], { finish: "SAFETY", message })),
    failed: (status, message) => answer(begun, [googleError(0, status, message)]),
    begun: (end) => server.enqueue({ kind: end === "ended" ? "events" : end, events: begun }),
    refuse: ({ status, code, message }, headers) => server.enqueue(refused(status, code, message, headers)),
    stop: () => server.stop(),
  };
}

function refused(status: number, code: string, message: string, headers: Record<string, string>): GeminiReply {
  return { kind: "error", status, body: JSON.stringify(googleError(status, code, message)), headers };
}
