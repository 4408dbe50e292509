import { UsageError } from "../config/args.ts";
import type { AgentOptions } from "../config/options.ts";
import type { Settings } from "../config/settings.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import { hostModel } from "../providers/host-model.ts";
import { nearModels, splitLevel } from "../providers/match-models.ts";
import type { ModelRegistry } from "../providers/registry.ts";
import type { SessionChoices } from "./context.ts";
import type { ScopedModel } from "./model-selection.ts";

interface StartOptions {
  options: Pick<AgentOptions, "provider" | "model" | "hostProvider" | "modelScope" | "thinking">;
  settings: Pick<Settings, "defaultProvider" | "defaultModel" | "defaultThinkingLevel">;
  registry: ModelRegistry;
  /** The choices of the opened session. */
  restored: SessionChoices;
  /** Writes a message for people to stderr. */
  warn(message: string): void;
}

/** The model and level to start with; `wish` is clamped to what the model supports. */
export interface StartChoice {
  model: Model | undefined;
  wish: ThinkingLevel;
  scope: ScopedModel[];
}

/**
 * Chooses the first model: the command line's, the session's, the settings', else the first that has credentials.
 * Chooses a model of the host even before the host registers it, so that no other model is used instead. @throws
 * UsageError when the command line names an unknown provider or model, or a provider alone.
 */
export function chooseStart({ options: given, settings, registry, restored, warn }: StartOptions): StartChoice {
  const options = { ...given, provider: findProvider(given, registry) };
  const named = options.model === undefined ? undefined : findNamed(options.model, options, registry);
  const scope = options.modelScope.flatMap((pattern) => matchOrWarn(registry, pattern, warn));
  const chosen = named ?? scope[0];
  const model =
    chosen?.model ?? restoredModel(registry, restored, options) ?? defaultModel(registry, settings, options);
  const wish = options.thinking ?? chosen?.thinkingLevel ?? restored.thinkingLevel ?? settings.defaultThinkingLevel;
  return { model, wish, scope };
}

type HostOptions = Pick<StartOptions["options"], "hostProvider">;

/** Returns the provider with the spelling of its models. */
function findProvider(options: StartOptions["options"], registry: ModelRegistry): string | undefined {
  const { provider, hostProvider, model } = options;
  if (provider === undefined) return undefined;
  const names = [...registry.all().map((one) => one.provider), ...(hostProvider === undefined ? [] : [hostProvider])];
  const known = names.find((name) => name.toLowerCase() === provider.toLowerCase());
  if (known === undefined) {
    const list = [...new Set(names)].sort().join(", ");
    throw new UsageError(`Error: Unknown provider "${provider}". Known providers: ${list}`);
  }
  if (model === undefined) throw new UsageError("Error: --provider requires --model");
  return known;
}

function findNamed(pattern: string, options: StartOptions["options"], registry: ModelRegistry): ScopedModel {
  const { provider, hostProvider } = options;
  if (hostProvider !== undefined && registry.match(pattern, provider).length === 0) {
    const prefix = `${hostProvider}/`;
    if (pattern.startsWith(prefix)) return awaited(pattern.slice(prefix.length), hostProvider);
    if (provider === hostProvider) return awaited(pattern, hostProvider);
  }
  return matchOrFail(registry, pattern, provider);
}

/** Returns a placeholder for a model that the host hasn't registered yet. */
function awaited(name: string, hostProvider: string): ScopedModel {
  const { name: id, thinkingLevel } = splitLevel(name);
  return { model: hostModel(hostProvider, { id }), thinkingLevel };
}

function matchOrFail(registry: ModelRegistry, pattern: string, provider: string | undefined): ScopedModel {
  const [match] = registry.match(pattern, provider);
  if (match !== undefined) return match;
  const candidates = registry.all().filter((model) => provider === undefined || model.provider === provider);
  const near = nearModels(pattern, candidates).map((model) => `${model.provider}/${model.id}`);
  const advice = near.length === 0 ? "Use --list-models to see what there is." : `Did you mean ${near.join(" or ")}?`;
  throw new UsageError(`Error: No models match pattern "${pattern}". ${advice}`);
}

function matchOrWarn(registry: ModelRegistry, pattern: string, warn: StartOptions["warn"]): ScopedModel[] {
  const matches = registry.match(pattern);
  if (matches.length === 0) warn(`Warning: No models match pattern "${pattern}"`);
  return matches;
}

function restoredModel(
  registry: ModelRegistry,
  choices: SessionChoices,
  { hostProvider }: HostOptions,
): Model | undefined {
  const { model } = choices;
  if (model !== undefined && model.provider === hostProvider) return hostModel(hostProvider, { id: model.modelId });
  return findRestored(registry, choices);
}

/** Returns the model that a session had, or, if that is gone, the one that responded last: it may have been chosen by a virtual model. */
export function findRestored(
  registry: Pick<ModelRegistry, "find" | "hasCredentials">,
  { model, answered }: Pick<SessionChoices, "model" | "answered">,
): Model | undefined {
  const find = (one: SessionChoices["model"]) =>
    one && registry.hasCredentials(one.provider) ? registry.find(one.provider, one.modelId) : undefined;
  return find(model) ?? find(answered);
}

function defaultModel(
  registry: ModelRegistry,
  { defaultProvider, defaultModel: id }: StartOptions["settings"],
  { hostProvider }: HostOptions,
): Model | undefined {
  if (hostProvider !== undefined && defaultProvider === hostProvider && id !== undefined) {
    return hostModel(hostProvider, { id });
  }
  const available = registry.available();
  const wanted = available.find(
    (model) => model.id === id && (defaultProvider === undefined || model.provider === defaultProvider),
  );
  const chosen = wanted ?? available.find((model) => model.provider === defaultProvider);
  return chosen ?? available.find((model) => !registry.isPresumed(model.provider));
}
