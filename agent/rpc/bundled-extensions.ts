import type { AgentOptions } from "../config/options.ts";
import type { Env } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import type { ExtensionAPI } from "../extensions/api.ts";
import type { ExtensionRunner } from "../extensions/runner.ts";

/** What a part of the agent that is written as an extension can look at when it begins. */
export interface BundledParts {
  options: AgentOptions;
  settings: Settings;
  env: Env;
  cwd: string;
  agentDir: string;
  /** Tells people something, on stderr. */
  warn(message: string): void;
}

interface BundledExtension {
  /** What failures are reported by. */
  name: string;
  /** Decides without loading anything: what is not wanted costs nothing. */
  isWanted(parts: BundledParts): boolean;
  load(parts: BundledParts): Promise<(api: ExtensionAPI) => unknown>;
}

/** In the order in which their handlers are called, after those of everybody else. */
const BUNDLED: readonly BundledExtension[] = [];

/** Loads the agent's own extensions. */
export async function addBundledExtensions(runner: ExtensionRunner, parts: BundledParts): Promise<void> {
  for (const { name, isWanted, load } of BUNDLED) {
    if (isWanted(parts)) await runner.addBundled(name, await load(parts));
  }
}
