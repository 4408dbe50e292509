import type { SlashCommand } from "../../protocol/commands.ts";
import type { McpResource, McpResourceContent } from "../../protocol/mcp.ts";
import type { McpFile } from "./mcp-files.ts";

/** The level of a server's log message. */
type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

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
  /** More details for the user's decision, a line each. */
  details: readonly string[];
}

/** Decides which servers of the project may run. */
export interface ServerConsents {
  /** True when the server may run now. Otherwise, it asks the user, and calls `onChanged` after the answer. */
  mayRun(server: ServerSubject): boolean;
  /** True when the user has declined the server. */
  isDeclined(server: ServerSubject): boolean;
  onChanged(kind: "mcp", listener: () => void): void;
}

/** Keeps secrets of the user by key. */
export interface SecretStore {
  read(key: string): Promise<string | undefined>;
  /** Writes what `update` makes of the present value, which is undefined if there is none. */
  change(key: string, update: (before: string | undefined) => string): Promise<void>;
  remove(key: string): Promise<void>;
}

/** Asks the host to open an address in the browser. Hosts that can't show the text. */
export type OpenUrl = (url: string, text: string) => void;

/** Resources and prompts of servers, for hosts. */
export interface McpDesk {
  /** The slash commands for the prompts of running servers. */
  readonly commands: readonly SlashCommand[];
  /** Finds resources that match the typed text. Starts the servers if they haven't been started. */
  find(query: string): Promise<McpResource[]>;
  /** @throws Error for people. */
  read(place: { server: string; uri: string }): Promise<McpResourceContent>;
}

/** The parts of the agent that MCP uses. */
export interface McpParts {
  /** Finds the files that apply, the file with the highest precedence first. */
  files(): readonly McpFile[];
  cwd: string;
  isProjectTrusted: boolean;
  consents: ServerConsents;
  secrets: SecretStore;
  openUrl: OpenUrl;
  /** Receives the resources and prompts that hosts may ask for. */
  offerDesk(desk: McpDesk): void;
  /** The environment that child processes get at this moment. */
  childEnv(): Env;
  /** Values for `${NAME}` in the user's own file, keys included. */
  wholeEnv: Env;
  version: string;
  /** True when servers on the network aren't used. */
  isOffline: boolean;
  /** The time that a prompt waits for servers that are starting. */
  waitMs: number;
  /** The time that a server has to answer. */
  startTimeoutMs: number;
  /** The lowest level of server messages that are shown to people. */
  logLevel: LogLevel;
  /** Reports a problem to the host and the user. @param signIn the server that the user can sign in to. */
  report(problem: string, signIn?: string): void;
  /** Tells the host that a run waits for these servers. */
  waiting(names: readonly string[]): void;
  /** Writes a message for people to stderr. */
  warn(message: string): void;
}
