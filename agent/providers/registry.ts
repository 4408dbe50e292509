import { join } from "node:path";
import { keyFromEnv, keysFromEnv, keyVariable } from "../config/credentials.ts";
import type { Env } from "../config/paths.ts";
import { AgentError } from "../protocol/errors.ts";
import { type Model, ThinkingLevel } from "../protocol/model.ts";
import { createAnthropicProvider } from "./anthropic.ts";
import { CATALOGUE, DEMO_MODEL } from "./catalogue.ts";
import { createDemoProvider } from "./demo.ts";
import { type ModelMatch, matchModels } from "./match-models.ts";
import { applyModelsFile, type FileKey } from "./models-file.ts";
import type { Provider } from "./provider.ts";

/** A provider that can be asked, with its key. */
export interface ResolvedProvider {
  provider: Provider;
  apiKey: string | undefined;
}

/** The models there are, and what is needed to ask them. */
export interface ModelRegistry {
  /** Every model, in catalogue order, then the user's own. */
  all(): readonly Model[];
  /** The models whose provider has credentials, in the same order. */
  available(): Model[];
  find(provider: string, id: string): Model | undefined;
  hasCredentials(provider: string): boolean;
  /** @throws AgentError no_credentials when the provider lacks a key. */
  resolve(model: Model): ResolvedProvider;
  /** The levels that a model supports, weakest first; `off` alone when it does not reason. */
  levels(model: Model): readonly ThinkingLevel[];
  /** The supported level nearest to `level`: at or below it, else the lowest above. */
  clampLevel(model: Model, level: ThinkingLevel): ThinkingLevel;
  /**
   * The models that a pattern means, best first: an exact id, `provider/id`, a glob, or words found in id or name; a `:level` at the end
   * is the level to think with. Models that can be asked come before others that match as well.
   * @param provider looks only among this provider's models.
   */
  match(pattern: string, provider?: string): ModelMatch[];
  /** A model as hosts see it: without secrets, and with its id as `modelId` too. */
  toWire(model: Model): Model;
  /** Every key that this process knows, also those of providers without models, to keep them out of what is written. */
  secrets(): string[];
}

interface RegistryOptions {
  agentDir: string;
  env: Env;
  enableDemo: boolean;
  /** A key for this process only. It goes to the provider of the first model that `match` finds, and to no other. */
  apiKeyOverride?: string | undefined;
  warn(message: string): void;
}

/** Collects the built-in models, `models.json` of `agentDir`, and the keys of the environment. */
export async function createModelRegistry(options: RegistryOptions): Promise<ModelRegistry> {
  const { agentDir, env, warn } = options;
  const providers = createProviders(options);
  const known = [...CATALOGUE.map((model) => withBaseUrl(model, env)), ...(options.enableDemo ? [DEMO_MODEL] : [])];
  const path = join(agentDir, "models.json");
  const { models, keys } = await applyModelsFile({ path, env, known, apis: new Set(providers.keys()), warn });
  const credentials = new Credentials(keys, options);
  const hasCredentials = (name: string) => credentials.has(name);
  const find = (provider: string, id: string) => models.find((model) => model.provider === provider && model.id === id);
  return {
    all: () => models,
    available: () => models.filter((model) => hasCredentials(model.provider)),
    find,
    hasCredentials,
    resolve: (model) => resolve(model, providers, credentials),
    levels: levelsOf,
    clampLevel,
    match(pattern, provider) {
      const candidates = provider === undefined ? models : models.filter((model) => model.provider === provider);
      const found = matchModels(pattern, candidates, hasCredentials);
      const [best] = found;
      if (best !== undefined) credentials.bindOverride(best.model.provider);
      return found;
    },
    toWire: redacted,
    secrets: () => [...credentials.all(), ...models.flatMap(secretHeaders)],
  };
}

function createProviders({ enableDemo, env }: RegistryOptions): ReadonlyMap<string, Provider> {
  const providers = [createAnthropicProvider(), ...(enableDemo ? [createDemoProvider(env)] : [])];
  return new Map(providers.map((provider) => [provider.api, provider]));
}

