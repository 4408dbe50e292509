import { isExpired } from "../loop/request-prefix.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import { cacheLifetimeMs } from "../providers/cache-lifetime.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { SessionOptions } from "./session-options.ts";

/** Returns the tools that the next request declares: those offered to the model, and withdrawn ones that stay for the sake of the cache. */
export function declaredTools(
  { tools, selection, settings, prefix }: Pick<SessionOptions, "tools" | "selection" | "settings" | "prefix">,
  messages: readonly AgentMessage[],
  told: ReadonlyMap<string, AnyTool> = tools.offered(),
): ReadonlyMap<string, AnyTool> {
  const model = selection.measure(messages);
  const lifetimeMs = model === undefined ? undefined : cacheLifetimeMs(model, settings.cacheTtl);
  return prefix.declare(tools.prepared(told), model, isExpired(messages, lifetimeMs));
}
