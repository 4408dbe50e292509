import type { Emit } from "../loop/loop-host.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import { FALLBACK_ENTRY_TYPE } from "../protocol/session-entries.ts";
import type { ModelMatch } from "../providers/match-models.ts";
import { ProviderError } from "../providers/provider.ts";
import type { ModelRegistry } from "../providers/registry.ts";
import type { Conversation } from "./conversation.ts";
import type { ModelSelection } from "./model-selection.ts";
import type { SessionOptions } from "./session-options.ts";

const SERVICE_UNAVAILABLE = 503;

interface ModelFallbackOptions {
  /** Patterns of the models that go on, in this order. */
  patterns: readonly string[];
  registry: Pick<ModelRegistry, "match" | "hasCredentials">;
  selection: Pick<ModelSelection, "model">;
  conversation(): Conversation;
  select(model: Model, level: ThinkingLevel | undefined): Promise<void>;
  emit: Emit;
  /** Tells the user. */
  warn(message: string): void;
}

/** Returns the fallback for one run of a session. */
export function createFallback(
  { settings, registry, selection, emit, warn, changeModel }: SessionOptions,
  { conversation, select }: Pick<ModelFallbackOptions, "conversation" | "select">,
): ModelFallback {
  return new ModelFallback({
    patterns: settings.fallbackModels,
    registry,
    selection,
    conversation,
    select: (model, level) => changeModel(() => select(model, level)),
    emit,
    warn,
  });
}

/** Selects the next model of a list when the selected one can't answer. One for each run. */
export class ModelFallback {
  readonly #options: ModelFallbackOptions;
  readonly #failed = new Set<string>();

  constructor(options: ModelFallbackOptions) {
    this.#options = options;
  }

  /** Returns the model that goes on after a failed request; undefined if another model wouldn't help, or none is left. */
  find(error: unknown): ModelMatch | undefined {
    const { model } = this.#options.selection;
    if (model === undefined || !isUnavailable(error)) return undefined;
    this.#failed.add(nameOf(model));
    const { patterns, registry } = this.#options;
    const listed = patterns.flatMap((pattern) => {
      const usable = registry.match(pattern).find((match) => registry.hasCredentials(match.model.provider));
      return usable === undefined ? [] : [usable];
    });
    const at = listed.findIndex((match) => nameOf(match.model) === nameOf(model));
    return listed.slice(at + 1).find((match) => !this.#failed.has(nameOf(match.model)));
  }

  /** Selects a model for the session, and tells the user why. */
  async goOn({ model, thinkingLevel }: ModelMatch, reason: string): Promise<void> {
    const { selection, conversation, select, emit, warn } = this.#options;
    const from = selection.model;
    await select(model, thinkingLevel);
    const names = { from: from === undefined ? undefined : nameOf(from), to: nameOf(model) };
    const entry = conversation().appendCustom(FALLBACK_ENTRY_TYPE, names);
    if (entry !== undefined) await emit({ type: "entry_appended", entry });
    warn(`${reason} ${model.name} continues, as your setting "fallbackModels" says. Select a model to change this.`);
  }
}

function nameOf({ provider, id }: Model): string {
  return `${provider}/${id}`;
}

/** True if the model can't answer for now, whatever it is asked. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof ProviderError)) return false;
  const { kind, status } = error;
  return kind === "overloaded" || kind === "quota" || kind === "rate_limit" || status === SERVICE_UNAVAILABLE;
}
