import type { Env } from "../../config/paths.ts";
import type { ConsentDesk } from "../../extensions/consent/consent-desk.ts";
import type { McpFile } from "./mcp-files.ts";

/** What MCP is given by the agent around it. */
export interface McpParts {
  /** Finds the files that count, the one that wins first. */
  files(): readonly McpFile[];
  cwd: string;
  /** Knows which servers of the project may run. */
  consents: ConsentDesk;
  /** The environment that child processes get at this moment. */
  childEnv(): Env;
  /** Values for `${NAME}` in the user's own file, keys included. */
  wholeEnv: Env;
  version: string;
  /** Servers that are reached over the network are left alone. */
  isOffline: boolean;
  /** How long a prompt waits for servers that are starting. */
  waitMs: number;
  /** How long a server may take until it answers. */
  startTimeoutMs: number;
  /** Tells hosts and people what does not work. */
  report(problem: string): void;
  /** Tells people something, on stderr. */
  warn(message: string): void;
}
