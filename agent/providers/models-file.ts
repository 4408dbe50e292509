import type { ParseError } from "jsonc-parser";
import * as z from "zod";
import { resolveKey } from "../config/credentials.ts";
import type { Env } from "../config/paths.ts";
import { describeIssues, errorMessage } from "../protocol/errors.ts";
import { Cost, Model } from "../protocol/model.ts";
import { readTextSync } from "../util/read-text.ts";
import { addressProblem } from "../util/server-address.ts";
import type { BuiltInModels } from "./built-in-models.ts";

const ModelFields = z.lazy(() =>
  Model.unwrap()
    .pick({
      name: true,
      api: true,
      baseUrl: true,
      reasoning: true,
      input: true,
      contextWindow: true,
      maxTokens: true,
      thinkingLevelMap: true,
      headers: true,
      compat: true,
      thinking: true,
    })
    .extend({ cost: Cost.partial() })
    .partial(),
);
type ModelFields = z.infer<typeof ModelFields>;

const ServerAddress = z
  .string()
  .superRefine((text, context) => {
    const problem = addressProblem(text);
    if (problem !== undefined) context.addIssue(problem);
  })
  .meta({ format: "uri" });

/** One provider of `models.json`. */
export const ProviderEntry = z.lazy(() =>
  z.object({
    baseUrl: ServerAddress.optional().describe("Address of the server, such as http://127.0.0.1:11434/v1"),
    api: z.string().optional().describe("What the server speaks"),
    apiKey: z
      .string()
      .optional()
      .describe("The name of an environment variable, or the key itself; without it none is sent"),
    headers: z.record(z.string(), z.string()).optional().describe("Sent with every request"),
    models: z
      .array(ModelFields.unwrap().extend({ id: z.string().min(1).describe("What the server calls the model") }))
      .optional()
      .describe("Models that are added, or changed where they are known"),
    modelOverrides: z.record(z.string(), ModelFields).optional().describe("Other fields for known models, by id"),
  }),
);
type ProviderEntry = z.infer<typeof ProviderEntry>;

const ModelsFile = z.lazy(() => z.object({ providers: z.record(z.string(), z.unknown()) }));

/** The key of a provider in a models file. */
export type FileKey = { kind: "key"; key: string } | { kind: "missing"; variable: string } | { kind: "none" };

/** The known models after a models file was applied, and the keys it gives. */
export interface ModelsFileResult {
  models: Model[];
  /** Providers that the file names a key for, or that it defines and that need none. */
  keys: ReadonlyMap<string, FileKey>;
}

interface ModelsFileSource {
  path: string;
  env: Env;
  /** @returns the models that there are without the file, which names these providers. */
  builtIn(inFile: readonly string[]): Promise<BuiltInModels>;
  /** Wire protocols that there is a provider for. */
  apis: ReadonlySet<string>;
  warn(message: string): void;
}

/**
 * Applies `models.json`, which may hold comments and trailing commas: it adds providers and models and overrides fields of known ones.
 * Invalid parts are reported and left out; the rest applies. Without a file, nothing is loaded.
 */
export async function applyModelsFile(source: ModelsFileSource): Promise<ModelsFileResult> {
  const providers = await readProviders(source);
  const { first, others, homes } = await source.builtIn(Object.keys(providers));
  const entries = new Map(Object.entries(providers).flatMap(([name, value]) => readEntry(name, value, source)));
  const kept = others.filter((model) => !isReplaced(homes.get(model.provider), entries.get(model.provider)));
  const models = [...first, ...kept];
  const keys = new Map<string, FileKey>();
  for (const [name, entry] of entries) {
    applyProvider(name, entry, models, source);
    const isFirst = first.some(({ provider }) => provider === name);
    // The key of the environment goes to no other server than the provider's own, unless the file names it.
    const isAtHome = !namesAddress(entry) && kept.some(({ provider }) => provider === name);
    const key = keyOf(name, entry, isFirst || isAtHome, source);
    if (key !== undefined) keys.set(name, key);
  }
  const isKept = new Set(kept.map(nameOf));
  return { models: [...models].sort((a, b) => Number(isKept.has(nameOf(a))) - Number(isKept.has(nameOf(b)))), keys };
}

function readEntry(name: string, value: unknown, { path, warn }: ModelsFileSource): [string, ProviderEntry][] {
  const entry = ProviderEntry.safeParse(value);
  if (entry.success) return [[name, entry.data]];
  warn([`${path}: provider "${name}" is skipped:`, ...describeIssues(entry.error)].join("\n"));
  return [];
}

/** True if any model of the entry is sent to an address of the file. */
function namesAddress({ baseUrl, models = [], modelOverrides = {} }: ProviderEntry): boolean {
  const own = [...models, ...Object.values(modelOverrides)];
  return baseUrl !== undefined || own.some((model) => model.baseUrl !== undefined);
}

/** True if the file has another server under the name of a provider, with models of its own. @param home the provider's own address. */
function isReplaced(home: string | undefined, entry: ProviderEntry | undefined): boolean {
  const place = (address = "") => address.replace(/\/+$/, "");
  return entry?.models !== undefined && entry.baseUrl !== undefined && place(entry.baseUrl) !== place(home);
}

