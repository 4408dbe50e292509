import { ADDRESS_VARIABLES, keyVariable, providersWithKeys } from "../config/credentials.ts";
import { isGoogleProject } from "../config/google-cloud.ts";
import type { Env } from "../config/paths.ts";
import type { Model } from "../protocol/model.ts";
import { addressProblem } from "../util/server-address.ts";
import { CATALOGUE, DEMO_MODEL } from "./catalogue.ts";
import { matchModels } from "./match-models.ts";

/** The facts that decide which models are loaded. */
export interface BuiltInOptions {
  env: Env;
  enableDemo: boolean;
  /** Names of providers, and patterns of models, that the user gave. */
  named?: readonly string[] | undefined;
  /** The provider whose models the host supplies. */
  hostProvider?: string | undefined;
  /** True if models of any provider may be asked for later: extensions can change providers and list their models. */
  needsAll?: boolean | undefined;
  warn(message: string): void;
}

/** The models that need no models file. */
export interface BuiltInModels {
  /** Those that are always known. */
  first: readonly Model[];
  /** Those of the other known providers. Models that the user defines come before them. */
  others: readonly Model[];
  /** The own addresses of the others' providers, whatever the environment says. */
  homes: ReadonlyMap<string, string>;
}

/**
 * Returns the built-in models of which there is an API. Models of providers other than Anthropic are loaded only when one may be needed: with a
 * key for them, or by name.
 * @param inFile the providers that the models file names.
 */
export async function builtInModels(
  options: BuiltInOptions,
  inFile: readonly string[],
  apis: ReadonlySet<string>,
): Promise<BuiltInModels> {
  const first = [...CATALOGUE, ...(options.enableDemo ? [DEMO_MODEL] : [])];
  const others = needsOthers(options, inFile, first) ? (await import("./known-models.ts")).knownModels() : [];
  const isServed = ({ api }: Model) => apis.has(api);
  const place = placer(options);
  const homes = new Map(others.map(({ provider, baseUrl }) => [provider, baseUrl]));
  return { first: first.filter(isServed).map(place), others: others.filter(isServed).map(place), homes };
}

function needsOthers(options: BuiltInOptions, inFile: readonly string[], first: readonly Model[]): boolean {
  const { env, needsAll = false, named = [], hostProvider } = options;
  const isOther = (provider: string) => first.every((model) => model.provider !== provider);
  if (needsAll || isGoogleProject(env)) return true;
  if ([...providersWithKeys(env), ...inFile.filter((name) => keyVariable(name))].some(isOther)) return true;
  const elsewhere = [...inFile, ...(hostProvider === undefined ? [] : [hostProvider])];
  return named.some(
    (name) =>
      !elsewhere.some((provider) => name === provider || name.startsWith(`${provider}/`)) &&
      !first.some(({ provider }) => provider === name) &&
      matchModels(name, first, () => true).length === 0,
  );
}

/** Gives models the address that the environment has for their provider, and reports an address that can't be used. */
function placer({ env, warn }: BuiltInOptions): (model: Model) => Model {
  const addresses = new Map<string, string>();
  for (const [provider, variable] of Object.entries(ADDRESS_VARIABLES)) {
    const address = env[variable]?.trim();
    if (!address) continue;
    const problem = addressProblem(address);
    if (problem !== undefined) warn(`${variable} ${problem}.`);
    addresses.set(provider, address);
  }
  return (model) => ({ ...model, baseUrl: addresses.get(model.provider) ?? model.baseUrl });
}
