import { AgentError, errorMessage } from "../../protocol/errors.ts";
import type { Model } from "../../protocol/model.ts";
import type { ModelMatch } from "../../providers/match-models.ts";
import type { ModelRegistry } from "../../providers/registry.ts";
import { isVirtual } from "../../providers/virtual-models.ts";
import type { Conversation } from "../conversation.ts";
import type { ModelSelection } from "../model-selection.ts";
import type { Summarizer, Summary } from "./ask-for-summary.ts";
import { type CompactionLimits, limitsFor } from "./plan.ts";

/** The source of the models that summarize. */
export interface SummarizerSource {
  registry: ModelRegistry;
  selection: ModelSelection;
  /** Pattern of the model that summarizes; undefined for the one of the session. */
  summaryModel: string | undefined;
  conversation(): Conversation;
  /** Tells the user. */
  warn(message: string): void;
}

/** @throws AgentError no_model or no_credentials. */
export function requireSummarizer({ registry, selection }: Pick<SummarizerSource, "registry" | "selection">): void {
  if (selection.model !== undefined && !registry.hasCredentials(selection.model.provider)) {
    throw new AgentError("no_credentials", `No API key for ${selection.model.provider}`);
  }
  selection.require();
}

/**
 * Asks for a summary: the model that the settings name, and if that fails, the model of the session, which `requireSummarizer` has checked.
 * @throws whatever the last model failed with.
 */
export async function summarizeWith(
  source: SummarizerSource,
  limits: CompactionLimits,
  ask: (summarizer: Summarizer) => Promise<Summary>,
  signal: AbortSignal,
): Promise<Summary> {
  const { registry, selection, summaryModel, warn } = source;
  const withModel = (match: ModelMatch) => toSummarizer(source, match, limits, signal);
  const model = selection.require();
  if (summaryModel !== undefined) {
    try {
      return await ask(await withModel(namedModel(registry, summaryModel)));
    } catch (error) {
      const [named] = registry.match(summaryModel);
      if (signal.aborted || (named && isSame(named.model, model))) throw error;
      warn(`Couldn't summarize with your "summaryModel": ${errorMessage(error)} ${model.name} does it instead.`);
    }
  }
  return ask(await withModel({ model }));
}

function isSame(one: Model, other: Model): boolean {
  return one.provider === other.provider && one.id === other.id;
}

function namedModel(registry: ModelRegistry, pattern: string): ModelMatch {
  const [found] = registry.match(pattern);
  if (found === undefined) throw new Error(`No models match "${pattern}".`);
  return found;
}

async function toSummarizer(
  { registry, selection, conversation }: SummarizerSource,
  { model: given, thinkingLevel: wanted = "off" }: ModelMatch,
  limits: CompactionLimits,
  signal: AbortSignal,
): Promise<Summarizer> {
  const { id, sent } = conversation();
  const { model, thinkingLevel } = await registry.route({
    model: given,
    thinkingLevel: isVirtual(given) ? selection.thinkingLevel : registry.clampLevel(given, wanted),
    reason: "direct",
    content: { systemPrompt: "", messages: sent, tools: [] },
    signal,
  });
  return {
    ...registry.resolve(model),
    model,
    conversationId: id,
    thinkingLevel,
    reserveTokens: limitsFor(limits, model.contextWindow).reserveTokens,
  };
}
