import type { CacheTtl, Model } from "../protocol/model.ts";
import { toUsage } from "./cost.ts";

const MINUTE_MS = 60_000;

/** Returns how long the service keeps what it has read, in ms; undefined if that is not known, or if storing costs nothing. */
export function cacheLifetimeMs({ cost }: Pick<Model, "cost">, ttl: CacheTtl): number | undefined {
  if (cost.cacheWrite <= 0) return undefined;
  return ttl === "1h" ? 60 * MINUTE_MS : 5 * MINUTE_MS;
}

/** Returns the price in dollars of so many tokens that the service has to read and store anew. */
export function rereadCost(model: Pick<Model, "cost" | "compat">, tokens: number, ttl: CacheTtl): number {
  const cacheWriteHour = ttl === "1h" ? tokens : 0;
  return toUsage({ input: 0, output: 0, cacheRead: 0, cacheWrite: tokens, cacheWriteHour }, model).cost.total;
}
