import type { Provider } from "./provider.ts";
import { DEFAULT_IDLE_TIMEOUT_MS } from "./reply-stream.ts";

interface GoogleOptions {
  /** Silence after which a request counts as lost, in ms; default two minutes. */
  idleTimeoutMs?: number;
}

/** The provider for Google's own API for Gemini, loaded with the first request. */
export function createGoogleProvider({ idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS }: GoogleOptions = {}): Provider {
  return {
    api: "google-generative-ai",
    needsKey: true,
    async *stream(request) {
      const { streamGoogle } = await import("./google-reply.ts");
      yield* streamGoogle(request, idleTimeoutMs);
    },
  };
}
