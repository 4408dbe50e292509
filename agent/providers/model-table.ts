import { keyVariable } from "../config/credentials.ts";
import type { Env } from "../config/paths.ts";
import { AgentError } from "../protocol/errors.ts";
import type { Model } from "../protocol/model.ts";
import { secretsOfEnv } from "../util/secrets.ts";
import type { AddedProviders, ProviderAddition } from "./added-providers.ts";
import { DEMO_MODEL } from "./catalogue.ts";
import { createDemoProvider } from "./demo.ts";
import type { Provider } from "./provider.ts";
import { withRedactedErrors } from "./redacted-errors.ts";
import { isVirtual, type Router, UNROUTED, type VirtualModelFacts, type VirtualModels } from "./virtual-models.ts";

/** The known models and their providers. Models that are added later are available at once. */
export interface ModelTable {
  /** Every model: Anthropic's, then the user's own, then those of the other known providers. */
  all(): readonly Model[];
  find(provider: string, id: string): Model | undefined;
  /**
   * Returns the provider of a model, with its key if it was added with one. The model need not be a known one.
   * @throws AgentError model_not_found when nothing can.
   */
  providerOf(model: Model): Provider;
  /** True if models with this api can be asked. */
  hasApi(api: string): boolean;
  /** True if there are models of this provider, or a variable for its key, without any addition. */
  isKnown(provider: string): boolean;
  /** Adds to a provider, or puts a new one there; what was added under this name before is forgotten. */
  addProvider(name: string, addition: ProviderAddition): void;
  /** Takes back what was added; what it covered is there again. @returns whether there was anything. */
  removeProvider(name: string): boolean;
  /** Adds a provider for all models of its api. */
  addApi(provider: Provider): void;
  /** Adds a virtual model, or replaces one. @throws Error if another model has its name. */
  addVirtual(model: VirtualModelFacts, router: Router): void;
  /** Removes a virtual model; with a router, only if it is still that one's. */
  removeVirtual(model: Pick<Model, "provider" | "id">, router?: Router): void;
  /** Adds the demo model. */
  addDemo(): void;
  /** True if this is the stand-in that was added for want of others. */
  isStandIn(model: Model): boolean;
}

interface ModelTableParts {
  /** The models without any addition. */
  known: readonly Model[];
  /** The providers, by API. */
  providers: ReadonlyMap<string, Provider>;
  added: AddedProviders;
  virtual: VirtualModels;
  env: Env;
  /** Every key that is known at this moment. */
  secrets(): readonly string[];
}

/** Creates the table of known models. Later models go to `added`. */
export function createModelTable(parts: ModelTableParts): ModelTable {
  const { added, virtual, env } = parts;
  const known = [...parts.known];
  const providers = new Map(parts.providers);
  let models: readonly Model[] = known;
  let hasStandIn = false;
  const refresh = () => {
    const isAsked = (model: Model) => providers.has(model.api) || added.providerOf(model) !== undefined;
    models = virtual.apply(added.apply(known).filter(isAsked));
  };
  const find = (provider: string, id: string) => models.find((model) => model.provider === provider && model.id === id);
  return {
    all: () => models,
    find,
    providerOf(model) {
      if (isVirtual(model)) return UNROUTED;
      const provider = added.providerOf(model) ?? providers.get(model.api);
      if (provider === undefined) throw unsupported(model);
      return withRedactedErrors(added.withKey(model.provider, provider), () => [
        ...parts.secrets(),
        ...secretsOfEnv(env),
      ]);
    },
    hasApi: (api) => providers.has(api) || added.providerOf({ provider: "", api }) !== undefined,
    isKnown: (name) => known.some(({ provider }) => provider === name) || keyVariable(name) !== undefined,
    addProvider(name, addition) {
      added.set(name, addition);
      refresh();
    },
    removeProvider(name) {
      const isRemoved = added.delete(name);
      refresh();
      return isRemoved;
    },
    addApi(provider) {
      added.addApi(provider);
      refresh();
    },
    addVirtual(model, router) {
      const { provider, id } = model;
      const existing = find(provider, id);
      if (existing !== undefined && !isVirtual(existing)) {
        throw new Error(`Virtual model ${provider}/${id} conflicts with a physical model.`);
      }
      virtual.set(model, router);
      refresh();
    },
    removeVirtual(model, router) {
      virtual.delete(model, router);
      refresh();
    },
    addDemo() {
      hasStandIn = true;
      providers.set("demo", createDemoProvider(env));
      if (!known.includes(DEMO_MODEL)) known.push(DEMO_MODEL);
      refresh();
    },
    isStandIn: ({ provider }) => hasStandIn && provider === DEMO_MODEL.provider,
  };
}

function unsupported({ provider, id, api }: Model): AgentError {
  return new AgentError("model_not_found", `Model ${provider}/${id} uses api "${api}", which is not supported.`);
}
