import type { Env } from "./paths.ts";
import { hasSignIn } from "./sign-ins.ts";

/** The variables that hold a provider's key; the first that is set counts. */
const KEY_VARIABLES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  google: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  openrouter: ["OPENROUTER_API_KEY"],
  groq: ["GROQ_API_KEY"],
  xai: ["XAI_API_KEY"],
  mistral: ["MISTRAL_API_KEY"],
  deepseek: ["DEEPSEEK_API_KEY"],
  cerebras: ["CEREBRAS_API_KEY"],
  together: ["TOGETHER_API_KEY"],
  fireworks: ["FIREWORKS_API_KEY"],
  "google-vertex": ["GOOGLE_CLOUD_API_KEY"],
  "amazon-bedrock": ["AWS_BEARER_TOKEN_BEDROCK"],
  azure: ["AZURE_OPENAI_API_KEY"],
};

/** Variables that send the requests of a provider to another address. */
export const ADDRESS_VARIABLES: Readonly<Record<string, string>> = {
  anthropic: "ANTHROPIC_BASE_URL",
  openai: "OPENAI_BASE_URL",
};

/** Returns the settings that decide the address of a provider, as a message names them. */
export function addressSettings(provider: string): string {
  const variable = Object.hasOwn(ADDRESS_VARIABLES, provider) ? ADDRESS_VARIABLES[provider] : undefined;
  return variable === undefined ? "baseUrl in models.json" : `${variable}, or baseUrl in models.json,`;
}

/** The names of all variables that hold a provider's key. */
export const KEY_VARIABLE_NAMES: readonly string[] = Object.values(KEY_VARIABLES).flat();

/** The environment variable that holds a provider's key, or undefined for a provider without one of its own. */
export function keyVariable(provider: string): string | undefined {
  return variablesOf(provider)[0];
}

/** A provider's key from the environment; blank counts as none. */
export function keyFromEnv(provider: string, env: Env): string | undefined {
  return variablesOf(provider)
    .map((name) => nonBlank(env[name]))
    .find((key) => key !== undefined);
}

/** Returns the providers for which the environment has a key or a sign-in. */
export function providersWithKeys(env: Env): string[] {
  return Object.keys(KEY_VARIABLES).filter(
    (provider) => keyFromEnv(provider, env) !== undefined || hasSignIn(provider, env),
  );
}

/** All keys of providers in the environment. */
export function keysFromEnv(env: Env): string[] {
  return KEY_VARIABLE_NAMES.map((name) => nonBlank(env[name])).filter((key) => key !== undefined);
}

function variablesOf(provider: string): readonly string[] {
  return (Object.hasOwn(KEY_VARIABLES, provider) ? KEY_VARIABLES[provider] : undefined) ?? [];
}

const VARIABLE_NAME = /^[A-Z][A-Z0-9_]*$/;

/**
 * A key as a models file gives it: the name of an environment variable, or the key itself.
 * @returns undefined when it looks like a variable's name and that variable is not set.
 */
export function resolveKey(value: string, env: Env): string | undefined {
  const fromEnv = nonBlank(env[value]);
  if (fromEnv !== undefined) return fromEnv;
  return VARIABLE_NAME.test(value) ? undefined : nonBlank(value);
}

const VARIABLE = /\$(?:([$!])|\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;

/**
 * Puts variables in place of `$NAME` and `${NAME}`; `$$` and `$!` stand for those signs.
 * @returns undefined when a variable is not set.
 */
export function resolveTemplate(template: string, env: Env): string | undefined {
  let isWhole = true;
  const text = template.replaceAll(VARIABLE, (_, sign?: string, braced?: string, plain?: string) => {
    if (sign !== undefined) return sign;
    const value = nonBlank(env[braced ?? plain ?? ""]);
    if (value === undefined) isWhole = false;
    return value ?? "";
  });
  return isWhole ? text : undefined;
}

/** Returns the names of the variables that `resolveTemplate` puts in. */
export function variablesOfTemplate(template: string): string[] {
  return [...template.matchAll(VARIABLE)].flatMap(([, , braced, plain]) => braced ?? plain ?? []);
}

function nonBlank(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed ? trimmed : undefined;
}
