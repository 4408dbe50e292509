import type { Env } from "../config/paths.ts";
import type { WebSettings } from "../config/web-settings.ts";
import type { Model } from "../protocol/model.ts";
import { keySource, keyVariables, NO_KEY_NEEDED } from "../providers/key-source.ts";
import type { AnyTool } from "../tools/tool.ts";
import { fetchTool } from "./fetch-tool.ts";
import { providerTool } from "./provider-tool.ts";
import { searchTool } from "./search-tool.ts";

interface WebParts {
  settings: WebSettings;
  env: Env;
  /** The `User-Agent` header. */
  userAgent: string;
  /** Returns the selected model. */
  model(): Model | undefined;
  /** Removes variables with keys from the environment of commands. */
  hideVariables(names: readonly string[]): void;
}

/** Creates the web tools that the settings enable. */
export function webTools(parts: WebParts): AnyTool[] {
  return [...fetchTools(parts), ...searchTools(parts)];
}

function fetchTools({ settings: { fetch, privateHosts }, userAgent, model }: WebParts): AnyTool[] {
  if (fetch === false) return [];
  return [fetch === true ? fetchTool({ privateHosts, userAgent }) : providerTool("fetch", model)];
}

function searchTools({ settings: { search }, env, userAgent, model, hideVariables }: WebParts): AnyTool[] {
  if (search === undefined) return [];
  if (search === "provider") return [providerTool("search", model)];
  const { key } = search;
  if (key === undefined) return [searchTool(search, NO_KEY_NEEDED, userAgent)];
  hideVariables(keyVariables(key, env));
  return [searchTool(search, keySource(key, env), userAgent)];
}
