import { GoogleError } from "./google-wire.ts";
import type { ProviderError } from "./provider.ts";
import { eventFailure, refusalFailure } from "./request-errors.ts";

/** A failure that Google reports: its type, its message, and facts from its details. */
export interface GoogleFailure {
  type: string;
  message: string;
  /** The delay before a retry, in ms. */
  waitMs: number | undefined;
  isInvalidKey: boolean;
}

const OUT_OF_QUOTA = "insufficient_quota";
/** Quotas that are exhausted until the next day or until a payment. Limits per minute have the same status and a similar message. */
const DAILY = /PerDay|Daily/;
const UNPAID = /credits? (?:is|are) depleted|spend(?:ing)? (?:cap|limit)/i;

/** Reads the body of a refused request, or an event; undefined if it isn't a failure. Some gateways wrap failures in a list. */
export function readGoogleFailure(json: unknown): GoogleFailure | undefined {
  const read = GoogleError.safeParse(Array.isArray(json) ? json[0] : json);
  if (!read.success) return undefined;
  const { status, message, details } = read.data.error;
  const all = details ?? [];
  const quotas = all.flatMap(({ violations }) => violations ?? []).map(({ quotaId }) => quotaId ?? "");
  const isSpent =
    status === "RESOURCE_EXHAUSTED" &&
    (quotas.some((id) => DAILY.test(id)) ||
      UNPAID.test(message) ||
      all.some((one) => one.reason === "QUOTA_EXHAUSTED"));
  return {
    type: isSpent ? OUT_OF_QUOTA : status,
    message,
    waitMs: isSpent ? undefined : all.map(({ retryDelay }) => readDuration(retryDelay)).find((ms) => ms !== undefined),
    isInvalidKey: all.some(({ reason }) => reason === "API_KEY_INVALID"),
  };
}

/** Reads a duration in Google's notation: "37.5s". */
function readDuration(text: string | null | undefined): number | undefined {
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(text ?? "")?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** The reasons for which Google withholds a response, in words. */
const DECLINED: Readonly<Record<string, string>> = {
  SAFETY: "Google's safety filter stopped it",
  RECITATION: "it would have repeated a protected text",
  LANGUAGE: "the language isn't supported",
  BLOCKLIST: "it contains a blocked term",
  PROHIBITED_CONTENT: "the content is prohibited",
  SPII: "it would have contained personal data",
  IMAGE_SAFETY: "Google's safety filter stopped an image",
  JAILBREAK: "Google's safety filter took the message for an attack",
  MODEL_ARMOR: "a rule of your organization stopped it",
};

const FINISHED: ReadonlySet<string> = new Set(["STOP", "MAX_TOKENS"]);

/** Returns the failure for a finish reason; undefined if the response is complete or has reached its limit. */
export function finishFailure(reason: string, explanation: string | null | undefined): ProviderError | undefined {
  if (FINISHED.has(reason)) return undefined;
  if (Object.hasOwn(DECLINED, reason)) return declined(reason, explanation);
  return eventFailure({ type: reason, message: explanation || "the response can't be used." });
}

/** Returns the failure for a blocked message or response. */
export function declined(reason: string, explanation: string | null | undefined): ProviderError {
  const why = explanation?.trim().replace(/\.$/, "") || DECLINED[reason] || "Google's filter stopped the message";
  return refusalFailure(explanation ? why : `${why} (${reason})`);
}
