import type { McpFile } from "./mcp-files.ts";

/** Variables of an environment. A variable that is undefined is not set. */
export type Env = Readonly<NodeJS.ProcessEnv>;

/** A server of a project as it is defined now: the user consents to exactly this. */
export interface ServerSubject {
  kind: "mcp";
  name: string;
  /** Changes with the definition. */
  hash: string;
  /** The command line or the address. */
  runs: string;
  /** More that the user sees before deciding, a line each. */
  details: readonly string[];
}

/** Knows which servers of the project may run. */
export interface ServerConsents {
  /** True when the server may run now. Otherwise the user is asked, and `onChanged` tells of the answer. */
  mayRun(server: ServerSubject): boolean;
  /** True when the user has declined the server. */
  isDeclined(server: ServerSubject): boolean;
  onChanged(kind: "mcp", listener: () => void): void;
}

/** The parts of the agent that MCP uses. */
export interface McpParts {
  /** Finds the files that count, the one that wins first. */
  files(): readonly McpFile[];
  cwd: string;
  consents: ServerConsents;
  /** The environment that child processes get at this moment. */
  childEnv(): Env;
  /** Values for `${NAME}` in the user's own file, keys included. */
  wholeEnv: Env;
  version: string;
  /** Servers that are reached over the network are left alone. */
  isOffline: boolean;
  /** The time that a prompt waits for servers that are starting. */
  waitMs: number;
  /** The time that a server has to answer. */
  startTimeoutMs: number;
  /** Tells hosts and people what does not work. */
  report(problem: string): void;
  /** Tells people something, on stderr. */
  warn(message: string): void;
}
