import { createBedrockProvider } from "../../agent/providers/bedrock.ts";
import {
  type ConversePart,
  converseFailure,
  converseReply,
  converseStart,
  ScriptedBedrock,
} from "./scripted-bedrock.ts";
import type { Wire, WireServer } from "./wire.ts";

/** No settings of the machine that runs the tests. */
const ENV = { HOME: "/nonexistent", AWS_REGION: "us-east-1", AWS_EC2_METADATA_DISABLED: "true" };

/** The Converse API of Amazon Bedrock, with a key. */
export const bedrockWire: Wire = {
  api: "bedrock-converse-stream",
  model: "us.anthropic.claude-served-v1:0",
  create: (options) => createBedrockProvider({ env: ENV, ...options }),
  start: async () => wireServer(await ScriptedBedrock.start()),
  failures: [
    ["internalServerException", "The system encountered an unexpected error", "server"],
    ["modelStreamErrorException", "The model stopped", "server"],
    ["serviceUnavailableException", "Bedrock is unable to process your request.", "overloaded"],
    ["throttlingException", "Too many tokens, please wait before trying again.", "rate_limit"],
    ["validationException", "Input is too long for requested model.", "context_overflow"],
    ["validationException", "The input was malformed", "invalid_request"],
  ],
  refusals: [
    [{ status: 429, code: "ThrottlingException", message: "Too many tokens, please wait." }, "rate_limit"],
    [{ status: 400, code: "ServiceQuotaExceededException", message: "Your account exceeds its quota" }, "quota"],
    [
      { status: 400, code: "ValidationException", message: "Input is too long for requested model." },
      "context_overflow",
    ],
    [{ status: 403, code: "AccessDeniedException", message: "You don't have access to the model" }, "auth"],
    [{ status: 404, code: "ResourceNotFoundException", message: "No such model" }, "invalid_request"],
    [{ status: 408, code: "ModelTimeoutException", message: "Too slow" }, "timeout"],
    [{ status: 500, code: "InternalServerException", message: "boom" }, "server"],
    [{ status: 503, code: "ServiceUnavailableException", message: "Busy" }, "overloaded"],
  ],
};

function wireServer(server: ScriptedBedrock): WireServer {
  const answer = (parts: readonly ConversePart[], ending = {}) =>
    server.enqueue({ kind: "frames", frames: converseReply(parts, ending) });
  return {
    url: server.url,
    bodies: () => server.requests.map(({ body }) => JSON.stringify(body)),
    text: (text) => answer([{ text }]),
    calls: () =>
      answer([
        { call: "call_1", name: "read", args: { path: "a" } },
        { call: "call_2", name: "ls", args: {} },
      ]),
    thinking: (thought) => answer([{ thought }, { text: "So." }]),
    counted: () =>
      answer([{ text: "Hi" }], {
        usage: { inputTokens: 7, outputTokens: 34, cacheReadInputTokens: 5, totalTokens: 46 },
      }),
    atLimit: (text) => answer([{ text }], { stopReason: "max_tokens" }),
    refused: (text) => answer([{ text }], { stopReason: "guardrail_intervened" }),
    failed: (code, message) => server.enqueue({ kind: "frames", frames: converseFailure(code, message) }),
    begun: (end) => {
      const frames = converseStart([{ text: "Hi" }]);
      server.enqueue({ kind: end === "ended" ? "frames" : end, frames });
    },
    refuse: ({ status, code, message }, headers) =>
      server.enqueue({ kind: "error", status, type: code, message, headers }),
    stop: () => server.stop(),
  };
}
