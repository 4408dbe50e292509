import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFiles } from "./extension-files.ts";
import { manyTools } from "./many-tools.ts";
import { type McpBench, mcpFixture } from "./mcp-fixtures.ts";
import { AGENT_NODE } from "./spawn-agent.ts";

/** Returns entries for servers with the tools of `manyTools`. @param only the servers; all of them by default. */
export function toolServers(bench: McpBench, only?: readonly string[]): Record<string, unknown> {
  const chosen = [...manyTools()].filter(([server]) => only?.includes(server) ?? true);
  return Object.fromEntries(
    chosen.map(([server, tools]) => {
      writeFiles(bench.folder, { [fileOf(server)]: JSON.stringify(tools) });
      return [
        server,
        {
          command: AGENT_NODE,
          args: [mcpFixture("listing-server.mjs")],
          env: { FIXTURE_LISTING: join(bench.folder, fileOf(server)) },
        },
      ];
    }),
  );
}

/** Changes the tools of a server. The agent learns of it after the next call of one. */
export function changeTools(bench: McpBench, server: string, change: (tools: unknown[]) => unknown[]): void {
  const tools: unknown = JSON.parse(readFileSync(join(bench.folder, fileOf(server)), "utf8"));
  writeFiles(bench.folder, { [fileOf(server)]: JSON.stringify(change(Array.isArray(tools) ? tools : [])) });
}

function fileOf(server: string): string {
  return `${server}-tools.json`;
}
