import type { ContextUsage } from "../protocol/commands.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { CacheTtl, Model } from "../protocol/model.ts";
import { cacheLifetimeMs, rereadCost } from "../providers/cache-lifetime.ts";

/**
 * Returns the time at which the provider's cache of the conversation expires, and the cost of the next message after that; undefined if they are
 * unknown, as after a change of the model.
 * @param tokens the length of the conversation.
 */
export function cacheState(
  messages: readonly AgentMessage[],
  model: Model,
  tokens: number,
  ttl: CacheTtl,
): ContextUsage["cache"] {
  const lifetimeMs = cacheLifetimeMs(model, ttl);
  const last = messages.findLast((message) => message.role === "assistant" && message.stopReason !== "error");
  if (lifetimeMs === undefined || last?.role !== "assistant") return undefined;
  if (last.provider !== model.provider || last.model !== model.id) return undefined;
  return { expiresAt: last.timestamp + lifetimeMs, rereadCost: rereadCost(model, tokens, ttl) };
}
