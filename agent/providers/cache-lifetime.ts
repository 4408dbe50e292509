import type { CacheTtl, Model } from "../protocol/model.ts";
import { traitsOf } from "./completions-settings.ts";
import { toUsage } from "./cost.ts";
import { isClaude } from "./takes-pdf.ts";

const MINUTE_MS = 60_000;

/** Returns how long the service keeps what it has read, in ms; undefined if that is not known, or if storing costs nothing. */
export function cacheLifetimeMs(model: Model, ttl: CacheTtl): number | undefined {
  if (model.cost.cacheWrite <= 0 || !keepsMarked(model)) return undefined;
  return ttl === "1h" ? 60 * MINUTE_MS : 5 * MINUTE_MS;
}

/** Returns the price in dollars of so many tokens that the service has to read and store anew. */
export function rereadCost(model: Pick<Model, "cost" | "compat">, tokens: number, ttl: CacheTtl): number {
  const cacheWriteHour = ttl === "1h" ? tokens : 0;
  return toUsage({ input: 0, output: 0, cacheRead: 0, cacheWrite: tokens, cacheWriteHour }, model).cost.total;
}

/** True if requests mark what the service is to keep, as Anthropic's do. Others keep what they like, for a time that nobody knows. */
function keepsMarked(model: Model): boolean {
  switch (model.api) {
    case "anthropic-messages":
    case "anthropic-vertex":
      return true;
    case "bedrock-converse-stream":
      return isClaude(model);
    case "openai-completions":
      return traitsOf(model).marksCache;
    default:
      return false;
  }
}
