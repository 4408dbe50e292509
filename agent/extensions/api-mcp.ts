import type { ToolExposure } from "../tools/tool-traits.ts";

/** An MCP server as an entry of `mcp.json` describes it: with a `command` or a `url`. */
export interface McpServerConfig {
  type?: string;
  command?: string;
  args?: string[];
  env?: Record<string, string | number | boolean>;
  cwd?: string;
  url?: string;
  headers?: Record<string, string>;
  oauth?: Record<string, unknown>;
  /** False keeps the server from starting. */
  enabled?: boolean;
  /** How the model reaches its tools. */
  exposure?: ToolExposure;
  /** The same for single tools, by the server's name for them; `*` stands for any text. */
  toolExposure?: Record<string, ToolExposure>;
  description?: string;
  [field: string]: unknown;
}

/** An MCP server that an extension registered. */
export interface RegisteredMcpServer {
  name: string;
  config: McpServerConfig;
  /** The path of the extension. */
  extensionPath: string;
}

/** The registered MCP servers have changed. */
export interface McpServersChangeEvent {
  type: "mcp_servers_change";
  /** All of them, after the change. */
  servers: RegisteredMcpServer[];
}
