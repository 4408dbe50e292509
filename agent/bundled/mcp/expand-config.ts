import { homedir } from "node:os";
import { basename } from "node:path";
import type { Env } from "./mcp-parts.ts";
import { mapOAuthTexts } from "./oauth-config.ts";
import type { ServerConfig } from "./server-config.ts";

const VARIABLE = /\$\{([^{}]*)\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const INPUT = "input:";

/** The values of the names in `${…}`. */
export interface ExpansionValues {
  env: Env;
  cwd: string;
  /** Answers of the user, by id. */
  inputs: ReadonlyMap<string, string>;
}

/** Returns the ids of all `${input:…}` of a server, in the order in which the user is asked for them. */
export function inputIds(config: ServerConfig): string[] {
  const ids = new Set<string>();
  mapTexts(config, (text) => {
    for (const [, name = ""] of text.matchAll(VARIABLE)) if (name.startsWith(INPUT)) ids.add(name.slice(INPUT.length));
    return text;
  });
  return [...ids];
}

/**
 * Fills in `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${input:id}`, `${workspaceFolder}`,
 * `${workspaceFolderBasename}` and `${userHome}`. Expanded values are not expanded again.
 * @throws Error that names a variable that is unknown or not set.
 */
export function expandConfig(config: ServerConfig, values: ExpansionValues): ServerConfig {
  return mapTexts(config, (text) => text.replaceAll(VARIABLE, (whole, name: string) => filledIn(whole, name, values)));
}

function filledIn(whole: string, name: string, { env, cwd, inputs }: ExpansionValues): string {
  if (name === "workspaceFolder") return cwd;
  if (name === "workspaceFolderBasename") return basename(cwd);
  if (name === "userHome") return homedir();
  if (name.startsWith("env:")) return env[name.slice("env:".length)] ?? "";
  if (name.startsWith(INPUT)) {
    const input = inputs.get(name.slice(INPUT.length));
    if (input === undefined) throw new Error(`${whole} isn't one of the file's "inputs".`);
    return input;
  }
  const split = name.indexOf(":-");
  const variable = split === -1 ? name : name.slice(0, split);
  if (!NAME.test(variable)) throw new Error(`${whole} isn't a known variable.`);
  const value = env[variable];
  if (split !== -1) return value || name.slice(split + ":-".length);
  if (value === undefined) throw new Error(`the environment variable ${variable} isn't set.`);
  return value;
}

function mapTexts(config: ServerConfig, map: (text: string) => string): ServerConfig {
  const mapValues = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, map(text)]));
  if (config.kind === "http") {
    const oauth = config.oauth && mapOAuthTexts(config.oauth, map);
    return { ...config, url: map(config.url), headers: mapValues(config.headers), oauth };
  }
  return {
    ...config,
    command: map(config.command),
    args: config.args.map(map),
    env: mapValues(config.env),
    cwd: config.cwd === undefined ? undefined : map(config.cwd),
    envFile: config.envFile === undefined ? undefined : map(config.envFile),
  };
}
