import type { CacheTtl, Model } from "../protocol/model.ts";
import { traitsOf } from "./completions-settings.ts";
import { toUsage } from "./cost.ts";
import { isClaude } from "./takes-pdf.ts";

const MINUTE_MS = 60_000;

/** Returns the lifetime of the service's cache, in ms; undefined if it is unknown, or if cache writes are free. */
export function cacheLifetimeMs(model: Model, ttl: CacheTtl): number | undefined {
  if (model.cost.cacheWrite <= 0 || !keepsMarked(model)) return undefined;
  return ttl === "1h" ? 60 * MINUTE_MS : 5 * MINUTE_MS;
}

/** Returns the price in dollars of reading this many tokens and writing them to the cache. */
export function rereadCost(model: Pick<Model, "cost" | "compat">, tokens: number, ttl: CacheTtl): number {
  const cacheWriteHour = ttl === "1h" ? tokens : 0;
  return toUsage({ input: 0, output: 0, cacheRead: 0, cacheWrite: tokens, cacheWriteHour }, model).cost.total;
}

/** True if requests mark what the service caches, as Anthropic's do. Other services decide themselves, and don't say how long they keep it. */
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
