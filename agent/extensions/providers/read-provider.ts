import * as z from "zod";
import { describeIssues } from "../../protocol/errors.ts";
import type { Model } from "../../protocol/model.ts";
import type { ProviderAddition } from "../../providers/added-providers.ts";
import { type KeySource, NO_KEY_NEEDED } from "../../providers/key-source.ts";
import type { ModelRegistry } from "../../providers/registry.ts";
import { ExtensionFunction, readRegistration } from "../registrations.ts";
import { createOwnProvider } from "./own-provider.ts";
import type { ReadRegistration } from "./provider-slot.ts";
import { ModelDefinition, toModel } from "./read-model.ts";

/** A model that makes images or classifies, which cannot be asked here. */
const OtherType = z.object({ type: z.enum(["image", "classifier"]) });

const headers = z.record(z.string(), z.string()).optional();
const method = ExtensionFunction.optional();

/** A provider by its parts. */
const ProviderConfig = z.object({
  baseUrl: z.string().optional(),
  apiKey: z.string().optional(),
  api: z.string().min(1).optional(),
  headers,
  authHeader: z.boolean().optional(),
  models: z.array(z.unknown()).optional(),
  streamSimple: method,
  refreshModels: method,
  oauth: z.unknown().optional(),
});
type ProviderConfig = z.infer<typeof ProviderConfig>;

/** A provider as an object that does everything itself. */
const ProviderObject = z.object({
  id: z.string().min(1),
  baseUrl: z.string().optional(),
  headers,
  auth: z.object({ apiKey: z.object({ resolve: ExtensionFunction }).optional() }).catch({}),
  getModels: ExtensionFunction,
  streamSimple: ExtensionFunction,
  refreshModels: method,
});

const Name = z.string().min(1);

/** Reads the arguments of `registerProvider`: a name and a provider's parts, or a provider as an object. */
export function readProvider(
  given: readonly unknown[],
  earlier: Record<string, unknown>,
  registry: ModelRegistry,
): ReadRegistration {
  const [first, config] = given;
  if (typeof first === "object" && first !== null) return readObject(first, registry);
  const name = readRegistration(Name, first, "Provider");
  return readParts(name, mergeGiven(earlier, config), registry);
}

