import { atMost } from "../../util/at-most.ts";
import type { ExtensionAPI } from "../api.ts";
import type { ExtensionContext } from "../api-context.ts";
import { InputValues } from "./input-values.ts";
import type { McpParts } from "./mcp-parts.ts";
import { McpServer } from "./mcp-server.ts";
import { readServerEntries, type ServerEntry } from "./server-config.ts";
import { ToolNames } from "./tool-names.ts";

const RESTART = "Restart";
const SHOW_TOOLS = "Show tools";

interface McpServersOptions {
  api: ExtensionAPI;
  parts: McpParts;
  /** The newest that a handler got. */
  context(): ExtensionContext;
  /** Names of tools that servers have brought before. */
  ownNames: Set<string>;
}

/** All servers that the files name. */
export class McpServers {
  readonly #waitMs: number;
  readonly #servers: McpServer[];
  readonly #disabled: ServerEntry[];

  constructor({ api, parts, context, ownNames }: McpServersOptions) {
    const { entries, problems, shadowed } = readServerEntries(parts.files());
    for (const line of shadowed) parts.warn(line);
    for (const problem of problems) parts.report(problem);
    const ui = () => context().ui;
    const surroundings = {
      ...parts,
      api,
      ui,
      names: new ToolNames(
        entries.map(({ name }) => name),
        ownNames,
      ),
      inputs: new InputValues(ui),
    };
    this.#waitMs = parts.waitMs;
    this.#disabled = entries.filter(({ isDisabled }) => isDisabled);
    this.#servers = entries.filter(({ isDisabled }) => !isDisabled).map((entry) => new McpServer(entry, surroundings));
  }

  /** Starts those that have not been started, all at once. Resolves when they run or have failed, or when there was time enough. */
  async start(): Promise<void> {
    await atMost(Promise.all(this.#servers.map((server) => server.start())), this.#waitMs);
  }

  /** Takes all tools away. Resolves when nothing of any server is left. */
  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.end()));
  }

  /** What servers want the model to know, for the system prompt; "" when there is nothing. */
  instructions(): string {
    return this.#servers
      .flatMap(({ entry, instructions }) =>
        instructions === undefined
          ? []
          : [`\n\nInstructions of the MCP server "${entry.name}" for its tools:\n${instructions}`],
      )
      .join("");
  }

  /** Shows how the servers are, and restarts the one that the user picks. */
  async show({ ui }: ExtensionContext): Promise<void> {
    if (this.#servers.length + this.#disabled.length === 0) {
      ui.notify("No file names an MCP server that can be used.", "warning");
      return;
    }
    const lines = new Map(this.#servers.map((server) => [statusLine(server), server]));
    const disabled = this.#disabled.map(({ name, file }) => `${name}: disabled in ${file.path}`);
    const server = lines.get((await ui.select("MCP servers", [...lines.keys(), ...disabled])) ?? "");
    if (server === undefined) return;
    const { name } = server.entry;
    const wish = await ui.select(`MCP server ${name}`, [RESTART, SHOW_TOOLS]);
    if (wish === SHOW_TOOLS) ui.notify([`Tools of ${name}:`, ...server.toolNames].join("\n"), "info");
    if (wish !== RESTART) return;
    await server.restart();
    ui.notify(statusLine(server), server.state.kind === "running" ? "info" : "error");
  }
}

function statusLine({ entry, state, toolNames }: McpServer): string {
  switch (state.kind) {
    case "idle":
      return `${entry.name}: not started`;
    case "starting":
      return `${entry.name}: starting`;
    case "running":
      return `${entry.name}: running, ${toolNames.length} ${toolNames.length === 1 ? "tool" : "tools"}`;
    case "failed":
      return `${entry.name}: not running: ${state.reason}`;
  }
}
