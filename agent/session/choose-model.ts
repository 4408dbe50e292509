import { UsageError } from "../config/args.ts";
import type { AgentOptions } from "../config/options.ts";
import type { Settings } from "../config/settings.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import type { ModelRegistry } from "../providers/registry.ts";
import type { SessionChoices } from "./context.ts";
import type { ScopedModel } from "./model-selection.ts";

interface StartOptions {
  options: Pick<AgentOptions, "provider" | "model" | "modelScope" | "thinking">;
  settings: Pick<Settings, "defaultProvider" | "defaultModel" | "defaultThinkingLevel">;
  registry: ModelRegistry;
  /** What the opened session says. */
  restored: SessionChoices;
}

/** The model and level to start with; `wish` is clamped to what the model supports. */
export interface StartChoice {
  model: Model | undefined;
  wish: ThinkingLevel;
  scope: ScopedModel[];
}

/**
 * Chooses the first model: the command line's, the session's, the settings', else the first that has credentials.
 * @throws UsageError when the command line names a model that is not there.
 */
export function chooseStart({ options, settings, registry, restored }: StartOptions): StartChoice {
  const named = options.model === undefined ? undefined : matchOrFail(registry, options.model, options.provider);
  const scope = options.modelScope.flatMap((pattern) => registry.match(pattern));
  const chosen = named ?? scope[0];
  const model = chosen?.model ?? restoredModel(registry, restored) ?? defaultModel(registry, settings);
  const wish = options.thinking ?? chosen?.thinkingLevel ?? restored.thinkingLevel ?? settings.defaultThinkingLevel;
  return { model, wish, scope };
}

function matchOrFail(registry: ModelRegistry, pattern: string, provider: string | undefined): ScopedModel {
  const [match] = registry.match(pattern, provider);
  if (match === undefined) throw new UsageError(`Error: No models match pattern "${pattern}"`);
  return match;
}

function restoredModel(registry: ModelRegistry, { model }: SessionChoices): Model | undefined {
  if (model === undefined || !registry.hasCredentials(model.provider)) return undefined;
  return registry.find(model.provider, model.modelId);
}

function defaultModel(registry: ModelRegistry, settings: StartOptions["settings"]): Model | undefined {
  const available = registry.available();
  const { defaultProvider, defaultModel: id } = settings;
  const wanted = available.find(
    (model) => model.id === id && (defaultProvider === undefined || model.provider === defaultProvider),
  );
  return wanted ?? available.find((model) => model.provider === defaultProvider) ?? available[0];
}
