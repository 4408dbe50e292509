import { listModels } from "./server-models.ts";

/** A local server answers at once, or it isn't there. */
const PROBE_TIMEOUT_MS = 1_500;

/** A program that runs models on this machine. */
export interface LocalServer {
  /** The name of its provider in `models.json`. */
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
}

/** The programs that are looked for, on their usual ports. */
export const LOCAL_SERVERS: readonly LocalServer[] = [
  { id: "ollama", name: "Ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  { id: "lmstudio", name: "LM Studio", baseUrl: "http://127.0.0.1:1234/v1" },
];

/** A local server that answers, and its models. */
export interface FoundServer extends LocalServer {
  readonly models: readonly string[];
}

/** Returns the servers that answer now, in their order. Nothing leaves the machine. */
export async function findLocalServers(
  signal: AbortSignal,
  servers: readonly LocalServer[] = LOCAL_SERVERS,
): Promise<FoundServer[]> {
  const found = await Promise.all(
    servers.map(async (server) => {
      const models = await listModels(server, { signal, timeoutMs: PROBE_TIMEOUT_MS }).catch(() => undefined);
      return models === undefined ? [] : [{ ...server, models }];
    }),
  );
  return found.flat();
}
