import { createRedactor } from "../util/redact.ts";
import { isSecretHeader } from "./models-file.ts";
import { type Provider, ProviderError, type ProviderRequest } from "./provider.ts";

/** Returns the provider with failures that quote no secret: their texts are shown, stored and sent to hosts. @param known the secrets. */
export function withRedactedErrors(provider: Provider, known: () => readonly string[]): Provider {
  return {
    api: provider.api,
    needsKey: provider.needsKey,
    ...(provider.countTokens === undefined ? {} : { countTokens: provider.countTokens }),
    async *stream(request) {
      try {
        yield* provider.stream(request);
      } catch (error) {
        throw redacted(error, [...known(), ...secretsOf(request)]);
      }
    },
  };
}

function redacted(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof Error)) return error;
  const message = createRedactor(secrets).redact(error.message);
  if (message === error.message) return error;
  // Not with the error as its cause, which has the text as it came.
  if (!(error instanceof ProviderError)) return new Error(message);
  const { kind, status, retryAfterMs, refusedImage } = error;
  return new ProviderError(kind, message, { status, retryAfterMs, refusedImage });
}

function secretsOf({ apiKey, headers = {} }: ProviderRequest): string[] {
  const sent = Object.entries(headers).flatMap(([name, value]) => (isSecretHeader(name) ? (value ?? []) : []));
  return apiKey === undefined ? sent : [apiKey, ...sent];
}
