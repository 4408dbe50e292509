import type { Env } from "../config/paths.ts";
import type { GoogleLogin } from "./google-login.ts";
import type { Provider } from "./provider.ts";
import { DEFAULT_IDLE_TIMEOUT_MS } from "./reply-stream.ts";

interface VertexOptions {
  /** Project, location, and credentials of Google Cloud. */
  env: Env;
  /** Silence after which a request counts as lost, in ms; default two minutes. */
  idleTimeoutMs?: number;
}

/** The providers for Gemini and Claude on Google Cloud's Vertex AI, which share a sign-in. They are loaded with the first request. */
export function createVertexProviders({
  env,
  idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS,
}: VertexOptions): readonly Provider[] {
  let login: GoogleLogin | undefined;
  const load = async () => {
    const { createGoogleLogin, streamClaude, streamGemini } = await import("./vertex-reply.ts");
    login ??= createGoogleLogin(env);
    return { streamClaude, streamGemini, vertex: { env, login, idleTimeoutMs } };
  };
  const secrets = () => login?.secrets() ?? [];
  return [
    {
      api: "google-vertex",
      needsKey: true,
      secrets,
      async *stream(request) {
        const { streamGemini, vertex } = await load();
        yield* streamGemini(request, vertex);
      },
    },
    {
      api: "anthropic-vertex",
      needsKey: true,
      secrets,
      async *stream(request) {
        const { streamClaude, vertex } = await load();
        yield* streamClaude(request, vertex);
      },
    },
  ];
}