/** Fields that this registration omits keep the values of an earlier one. */
function mergeGiven(earlier: Record<string, unknown>, config: unknown): Record<string, unknown> {
  const given = readRegistration(z.record(z.string(), z.unknown()), config, "Provider");
  return { ...earlier, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

function readParts(name: string, given: Record<string, unknown>, registry: ModelRegistry): ReadRegistration {
  const config = readRegistration(ProviderConfig, given, `Provider "${name}"`);
  const { streamSimple, refreshModels, api } = config;
  if (streamSimple !== undefined && api === undefined) {
    throw new Error(`Provider "${name}" has streamSimple, but no api: give its wire a name.`);
  }
  const problems: string[] = [];
  const fixed = readHeaders(name, config.headers, registry, problems);
  const models = config.models && readModels(name, { ...config, headers: fixed }, registry, problems);
  const addition: ProviderAddition = {
    models,
    baseUrl: config.baseUrl,
    headers: fixed,
    key: keyOf(name, config, registry),
    sendsBearer: config.authHeader,
    ...(streamSimple && api !== undefined && { provider: ownProvider(api, bound(given, streamSimple), config.models) }),
  };
  return {
    name,
    addition,
    given,
    problems,
    ...(refreshModels && {
      async refresh(context) {
        const listed = readRegistration(
          z.array(z.unknown()),
          await refreshModels.call(given, context),
          `Models of "${name}"`,
        );
        return readParts(name, { ...given, models: listed }, registry);
      },
    }),
  };
}

function readObject(given: object, registry: ModelRegistry): ReadRegistration {
  const provider = readRegistration(ProviderObject, given, "Provider");
  const { id: name, auth, refreshModels } = provider;
  const problems: string[] = [];
  const listed = readRegistration(z.array(z.unknown()), provider.getModels.call(given), `Models of "${name}"`);
  const fixed = readHeaders(name, provider.headers, registry, problems);
  const models = readModels(
    name,
    { baseUrl: provider.baseUrl, api: name, headers: fixed, models: listed, streamSimple: provider.streamSimple },
    registry,
    problems,
  );
  // It answers all of its models, whatever wire each one names.
  const api = models[0]?.api ?? name;
  const own = ownProvider(api, bound(given, provider.streamSimple), listed);
  return {
    name,
    addition: {
      models: models.map((model) => ({ ...model, api })),
      provider: own,
      key:
        auth.apiKey === undefined
          ? loginKey(name)
          : resolvedKey(name, bound(Reflect.get(Reflect.get(given, "auth"), "apiKey"), auth.apiKey.resolve), registry),
    },
    given: {},
    native: given,
    problems,
    ...(refreshModels && {
      async refresh(context) {
        await refreshModels.call(given, context);
        return readObject(given, registry);
      },
    }),
  };
}

/** The APIs whose models need an address. */
const NETWORK_APIS: ReadonlySet<string> = new Set([
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "google-generative-ai",
  "bedrock-converse-stream",
  "azure-openai-responses",
]);

interface ModelParts extends Pick<ProviderConfig, "baseUrl" | "api" | "models" | "streamSimple"> {
  headers: Record<string, string> | undefined;
}

function readModels(name: string, parts: ModelParts, registry: ModelRegistry, problems: string[]): Model[] {
  const sample = registry.all().find(({ provider }) => provider === name);
  const api = parts.api ?? sample?.api;
  const baseUrl = parts.baseUrl ?? sample?.baseUrl ?? "";
  const models = (parts.models ?? []).flatMap((given): Model[] => {
    if (OtherType.safeParse(given).success) return [];
    const read = ModelDefinition.safeParse(given);
    if (!read.success) {
      problems.push([`A model of provider "${name}" is left out:`, ...describeIssues(read.error)].join("\n"));
      return [];
    }
    if (api === undefined && read.data.api === undefined)
      throw new Error(`Provider "${name}": model "${read.data.id}" has no api.`);
    const model = toModel(read.data, { provider: name, api: api ?? "", baseUrl });
    return [{ ...model, ...(parts.headers && { headers: { ...parts.headers, ...model.headers } }) }];
  });
  const isOwn = (model: Model) => parts.streamSimple !== undefined && model.api === api;
  const strange = [
    ...new Set(models.filter((model) => !isOwn(model) && !registry.hasApi(model.api)).map((model) => model.api)),
  ];
  for (const one of strange) {
    const ids = models.filter((model) => model.api === one).map(({ id }) => id);
    problems.push(
      `Provider "${name}": api "${one}" is not supported here, so ${ids.join(", ")} cannot be used. Bring streamSimple.`,
    );
  }
  for (const { id, api: wire, baseUrl: url } of models) {
    if (NETWORK_APIS.has(wire) && !URL.canParse(url))
      throw new Error(`Provider "${name}": model "${id}" has no baseUrl.`);
  }
  return models;
}

function readHeaders(
  name: string,
  given: Record<string, string> | undefined,
  registry: ModelRegistry,
  problems: string[],
): Record<string, string> | undefined {
  if (given === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(given).flatMap(([header, value]) => {
      const read = registry.readText(value) ?? (value.includes("$") ? undefined : value);
      if (read === undefined)
        problems.push(`Provider "${name}": header "${header}" is left out: ${value} has no value.`);
      return read === undefined ? [] : [[header, read]];
    }),
  );
}

function keyOf(
  name: string,
  { apiKey, oauth, models }: ProviderConfig,
  registry: ModelRegistry,
): KeySource | undefined {
  if (apiKey !== undefined) return registry.keySource(apiKey);
  if (registry.isKnown(name)) return undefined;
  if (oauth !== undefined) return loginKey(name);
  return models === undefined ? undefined : NO_KEY_NEEDED;
}

/** Logging in needs a terminal, so that such a provider has no key here. */
function loginKey(name: string): KeySource {
  const missing = `an apiKey for "${name}": its login needs a terminal,`;
  return {
    isThere: false,
    missing,
    get: () => Promise.reject(new Error(`Provider "${name}" has a login only, which needs a terminal.`)),
    known: () => [],
  };
}

const Resolved = z.object({ auth: z.object({ apiKey: z.string().optional() }) });

/** The key of a provider that looks for it itself. */
function resolvedKey(name: string, resolve: ExtensionFunction, registry: ModelRegistry): KeySource {
  let last: string | undefined;
  const ctx = {
    env: async (variable: string) => registry.readText(`\${${variable}}`),
    fileExists: async () => false,
  };
  return {
    isThere: true,
    missing: `the key of "${name}"`,
    async get() {
      const read = Resolved.safeParse(await resolve({ ctx }));
      if (!read.success) throw new Error(`Provider "${name}" has no credentials.`);
      last = read.data.auth.apiKey;
      return last;
    },
    known: () => (last === undefined ? [] : [last]),
  };
}

function ownProvider(api: string, stream: ExtensionFunction, listed: readonly unknown[] = []) {
  const definitions = new Map<unknown, object>();
  for (const one of listed) if (typeof one === "object" && one !== null) definitions.set(Reflect.get(one, "id"), one);
  return createOwnProvider({ api, stream, describe: (model) => ({ ...definitions.get(model.id), ...model }) });
}

/** Keeps `this` for authors who write providers as classes. */
function bound(owner: unknown, work: ExtensionFunction): ExtensionFunction {
  return (...args) => work.apply(owner, args);
}
