import { errorMessage } from "../protocol/errors.ts";
import type { Model } from "../protocol/model.ts";
import type { KeySource } from "./key-source.ts";
import { type Provider, ProviderError, type ProviderRequest, type RequestHeaders } from "./provider.ts";

/** An addition to a provider, or its replacement, while the agent runs. */
export interface ProviderAddition {
  /** They take the place of all models of the provider; without them those stay. */
  models?: readonly Model[] | undefined;
  /** For models that stay. */
  baseUrl?: string | undefined;
  /** For models that stay, over their own. */
  headers?: Record<string, string> | undefined;
  /** Takes the place of other keys, but for the one of the command line. */
  key?: KeySource | undefined;
  /** True if the key also goes into the header `Authorization`. */
  sendsBearer?: boolean | undefined;
  /** Answers those models of the provider that have its api. */
  provider?: Provider | undefined;
}

/** Additions to the known providers, by name; the last one of a name counts. */
export class AddedProviders {
  readonly #additions = new Map<string, ProviderAddition>();
  readonly #apis = new Map<string, Provider>();

  set(name: string, addition: ProviderAddition): void {
    this.#additions.set(name, addition);
  }

  /** @returns whether there was such an addition. */
  delete(name: string): boolean {
    return this.#additions.delete(name);
  }

  /** Adds a provider for all models of its api. */
  addApi(provider: Provider): void {
    this.#apis.set(provider.api, provider);
  }

  /** Returns the provider of this model, if it was added. */
  providerOf(model: Pick<Model, "provider" | "api">): Provider | undefined {
    const own = this.#additions.get(model.provider)?.provider;
    return own?.api === model.api ? own : this.#apis.get(model.api);
  }

  keyOf(name: string): KeySource | undefined {
    return this.#additions.get(name)?.key;
  }

  /** Keys that must not be written down. */
  knownKeys(): string[] {
    return [...this.#additions.values()].flatMap(({ key }) => [...(key?.known() ?? [])]);
  }

  /** The models as they are with everything that was added; those of new providers come last. */
  apply(known: readonly Model[]): Model[] {
    const models = known.flatMap((model) => {
      const addition = this.#additions.get(model.provider);
      if (addition === undefined) return [model];
      return addition.models === undefined ? [changed(model, addition)] : [];
    });
    return [...models, ...[...this.#additions.values()].flatMap((addition) => addition.models ?? [])];
  }

  /** The provider as it is to be asked: with the key that was added for it. */
  withKey(name: string, provider: Provider): Provider {
    const addition = this.#additions.get(name);
    const { key, sendsBearer = false } = addition ?? {};
    return key === undefined && !sendsBearer ? provider : keyed(provider, key, sendsBearer);
  }
}

function changed(model: Model, { baseUrl, headers }: ProviderAddition): Model {
  return {
    ...model,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(headers === undefined ? {} : { headers: { ...model.headers, ...headers } }),
  };
}

/** Asks for the key when a request is made; one that the request has already stays. */
function keyed(provider: Provider, key: KeySource | undefined, sendsBearer: boolean): Provider {
  const withKey = async (request: ProviderRequest): Promise<ProviderRequest> => {
    const apiKey = request.apiKey ?? (await fetchKey(key, request.model.provider, request.signal));
    const bearer: RequestHeaders = sendsBearer && apiKey !== undefined ? { Authorization: `Bearer ${apiKey}` } : {};
    return { ...request, apiKey, headers: { ...bearer, ...request.headers } };
  };
  const { api, needsKey, countTokens } = provider;
  return {
    api,
    needsKey,
    async *stream(request) {
      yield* provider.stream(await withKey(request));
    },
    ...(countTokens === undefined ? {} : { countTokens: async (request) => countTokens(await withKey(request)) }),
  };
}

async function fetchKey(
  key: KeySource | undefined,
  provider: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await key?.get(signal);
  } catch (cause) {
    if (signal.aborted) throw new ProviderError("aborted", "Request was aborted", { cause });
    throw new ProviderError("auth", `No API key for ${provider}: ${errorMessage(cause)}`, { cause });
  }
}
