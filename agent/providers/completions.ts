import type { Provider } from "./provider.ts";
import { DEFAULT_IDLE_TIMEOUT_MS } from "./reply-stream.ts";

interface CompletionsOptions {
  /** Silence after which a request counts as lost, in ms; default two minutes. */
  idleTimeoutMs?: number;
}

/** The provider for OpenAI's chat completions and the many servers that speak them. It is loaded with the first request. */
export function createCompletionsProvider({
  idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS,
}: CompletionsOptions = {}): Provider {
  return {
    api: "openai-completions",
    needsKey: true,
    async *stream(request) {
      const { streamCompletion } = await import("./completions-reply.ts");
      yield* streamCompletion(request, idleTimeoutMs);
    },
  };
}
