import type { Env } from "../config/paths.ts";
import type { AwsLogin } from "./aws/login.ts";
import type { Provider } from "./provider.ts";
import { DEFAULT_IDLE_TIMEOUT_MS } from "./reply-stream.ts";

interface BedrockOptions {
  /** Settings and credentials of AWS. */
  env: Env;
  /** Silence after which a request counts as lost, in ms; default two minutes. */
  idleTimeoutMs?: number;
}

/** The provider for the Converse API of Amazon Bedrock, loaded with the first request. */
export function createBedrockProvider({ env, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS }: BedrockOptions): Provider {
  let login: AwsLogin | undefined;
  return {
    api: "bedrock-converse-stream",
    needsKey: true,
    secrets: () => login?.secrets() ?? [],
    async *stream(request) {
      const { createAwsLogin, streamConverse } = await import("./bedrock-reply.ts");
      login ??= createAwsLogin(env);
      yield* streamConverse(request, { env, login, idleTimeoutMs });
    },
  };
}
