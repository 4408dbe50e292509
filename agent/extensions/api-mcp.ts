import type { ToolExposure } from "../tools/tool-traits.ts";

/** The configuration of an MCP server, like an entry of `mcp.json`: with a `command` or a `url`. */
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
  /** The exposure of its tools. */
  exposure?: ToolExposure;
  /** The exposure of single tools, by the server's name for them; `*` matches any text. */
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

/** Sent when the registered MCP servers have changed. */
export interface McpServersChangeEvent {
  type: "mcp_servers_change";
  /** All of them, after the change. */
  servers: RegisteredMcpServer[];
}
