import type { Env } from "../config/paths.ts";
import type { EntraLogin } from "./entra-login.ts";
import type { Provider } from "./provider.ts";
import { DEFAULT_IDLE_TIMEOUT_MS } from "./reply-stream.ts";
import { RefusedParts } from "./responses-refused.ts";

interface AzureOptions {
  /** Address, deployments, and credentials. */
  env: Env;
  /** Silence after which a request counts as lost, in ms; default two minutes. */
  idleTimeoutMs?: number;
}

/** The provider for the Responses API of Azure OpenAI, loaded with the first request. */
export function createAzureProvider({ env, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS }: AzureOptions): Provider {
  const refused = new RefusedParts();
  let login: EntraLogin | undefined;
  return {
    api: "azure-openai-responses",
    needsKey: true,
    secrets: () => login?.secrets() ?? [],
    async *stream(request) {
      const { createEntraLogin, streamFromAzure } = await import("./azure-reply.ts");
      login ??= createEntraLogin(env);
      yield* streamFromAzure(request, { env, login, idleTimeoutMs, refused });
    },
  };
}
