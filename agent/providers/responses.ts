import type { Provider } from "./provider.ts";
import { DEFAULT_IDLE_TIMEOUT_MS } from "./reply-stream.ts";
import { RefusedParts } from "./responses-refused.ts";

interface ResponsesOptions {
  /** Silence after which a request counts as lost, in ms; default two minutes. */
  idleTimeoutMs?: number;
}

/** The provider for OpenAI's Responses API. It is loaded with the first request. */
export function createResponsesProvider({ idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS }: ResponsesOptions = {}): Provider {
  const refused = new RefusedParts();
  return {
    api: "openai-responses",
    needsKey: true,
    async *stream(request) {
      const { streamResponse } = await import("./responses-reply.ts");
      yield* streamResponse(request, { idleTimeoutMs, refused });
    },
  };
}
