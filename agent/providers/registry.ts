import { keyFromEnv, keysFromEnv, keyVariable } from "../config/credentials.ts";
import { googleAdvice, hasGoogleProject } from "../config/google-cloud.ts";
import { type Env, modelsPath } from "../config/paths.ts";
import { hasSignIn, hasSignInFiles, servesOthers, signInAdvice, signInSecrets } from "../config/sign-ins.ts";
import { AgentError } from "../protocol/errors.ts";
import { type Model, ThinkingLevel } from "../protocol/model.ts";
import { AddedProviders } from "./added-providers.ts";
import { createAnthropicProvider } from "./anthropic.ts";
import { createAzureProvider } from "./azure.ts";
import { createBedrockProvider } from "./bedrock.ts";
import { type BuiltInOptions, builtInModels } from "./built-in-models.ts";
import { DEMO_MODEL } from "./catalogue.ts";
import { createCompletionsProvider } from "./completions.ts";
import { createDemoProvider } from "./demo.ts";
import { createGoogleProvider } from "./google.ts";
import { type KeySource, keySource, keyVariables, readText } from "./key-source.ts";
import { type ModelMatch, matchModels } from "./match-models.ts";
import { createModelTable, type ModelTable } from "./model-table.ts";
import { applyModelsFile, type FileKey, isSecretHeader } from "./models-file.ts";
import type { Provider } from "./provider.ts";
import { createResponsesProvider } from "./responses.ts";
import { createVertexProviders } from "./vertex.ts";
import { isVirtual, type Routed, type RoutedRequest, VirtualModels } from "./virtual-models.ts";

/** A provider that can be asked, with its key. */
export interface ResolvedProvider {
  provider: Provider;
  apiKey: string | undefined;
}

/** The models there are, and what is needed to ask them. */
export interface ModelRegistry extends ModelTable {
  /** The models whose provider has credentials, in the order of `all`. */
  available(): Model[];
  hasCredentials(provider: string): boolean;
  /** True if the provider's only credentials may be meant for other purposes, so that its models don't become the default. */
  isPresumed(provider: string): boolean;
  /** Reads what somebody wrote down as a key. */
  keySource(value: string): KeySource;
  /** Reads a text that may stand for a variable; undefined when that is not set. */
  readText(value: string): string | undefined;
  /**
   * The key of a provider.
   * @throws Error that says why there is none.
   */
  fetchKey(provider: string, signal: AbortSignal): Promise<string | undefined>;
  /** @throws AgentError no_credentials when the provider lacks a key. */
  resolve(model: Model): ResolvedProvider;
  /**
   * Returns the model and level to ask for a request: those that a virtual model chooses, or the given ones of any other model.
   * @throws Error if a virtual model can't choose.
   */
  route(request: RoutedRequest): Promise<Routed>;
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

interface RegistryOptions extends BuiltInOptions {
  agentDir: string;
  /** A key for this process only. It goes to the provider of the first model that `match` finds, and to no other. */
  apiKeyOverride?: string | undefined;
  /** Takes variables out of what child processes get: keys that are named while the agent runs. */
  hideVariables?(names: readonly string[]): void;
}

/** Collects the built-in models, `models.json` of `agentDir`, and the keys of the environment. */
export async function createModelRegistry(options: RegistryOptions): Promise<ModelRegistry> {
  const { agentDir, env, warn } = options;
  const providers = createProviders(options);
  const apis = new Set(providers.keys());
  const { models: known, keys } = await applyModelsFile({
    path: modelsPath(agentDir),
    env,
    builtIn: (inFile) => builtInModels(options, inFile, apis),
    apis,
    warn,
  });
  const added = new AddedProviders();
  const virtual = new VirtualModels();
  const credentials = new Credentials(keys, added, options);
  const fetched = () => [...providers.values()].flatMap((provider) => [...(provider.secrets?.() ?? [])]);
  const secrets = () => [...credentials.all(), ...fetched(), ...table.all().flatMap(secretHeaders)];
  const table = createModelTable({ known, providers, added, virtual, env, secrets });
  const isOnlyVirtual = (name: string) =>
    virtual.has(name) && table.all().every((model) => model.provider !== name || isVirtual(model));
  const hasCredentials = (name: string) => credentials.has(name) || isOnlyVirtual(name);
  return {
    ...table,
    keySource(value) {
      options.hideVariables?.(keyVariables(value, env));
      return keySource(value, env);
    },
    readText: (value) => readText(value, env),
    fetchKey: async (name, signal) => credentials.key(name) ?? (await added.keyOf(name)?.get(signal)),
    available() {
      const providers = new Set(table.all().map(({ provider }) => provider));
      const ready = new Set([...providers].filter(hasCredentials));
      return table.all().filter((model) => ready.has(model.provider));
    },
    hasCredentials,
    isPresumed: (provider) => credentials.isPresumed(provider) || isOnlyVirtual(provider),
    resolve(model) {
      const provider = table.providerOf(model);
      if (!hasCredentials(model.provider)) throw withoutKey(model, credentials);
      return { provider, apiKey: credentials.key(model.provider) };
    },
    route: (request) => virtual.route(request, { find: table.find, hasCredentials, clampLevel }),
    levels: levelsOf,
    clampLevel,
    match(pattern, provider) {
      const candidates = table.all().filter((model) => provider === undefined || model.provider === provider);
      const found = matchModels(pattern, candidates, hasCredentials);
      const [best] = found;
      if (best !== undefined) credentials.bindOverride(best.model.provider);
      return found;
    },
    toWire: redacted,
    secrets,
  };
}

function createProviders({ enableDemo, env }: RegistryOptions): Map<string, Provider> {
  const providers = [
    createAnthropicProvider(),
    createCompletionsProvider(),
    createResponsesProvider(),
    createGoogleProvider(),
    ...createVertexProviders({ env }),
    createBedrockProvider({ env }),
    createAzureProvider({ env }),
    ...(enableDemo ? [createDemoProvider(env)] : []),
  ];
  return new Map(providers.map((provider) => [provider.api, provider]));
}

function withoutKey({ provider, id }: Model, credentials: Credentials): AgentError {
  return new AgentError("no_credentials", `No API key for ${provider}/${id}. ${credentials.advice(provider)}`);
}

/** The keys of one process: its own override first, then what was added, then the models file, else the environment. */
class Credentials {
  readonly #fileKeys: ReadonlyMap<string, FileKey>;
  readonly #added: AddedProviders;
  readonly #env: Env;
  readonly #override: string | undefined;
  readonly #isInEditor: boolean;
  #overrideProvider: string | undefined;

