import type { Provider } from "../../agent/providers/provider.ts";
import { createVertexProviders } from "../../agent/providers/vertex.ts";
import { geminiServer, geminiWire } from "./gemini-wire.ts";
import { messagesServer, messagesWire } from "./messages-wire.ts";
import { ScriptedGemini } from "./scripted-gemini.ts";
import { VertexFront } from "./vertex-front.ts";
import type { Wire } from "./wire.ts";

const KEY_PATH = /^\/v1\/publishers\/google\/models\/([^/:]+):streamGenerateContent\?alt=sse$/;

function create(api: string) {
  return (options: { idleTimeoutMs?: number } = {}): Provider => {
    const providers = createVertexProviders({ env: { GOOGLE_CLOUD_PROJECT: "my-project" }, ...options });
    const provider = providers.find((one) => one.api === api);
    if (provider === undefined) throw new Error(`There is no ${api}.`);
    return provider;
  };
}

/** Gemini and Claude on Vertex AI, used with a key or with a token that was fetched elsewhere. */
export const vertexWires: readonly Wire[] = [
  {
    ...geminiWire,
    api: "google-vertex",
    create: create("google-vertex"),
    start: async () => geminiServer(await ScriptedGemini.start(KEY_PATH)),
  },
  {
    ...messagesWire,
    api: "anthropic-vertex",
    create: create("anthropic-vertex"),
    start: async () => {
      const front = await VertexFront.start();
      return { ...messagesServer(front.model), url: front.url, stop: () => front.stop() };
    },
  },
];
