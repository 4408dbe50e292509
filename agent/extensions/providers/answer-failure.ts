import { ProviderError, type ProviderErrorKind } from "../../providers/provider.ts";

/** Patterns in the errors of services, gateways, and networks, by the kind of failure; the first match counts. */
const KINDS: readonly [ProviderErrorKind, RegExp][] = [
  ["quota", /insufficient[_ ](?:quota|funds|credits?|balance)|quota exceeded|out of budget|billing|usage limit/i],
  ["rate_limit", /rate.?limit|too many requests|\b429\b|throttl/i],
  [
    "context_overflow",
    /context_length_exceeded|prompt (?:is )?too long|(?:maximum|exceeds?|exceeded|greater than)\b.{0,40}\bcontext|context (?:window|size) |input is too long|reduce the length of the messages|exceeded model token limit/i,
  ],
  ["overloaded", /overloaded|high demand|\b529\b/i],
  ["auth", /\b401\b|\b403\b|unauthori[sz]ed|invalid.{0,10}api.?key|no api key/i],
  ["timeout", /timed? ?out|timeout/i],
  [
    "network",
    /fetch failed|network.?error|connection.?(?:error|refused|lost|reset)|ECONN|ENOTFOUND|EAI_AGAIN|getaddrinfo|socket (?:hang up|connection was closed)|other side closed|terminated|websocket.?closed/i,
  ],
  ["server", /\b50[0234]\b|\b52[04]\b|service.?unavailable|server.?error|internal.?error|upstream.?connect/i],
];

/** The failure of an extension's own provider: its text decides whether trying again, or a compaction, can help. */
export function answerFailure(message: string, cause?: unknown): ProviderError {
  const kind = KINDS.find(([, pattern]) => pattern.test(message))?.[0] ?? "invalid_request";
  return new ProviderError(kind, message, { cause });
}
