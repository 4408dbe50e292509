import type { Model } from "../protocol/model.ts";
import type { ProviderRequest, ServerTool } from "./provider.ts";

/** The APIs that have tools of the service, with the provider whose models take them beside tools of ours. */
const SEARCHERS: Readonly<Record<string, { provider: string; models: RegExp }>> = {
  "anthropic-messages": { provider: "anthropic", models: /^/ },
  // Earlier models take the search only without functions.
  "google-generative-ai": { provider: "google", models: /^gemini-(?![12]\b)/ },
  "openai-responses": { provider: "openai", models: /^(?:gpt-(?:4o|4\.1|[5-9])|o3(?!-mini)|o4)(?!.*(?:nano|spark))/ },
};

/** True if the service of the model has the tool. `compat.webSearch` and `compat.webFetch` decide for other servers. */
export function hasServerTool({ id, api, provider, compat }: Model, tool: ServerTool): boolean {
  const searcher = Object.hasOwn(SEARCHERS, api) ? SEARCHERS[api] : undefined;
  if (searcher === undefined || (tool === "fetch" && api !== "anthropic-messages")) return false;
  const own = tool === "search" ? compat?.webSearch : compat?.webFetch;
  return typeof own === "boolean" ? own : provider === searcher.provider && searcher.models.test(id);
}

/** True if a request declares the tool of the service. */
export function declaresServerTool({ tools }: Pick<ProviderRequest, "tools">, wanted: ServerTool): boolean {
  return tools.some(({ serverTool }) => serverTool === wanted);
}
