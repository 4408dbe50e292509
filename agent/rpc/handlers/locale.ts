import { AgentError } from "../../protocol/errors.ts";

/**
 * Reads a language tag. Empty text means no preference. @throws AgentError invalid_request when it isn't a BCP 47 tag.
 */
export function readLocale(tag: string): string | undefined {
  const trimmed = tag.trim();
  if (trimmed === "") return undefined;
  try {
    return new Intl.Locale(trimmed.replaceAll("_", "-")).toString();
  } catch (error) {
    throw new AgentError("invalid_request", `Invalid locale "${tag}"`, { cause: error });
  }
}
