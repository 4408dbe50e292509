import type { McpServer } from "@agentclientprotocol/sdk";
import type { ExtensionAPI } from "../extensions/api.ts";
import type { McpServerConfig } from "../extensions/api-mcp.ts";

/** Makes an extension that brings the client's MCP servers; undefined if there are none. */
export function clientServers(servers: readonly McpServer[] = []): ((api: ExtensionAPI) => void) | undefined {
  if (servers.length === 0) return undefined;
  const names = new Set<string>();
  const named = servers.map((server) => [uniqueName(server.name, names), configOf(server)] as const);
  return (api) => {
    for (const [name, config] of named) api.registerMcpServer(name, config);
  };
}

function configOf(server: McpServer): McpServerConfig {
  if ("command" in server) {
    const { command, args, env } = server;
    return { command, args, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) };
  }
  const { type, url, headers } = server;
  return { type, url, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) };
}

/** A name that the agent takes: the names of its tools are made of it. */
function uniqueName(wish: string, taken: Set<string>): string {
  const plain = wish.replace(/[^\w-]+/g, "_").slice(0, 60) || "server";
  let name = plain;
  for (let count = 2; taken.has(name); count++) name = `${plain}_${count}`;
  taken.add(name);
  return name;
}
