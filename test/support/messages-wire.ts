import { createAnthropicProvider } from "../../agent/providers/anthropic.ts";
import { ScriptedModel } from "./scripted-model.ts";
import {
  cutMidStream,
  endEarly,
  hang,
  httpError,
  reply,
  streamError,
  text,
  thinking,
  toolCall,
} from "./scripted-replies.ts";
import type { Wire, WireServer } from "./wire.ts";

const COUNTED = { input_tokens: 7, output_tokens: 34, cache_read_input_tokens: 5 };
const BEGUN = [text("Hi")];

/** Anthropic's Messages API. */
export const messagesWire: Wire = {
  api: "anthropic-messages",
  create: createAnthropicProvider,
  start: async () => messagesServer(await ScriptedModel.start()),
  failures: [
    ["api_error", "Internal server error", "server"],
    ["overloaded_error", "Overloaded", "overloaded"],
    ["rate_limit_error", "Slow down", "rate_limit"],
    ["invalid_request_error", "Your credit balance is too low to access the API", "quota"],
    ["invalid_request_error", "prompt is too long: 9000 tokens > 8000 maximum", "context_overflow"],
  ],
  refusals: [
    [{ status: 429, code: "rate_limit_error", message: "Slow down" }, "rate_limit"],
    [{ status: 400, code: "invalid_request_error", message: "Your credit balance is too low" }, "quota"],
    [
      { status: 400, code: "invalid_request_error", message: "prompt is too long: 9000 tokens > 8000 maximum" },
      "context_overflow",
    ],
    [{ status: 403, code: "permission_error", message: "Your key may not use this" }, "auth"],
    [{ status: 404, code: "not_found_error", message: "model: served" }, "invalid_request"],
    [{ status: 500, code: "api_error", message: "Internal server error" }, "server"],
    [{ status: 529, code: "overloaded_error", message: "Overloaded" }, "overloaded"],
  ],
};

/** The answers of a server of the Messages API. */
export function messagesServer(server: ScriptedModel): WireServer {
  const ends = {
    cut: () => cutMidStream(BEGUN),
    ended: () => endEarly(BEGUN),
    hang: () => hang({ afterBlocks: BEGUN }),
  };
  return {
    url: server.url,
    bodies: () => server.requests.map(({ body }) => JSON.stringify(body)),
    text: (said) => server.enqueue(reply(said)),
    calls: () =>
      server.enqueue(reply([toolCall("read", { path: "a" }, { id: "call_1" }), toolCall("ls", {}, { id: "call_2" })])),
    thinking: (thought) => server.enqueue(reply([thinking(thought), text("So.")])),
    counted: () => server.enqueue(reply("Hi", { usage: COUNTED })),
    atLimit: (said) => server.enqueue(reply(said, { stopReason: "max_tokens" })),
    refused: (explanation) => server.enqueue(reply("I", { stopReason: "refusal", explanation })),
    failed: (code, message) => server.enqueue(streamError(code, message, BEGUN)),
    begun: (end) => server.enqueue(ends[end]()),
    refuse: ({ status, code, message }, headers) => server.enqueue(httpError(status, code, message, headers)),
    stop: () => server.stop(),
  };
}
