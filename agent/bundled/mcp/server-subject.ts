import { createHash } from "node:crypto";
import { isSecretName } from "../../util/secrets.ts";
import { type EnvFilePlace, envFileHash } from "./env-file.ts";
import { expandConfig, inputIds } from "./expand-config.ts";
import type { Env, ServerSubject } from "./mcp-parts.ts";
import type { InputDefinition, ServerConfig, ServerEntry } from "./server-config.ts";

interface SubjectParts extends Pick<EnvFilePlace, "cwd" | "isProjectTrusted"> {
  /** Values for `${NAME}`. */
  childEnv(): Env;
}

/**
 * Returns what the user allows with a server of a project: its whole entry, the inputs that its file asks the user for, and
 * the variables in its file.
 */
export function serverSubject({ name, file, config, inputs }: ServerEntry, parts: SubjectParts): ServerSubject {
  const asked = inputIds(config).map((id) => [id, askedFor(inputs.get(id))]);
  const variables = variablesOf(config, { ...parts, file });
  const definition = JSON.stringify([sorted(config), asked.map((one) => sorted(one)), ...variables]);
  return {
    kind: "mcp",
    name,
    hash: createHash("sha256").update(definition).digest("hex"),
    runs: config.kind === "http" ? config.url : [config.command, ...config.args].map(quoted).join(" "),
    details: [...detailsOf(config), `Defined in ${file.path}`],
  };
}

/** Returns a hash of the content of `envFile`. A path that depends on an input is unknown before the server starts. */
function variablesOf(config: ServerConfig, place: EnvFilePlace & SubjectParts): (string | null)[] {
  if (config.kind !== "stdio" || config.envFile === undefined) return [];
  const { cwd, childEnv } = place;
  try {
    const bare = { ...config, command: "", args: [], env: {}, cwd: undefined };
    const expanded = expandConfig(bare, { env: childEnv(), cwd, inputs: new Map() });
    return expanded.kind === "stdio" && expanded.envFile !== undefined
      ? [envFileHash(expanded.envFile, place) ?? null]
      : [];
  } catch {
    return [null];
  }
}

/** Returns the parts of an input that the user's consent covers. The look of the dialog isn't one of them. */
function askedFor(input: InputDefinition | undefined): unknown {
  if (input === undefined) return null;
  const { password: _, ...asked } = input;
  return asked;
}

function detailsOf(config: ServerConfig): string[] {
  if (config.kind === "http") {
    const names = Object.keys(config.headers);
    const { clientId, identityProvider } = config.oauth ?? {};
    return [
      ...(names.length === 0 ? [] : [`Receives the headers ${names.join(", ")}`]),
      ...(clientId === undefined ? [] : [`Signs in as the client ${clientId}`]),
      ...(identityProvider === undefined ? [] : [`Sends a token of yours to ${identityProvider.tokenEndpoint}`]),
    ];
  }
  const variables = Object.entries(config.env).map(
    ([name, value]) => `${name}=${isSecretName(name) ? "…" : quoted(value)}`,
  );
  return [
    ...(config.cwd === undefined ? [] : [`In the folder ${config.cwd}`]),
    ...(config.envFile === undefined ? [] : [`With the variables in ${config.envFile}`]),
    ...(variables.length === 0 ? [] : [`With the variables ${variables.join(" ")}`]),
  ];
}

function quoted(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : JSON.stringify(word);
}

/** Returns the value with sorted keys, so that the order of keys doesn't matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([key, held]) => [key, sorted(held)]);
}
