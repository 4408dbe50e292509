import { addressSettings } from "../config/credentials.ts";
import { addressProblem } from "../util/server-address.ts";
import { ProviderError, type ProviderRequest } from "./provider.ts";
import { hostOf } from "./request-errors.ts";

/**
 * Looks at key, headers and address before they are sent. What the platform says of those that it does not take repeats them, and failures are
 * shown and kept.
 * @throws ProviderError when no request can carry them.
 */
export function requireSendable({ apiKey, model, headers }: ProviderRequest): void {
  const all = { authorization: apiKey ?? null, ...model.headers, ...headers };
  const sent = Object.entries(all).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, value]],
  );
  const problem = addressProblem(model.baseUrl);
  if (problem !== undefined) {
    throw new ProviderError(
      "invalid_request",
      `Couldn't send the request: the address of ${model.provider} ${problem}. Correct ${addressSettings(model.provider)} and start again.`,
    );
  }
  try {
    new Headers(sent);
  } catch {
    throw new ProviderError(
      "invalid_request",
      `Couldn't send the request to ${hostOf(model.baseUrl)}: its key or a header contains a character that isn't allowed, such as a line break or a curly quote. Check the key, models.json, and headers from extensions.`,
    );
  }
}
