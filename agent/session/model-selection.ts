import { googleAdvice } from "../config/google-cloud.ts";
import { AgentError } from "../protocol/errors.ts";
import { HOST_MODEL_API } from "../protocol/host-models.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import type { ModelRegistry } from "../providers/registry.ts";
import { isVirtual, lastPhysical } from "../providers/virtual-models.ts";

const HOW_TO_SELECT = "Select a model with --model at the command line, or with set_model from a host.";

/** A model that `cycle_model` may choose, with the level that its pattern asked for. */
export interface ScopedModel {
  model: Model;
  thinkingLevel?: ThinkingLevel | undefined;
}

/** The result of a change of model or level. */
export interface SelectionChange {
  isModelChanged: boolean;
  isLevelChanged: boolean;
}

/** The selected model and its thinking level, which is always one that the model supports. */
export class ModelSelection {
  readonly #registry: ModelRegistry;
  readonly #scope: readonly ScopedModel[];
  #model: Model | undefined;
  #routed: Model | undefined;
  #level: ThinkingLevel = "off";
  /** The last requested level, kept so that switching through a model that can't think doesn't lose it. */
  #wish: ThinkingLevel;

  constructor(registry: ModelRegistry, wish: ThinkingLevel, scope: readonly ScopedModel[] = []) {
    this.#registry = registry;
    this.#wish = wish;
    this.#scope = scope;
  }

  /** The models for `cycle_model`; empty for all models. */
  get scope(): readonly ScopedModel[] {
    return this.#scope;
  }

  /** The selected model with its current definition: its provider may have changed since. */
  get model(): Model | undefined {
    if (this.#model === undefined) return undefined;
    return this.#registry.find(this.#model.provider, this.#model.id) ?? this.#model;
  }

  get thinkingLevel(): ThinkingLevel {
    return this.#level;
  }

  /** Returns the model whose limits apply to these messages: for a virtual model, the one that it chose last, if any. */
  measure(messages: readonly AgentMessage[]): Model | undefined {
    const { model } = this;
    if (model === undefined || !isVirtual(model)) return model;
    return this.#routed ?? lastPhysical(messages, this.#registry) ?? model;
  }

  /** Takes the model that a virtual model chose for a request; undefined for another conversation. */
  noteRouted(model: Model | undefined): void {
    this.#routed = model;
  }

  /** Returns the selected model. @throws AgentError no_model or no_credentials, with advice. */
  require(): Model {
    const { model } = this;
    if (model === undefined) {
      throw new AgentError(
        "no_model",
        `No model selected.\n\nSet a provider's key in the environment, such as ANTHROPIC_API_KEY, or add a provider to models.json. ${HOW_TO_SELECT}`,
      );
    }
    const { provider, id } = model;
    if (this.#registry.find(provider, id) === undefined) {
      throw new AgentError("no_model", `Model ${provider}/${id} ${reasonOfAbsence(model)}.\n\n${HOW_TO_SELECT}`);
    }
    if (!this.#registry.hasCredentials(provider)) {
      throw new AgentError(
        "no_credentials",
        `No API key found for ${provider}.\n\n${googleAdvice(provider) ?? "Set its key in the environment or in models.json and start again."}`,
      );
    }
    return model;
  }

  /** Selects a model, and clamps the level to one that it supports. */
  choose(model: Model, level?: ThinkingLevel): SelectionChange {
    const isModelChanged = this.#model?.provider !== model.provider || this.#model.id !== model.id;
    this.#model = model;
    this.#routed = undefined;
    if (level !== undefined) this.#wish = level;
    return { isModelChanged, isLevelChanged: this.#clamp() };
  }

  /** Requests a level. @returns whether the level changed. */
  setLevel(level: ThinkingLevel): boolean {
    this.#wish = level;
    return this.#clamp();
  }

  /** Returns the levels of the model, weakest first; only `off` without a model. */
  levels(): ThinkingLevel[] {
    return this.#model === undefined ? ["off"] : [...this.#registry.levels(this.#model)];
  }

  /**
   * Returns the level after the current one, or undefined when the model doesn't think. Hosts that don't know `max` cycle too, so that it
   * is selected only by name.
   */
  nextLevel(): ThinkingLevel | undefined {
    if (this.#model?.reasoning !== true) return undefined;
    const levels: ThinkingLevel[] = this.levels().filter((level) => level !== "max");
    return levels[(levels.indexOf(this.#level) + 1) % levels.length];
  }

  /** @throws AgentError model_not_found unless the model exists and has credentials. */
  find(provider: string, modelId: string): Model {
    const model = this.#registry.find(provider, modelId);
    if (model === undefined) throw new AgentError("model_not_found", `Model not found: ${provider}/${modelId}`);
    if (!this.#registry.hasCredentials(provider)) {
      throw new AgentError("model_not_found", `Model not found: ${provider}/${modelId}`);
    }
    return model;
  }

  /**
   * Returns the neighbour of the current model in the scope, or among all available models; undefined with fewer than
   * two.
   */
  neighbour(step: 1 | -1): (ScopedModel & { isScoped: boolean }) | undefined {
    const isScoped = this.#scope.length > 0;
    const candidates: readonly ScopedModel[] = isScoped
      ? this.#scope.filter(({ model }) => this.#registry.hasCredentials(model.provider))
      : this.#registry.available().map((model) => ({ model }));
    if (candidates.length < 2) return undefined;
    const at = candidates.findIndex(
      ({ model }) => model.provider === this.#model?.provider && model.id === this.#model.id,
    );
    const from = at === -1 && step === -1 ? 0 : at;
    const next = candidates[(from + step + candidates.length) % candidates.length];
    return next === undefined ? undefined : { ...next, isScoped };
  }

  #clamp(): boolean {
    const before = this.#level;
    this.#level = this.#model === undefined ? "off" : this.#registry.clampLevel(this.#model, this.#wish);
    return before !== this.#level;
  }
}

function reasonOfAbsence({ api }: Model): string {
  return api === HOST_MODEL_API
    ? "is not there: the host has not brought it yet, or does not have it any more"
    : "is not there any more: what brought it is gone";
}