function nameOf({ provider, id }: Model): string {
  return `${provider}/${id}`;
}

/** Returns the names of the variables that a models file takes keys from. Does not report what is wrong with the file. */
export async function variablesOfModelsFile({ path, env }: Pick<ModelsFileSource, "path" | "env">): Promise<string[]> {
  const providers = Object.values(await readProviders({ path, warn: () => undefined }));
  return providers.flatMap((value) => {
    const { apiKey = "", headers = {} } = ProviderEntry.safeParse(value).data ?? {};
    const secretHeaders = Object.entries(headers).flatMap(([name, text]) => (isSecretHeader(name) ? [text] : []));
    return [apiKey, ...secretHeaders].filter((name) => env[name] !== undefined);
  });
}

async function readProviders({
  path,
  warn,
}: Pick<ModelsFileSource, "path" | "warn">): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = readTextSync(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) {
      warn(`Cannot read ${path}: ${errorMessage(error)}`);
    }
    return {};
  }
  const { parse } = await import("jsonc-parser");
  const problems: ParseError[] = [];
  const json: unknown = parse(text, problems, { allowTrailingComma: true });
  const [broken] = problems;
  if (broken !== undefined) {
    const line = text.slice(0, broken.offset).split("\n").length;
    warn(`${path} is skipped because it isn't valid JSON (line ${line}).`);
    return {};
  }
  const file = ModelsFile.safeParse(json);
  if (file.success) return file.data.providers;
  warn([`${path} is skipped:`, ...describeIssues(file.error)].join("\n"));
  return {};
}

function applyProvider(name: string, entry: ProviderEntry, models: Model[], source: ModelsFileSource): void {
  const headers = resolveHeaders(entry.headers, source.env);
  const api = entry.api !== undefined && source.apis.has(entry.api) ? entry.api : undefined;
  for (const [index, model] of models.entries()) {
    if (model.provider !== name) continue;
    models[index] = override(model, { baseUrl: entry.baseUrl, api, headers, ...entry.modelOverrides?.[model.id] });
  }
  for (const { id, ...fields } of entry.models ?? []) {
    const at = models.findIndex((model) => model.provider === name && model.id === id);
    const known = models[at];
    if (known !== undefined) {
      models[at] = override(known, fields);
      continue;
    }
    const sample = models.find(({ provider }) => provider === name);
    const place = { api: entry.api ?? sample?.api, baseUrl: entry.baseUrl ?? sample?.baseUrl };
    const model = newModel(name, id, { ...fields, headers: { ...headers, ...fields.headers } }, place);
    const problem = checkNew(model, source.apis);
    if (problem === undefined) models.push(model);
    else source.warn(`${source.path}: model "${name}/${id}" is skipped: ${problem}`);
  }
}

function override(model: Model, fields: ModelFields): Model {
  const { cost, headers, ...rest } = fields;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...model,
    ...given,
    cost: { ...model.cost, ...cost },
    ...(headers === undefined ? {} : { headers: { ...model.headers, ...headers } }),
  };
}

function newModel(
  provider: string,
  id: string,
  fields: ModelFields,
  { api = "anthropic-messages", baseUrl = "" }: Pick<ProviderEntry, "api" | "baseUrl">,
): Model {
  const plain: Model = {
    id,
    name: id,
    api,
    provider,
    baseUrl,
    reasoning: false,
    input: ["text"],
    contextWindow: 128_000,
    maxTokens: 16_384,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
  return override(plain, fields);
}

function checkNew(model: Model, apis: ReadonlySet<string>): string | undefined {
  if (!apis.has(model.api)) return `api "${model.api}" is not supported; known are ${[...apis].join(", ")}.`;
  if (model.baseUrl === "") return "its provider has no baseUrl.";
  const problem = addressProblem(model.baseUrl);
  return problem === undefined ? undefined : `its baseUrl ${problem}.`;
}

const SECRET_HEADER = /auth|key|token|secret|cookie/i;

/** True when a header of this name holds a secret. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name);
}

function resolveHeaders(headers: Record<string, string> | undefined, env: Env): Record<string, string> | undefined {
  if (headers === undefined) return undefined;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, resolveKey(value, env) ?? value]));
}

/** @param hasOwnKey whether the provider's key of the environment counts if the file names none. */
function keyOf(
  name: string,
  { apiKey }: ProviderEntry,
  hasOwnKey: boolean,
  { env, path, warn }: ModelsFileSource,
): FileKey | undefined {
  if (apiKey === undefined) return hasOwnKey ? undefined : { kind: "none" };
  if (apiKey.startsWith("!")) {
    warn(`${path}: the key of provider "${name}" is a command, which is not run. Name an environment variable.`);
    return { kind: "missing", variable: apiKey };
  }
  const key = resolveKey(apiKey, env);
  return key === undefined ? { kind: "missing", variable: apiKey } : { kind: "key", key };
}
