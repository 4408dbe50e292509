import type { Env } from "./paths.ts";

const KEY_VARIABLES: Readonly<Record<string, string>> = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  google: "GEMINI_API_KEY",
  openrouter: "OPENROUTER_API_KEY",
  groq: "GROQ_API_KEY",
  xai: "XAI_API_KEY",
  mistral: "MISTRAL_API_KEY",
  deepseek: "DEEPSEEK_API_KEY",
};

/** The names of all variables that hold a provider's key. */
export const KEY_VARIABLE_NAMES: readonly string[] = Object.values(KEY_VARIABLES);

/** The environment variable that holds a provider's key, or undefined for a provider without one of its own. */
export function keyVariable(provider: string): string | undefined {
  return Object.hasOwn(KEY_VARIABLES, provider) ? KEY_VARIABLES[provider] : undefined;
}

/** A provider's key from the environment; blank counts as none. */
export function keyFromEnv(provider: string, env: Env): string | undefined {
  const variable = keyVariable(provider);
  return variable === undefined ? undefined : nonBlank(env[variable]);
}

/** The keys of all providers that the environment has one for. */
export function keysFromEnv(env: Env): string[] {
  return Object.keys(KEY_VARIABLES)
    .map((provider) => keyFromEnv(provider, env))
    .filter((key) => key !== undefined);
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
