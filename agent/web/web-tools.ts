import type { Env } from "../config/paths.ts";
import type { WebSettings } from "../config/web-settings.ts";
import { keySource, keyVariables, NO_KEY_NEEDED } from "../providers/key-source.ts";
import type { AnyTool } from "../tools/tool.ts";
import { fetchTool } from "./fetch-tool.ts";
import { searchTool } from "./search-tool.ts";

interface WebParts {
  settings: WebSettings;
  env: Env;
  /** The `User-Agent` header. */
  userAgent: string;
  /** Removes variables with keys from the environment of commands. */
  hideVariables(names: readonly string[]): void;
}

/** Creates the web tools that the settings enable. */
export function webTools({ settings, env, userAgent, hideVariables }: WebParts): AnyTool[] {
  const { fetch, search, privateHosts } = settings;
  const tools = fetch ? [fetchTool({ privateHosts, userAgent })] : [];
  if (search === undefined) return tools;
  const { key } = search;
  if (key === undefined) return [...tools, searchTool(search, NO_KEY_NEEDED, userAgent)];
  hideVariables(keyVariables(key, env));
  return [...tools, searchTool(search, keySource(key, env), userAgent)];
}