  constructor(
    fileKeys: ReadonlyMap<string, FileKey>,
    added: AddedProviders,
    { env, apiKeyOverride, hostProvider }: RegistryOptions,
  ) {
    this.#fileKeys = fileKeys;
    this.#added = added;
    this.#env = env;
    this.#override = apiKeyOverride;
    this.#isInEditor = hostProvider !== undefined;
  }

  bindOverride(provider: string): void {
    this.#overrideProvider ??= provider;
  }

  /** Undefined also when the key was added and is asked for with the request. */
  key(provider: string): string | undefined {
    if (this.#override !== undefined && provider === this.#overrideProvider) return this.#override;
    if (this.#added.keyOf(provider) !== undefined) return undefined;
    const fileKey = this.#fileKeys.get(provider);
    // The key setting of the file applies even if the file has no key: its server may differ from the variable's.
    if (fileKey === undefined) return keyFromEnv(provider, this.#env);
    return fileKey.kind === "key" ? fileKey.key : undefined;
  }

  all(): string[] {
    const fileKeys = [...this.#fileKeys.values()].flatMap((key) => (key.kind === "key" ? [key.key] : []));
    const own = this.#override === undefined ? [] : [this.#override];
    return [...own, ...this.#added.knownKeys(), ...fileKeys, ...keysFromEnv(this.#env), ...signInSecrets(this.#env)];
  }

  has(provider: string): boolean {
    if (provider === DEMO_MODEL.provider || this.#fileKeys.get(provider)?.kind === "none") return true;
    return this.#hasKey(provider) || this.#isSignedIn(provider) || hasSignInFiles(provider, this.#env);
  }

  isPresumed(provider: string): boolean {
    if (provider === DEMO_MODEL.provider || this.#fileKeys.get(provider)?.kind === "none") return false;
    if (this.#hasKey(provider)) return false;
    // An editor has its own models, and its users shouldn't pay for others unasked.
    const isChosen = this.#isSignedIn(provider) && !(this.#isInEditor && servesOthers(provider));
    return !isChosen && this.has(provider);
  }

  #isSignedIn(provider: string): boolean {
    const hasProject = !this.#fileKeys.has(provider) && hasGoogleProject(provider, this.#env);
    return hasProject || hasSignIn(provider, this.#env);
  }

  #hasKey(provider: string): boolean {
    return this.key(provider) !== undefined || this.#added.keyOf(provider)?.isThere === true;
  }

  /** Returns advice about a missing key. */
  advice(provider: string): string {
    const added = this.#added.keyOf(provider);
    if (added !== undefined) return `Set ${added.missing} and start again.`;
    const fileKey = this.#fileKeys.get(provider);
    const ofCloud = fileKey === undefined ? googleAdvice(provider) : undefined;
    if (ofCloud !== undefined) return ofCloud;
    const variable = fileKey?.kind === "missing" ? fileKey.variable : keyVariable(provider);
    const inEditor = provider === "anthropic" ? 'Run "Tiller: Set API Key" in VS Code, or set' : "Set";
    const other = fileKey === undefined ? signInAdvice(provider) : undefined;
    const way = other === undefined ? "" : `, or ${other},`;
    return `${inEditor} ${variable ?? `a key for "${provider}" in models.json`}${way} and start again.`;
  }
}

function levelsOf(model: Model): readonly ThinkingLevel[] {
  if (!model.reasoning) return ["off"];
  const map = model.thinkingLevelMap;
  // The highest levels are beyond what a model understands unless it says so.
  return ThinkingLevel.options.filter((level) =>
    level === "xhigh" || level === "max" ? (map?.[level] ?? null) !== null : map?.[level] !== null,
  );
}

function clampLevel(model: Model, level: ThinkingLevel): ThinkingLevel {
  const levels = levelsOf(model);
  const rank = (one: ThinkingLevel) => ThinkingLevel.options.indexOf(one);
  return levels.findLast((one) => rank(one) <= rank(level)) ?? levels[0] ?? "off";
}

function secretHeaders({ headers = {} }: Model): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (isSecretHeader(name) ? [value] : []));
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
