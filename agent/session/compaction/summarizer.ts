import { AgentError } from "../../protocol/errors.ts";
import type { ModelRegistry } from "../../providers/registry.ts";
import type { ModelSelection } from "../model-selection.ts";
import type { Summarizer } from "./ask-for-summary.ts";
import { type CompactionLimits, limitsFor } from "./plan.ts";

/** The source of the model that summarizes. */
export interface SummarizerSource {
  registry: ModelRegistry;
  selection: ModelSelection;
}

/** @throws AgentError no_model or no_credentials. */
export function requireSummarizer({ registry, selection }: SummarizerSource): void {
  if (selection.model !== undefined && !registry.hasCredentials(selection.model.provider)) {
    throw new AgentError("no_credentials", `No API key for ${selection.model.provider}`);
  }
  selection.require();
}

/**
 * The model of the session as one that summarises.
 * @throws AgentError as `requireSummarizer`.
 */
export function createSummarizer({ registry, selection }: SummarizerSource, limits: CompactionLimits): Summarizer {
  requireSummarizer({ registry, selection });
  const model = selection.require();
  return {
    ...registry.resolve(model),
    model,
    thinkingLevel: registry.clampLevel(model, "off"),
    reserveTokens: limitsFor(limits, model.contextWindow).reserveTokens,
  };
}
