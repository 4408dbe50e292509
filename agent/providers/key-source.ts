import { exec } from "node:child_process";
import { resolveKey, resolveTemplate, variablesOfTemplate } from "../config/credentials.ts";
import type { Env } from "../config/paths.ts";

const COMMAND_LIMIT_MS = 10_000;

/** The source of a provider's key. */
export interface KeySource {
  /** True if there is a key, as far as can be told without asking for it. */
  readonly isThere: boolean;
  /** Advice if there is none: the end of "Set …". */
  readonly missing: string;
  /**
   * @returns the key, or undefined when the provider needs none.
   * @throws Error that says why there is no key.
   */
  get(signal: AbortSignal): Promise<string | undefined>;
  /** Keys that were handed out, and that must not be written down. */
  known(): readonly string[];
}

/** For a provider that needs no key. */
export const NO_KEY_NEEDED: KeySource = { isThere: true, missing: "", get: async () => undefined, known: () => [] };

/**
 * Reads what somebody wrote down as a key: `!command` is run for every request and prints the key, `$NAME` and `${NAME}` stand for variables,
 * `$$` and `$!` for those signs; anything else is the name of a variable, or the key itself.
 */
export function keySource(value: string, env: Env): KeySource {
  if (value.startsWith("!")) return commandKey(value.slice(1));
  const key = readText(value, env);
  const known = key === undefined ? [] : [key];
  const missing = value.replaceAll(/[${}]/g, "");
  return {
    isThere: key !== undefined,
    missing,
    async get() {
      if (key === undefined) throw new Error(`${missing} is not set.`);
      return key;
    },
    known: () => known,
  };
}

/** Returns the names of the variables that `keySource` reads for such a text. */
export function keyVariables(value: string, env: Env): string[] {
  if (value.startsWith("!")) return [];
  return value.includes("$") ? variablesOfTemplate(value) : [value].filter((name) => env[name] !== undefined);
}

/** Reads a text as `keySource` does, but for commands. @returns undefined when a variable is not set. */
export function readText(value: string, env: Env): string | undefined {
  return value.includes("$") ? resolveTemplate(value, env) : resolveKey(value, env);
}

function commandKey(command: string): KeySource {
  let last: string | undefined;
  return {
    isThere: true,
    missing: "the command that prints the key",
    async get(signal) {
      last = (await printedBy(command, signal)).trim();
      if (last === "") throw new Error(`The command that prints the key returned nothing: ${command}`);
      return last;
    },
    known: () => (last === undefined ? [] : [last]),
  };
}

/** Node's own `promisify` would load the whole of `node:util`, at every start. */
function printedBy(command: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    exec(command, { timeout: COMMAND_LIMIT_MS, signal, windowsHide: true }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
  });
}