function withBaseUrl(model: Model, env: Env): Model {
  const baseUrl = env.ANTHROPIC_BASE_URL?.trim();
  return baseUrl ? { ...model, baseUrl } : model;
}

function resolve(model: Model, providers: ReadonlyMap<string, Provider>, credentials: Credentials): ResolvedProvider {
  const provider = providers.get(model.api);
  if (provider === undefined) {
    throw new AgentError(
      "model_not_found",
      `Model ${model.provider}/${model.id} uses api "${model.api}", which is not supported.`,
    );
  }
  if (!credentials.has(model.provider)) {
    throw new AgentError(
      "no_credentials",
      `No API key for ${model.provider}/${model.id}. ${credentials.advice(model.provider)}`,
    );
  }
  return { provider, apiKey: credentials.key(model.provider) };
}

/** The keys of one process: its own override first, then the models file, then the environment. */
class Credentials {
  readonly #fileKeys: ReadonlyMap<string, FileKey>;
  readonly #env: Env;
  readonly #override: string | undefined;
  #overrideProvider: string | undefined;

  constructor(fileKeys: ReadonlyMap<string, FileKey>, { env, apiKeyOverride }: RegistryOptions) {
    this.#fileKeys = fileKeys;
    this.#env = env;
    this.#override = apiKeyOverride;
  }

  bindOverride(provider: string): void {
    this.#overrideProvider ??= provider;
  }

  key(provider: string): string | undefined {
    if (this.#override !== undefined && provider === this.#overrideProvider) return this.#override;
    const fileKey = this.#fileKeys.get(provider);
    return fileKey?.kind === "key" ? fileKey.key : keyFromEnv(provider, this.#env);
  }

  all(): string[] {
    const fileKeys = [...this.#fileKeys.values()].flatMap((key) => (key.kind === "key" ? [key.key] : []));
    return [...(this.#override === undefined ? [] : [this.#override]), ...fileKeys, ...keysFromEnv(this.#env)];
  }

  has(provider: string): boolean {
    if (provider === DEMO_MODEL.provider || this.#fileKeys.get(provider)?.kind === "none") return true;
    return this.key(provider) !== undefined;
  }

  /** What to do about a missing key. */
  advice(provider: string): string {
    const fileKey = this.#fileKeys.get(provider);
    const variable = fileKey?.kind === "missing" ? fileKey.variable : keyVariable(provider);
    const inEditor = provider === "anthropic" ? 'Run "Tiller: Set API Key" in VS Code, or set' : "Set";
    return `${inEditor} ${variable ?? `a key for "${provider}" in models.json`} and start again.`;
  }
}

function levelsOf(model: Model): readonly ThinkingLevel[] {
  if (!model.reasoning) return ["off"];
  const map = model.thinkingLevelMap;
  // The highest level is beyond what a model understands unless it says so.
  return ThinkingLevel.options.filter((level) =>
    level === "xhigh" ? (map?.[level] ?? null) !== null : map?.[level] !== null,
  );
}

function clampLevel(model: Model, level: ThinkingLevel): ThinkingLevel {
  const levels = levelsOf(model);
  const rank = (one: ThinkingLevel) => ThinkingLevel.options.indexOf(one);
  return levels.findLast((one) => rank(one) <= rank(level)) ?? levels[0] ?? "off";
}

const SECRET_HEADER = /auth|key|token|secret|cookie/i;

function secretHeaders({ headers = {} }: Model): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (SECRET_HEADER.test(name) ? [value] : []));
}

function redacted(model: Model): Model {
  const { headers, ...rest } = model;
  const hidden = headers && Object.fromEntries(Object.keys(headers).map((name) => [name, "[redacted]"]));
  return {
    ...rest,
    modelId: model.id,
    baseUrl: withoutUserInfo(model.baseUrl),
    ...(hidden ? { headers: hidden } : {}),
  };
}

function withoutUserInfo(baseUrl: string): string {
  return baseUrl.replace(/^(https?:\/\/)[^/@]*@/, "$1");
}
