import type { ExtensionAPI, ToolResult } from "../../extensions/author.ts";
import type { ToolExposure } from "../../tools/tool-traits.ts";
import { exposureOf } from "./registered-servers.ts";
import type { ServerEntry } from "./server-config.ts";
import { type McpToolDefinition, readToolDefinition } from "./tool-definition.ts";
import type { ToolNames } from "./tool-names.ts";

const MAX_TOOLS_OF_A_SERVER = 200;

/** One call of a tool, as the model made it. */
export interface ToolCall {
  /** The server's name for it. */
  tool: string;
  args: Record<string, unknown>;
  signal: AbortSignal;
  onUpdate(partial: ToolResult): void;
}

interface KnownTool {
  name: string;
  /** Its definition as sent to the model. */
  told: string;
  isThere: boolean;
}

/** The tools of one server, as the model sees them. Tools that the server removes are no longer offered. */
export class ToolBook {
  readonly #api: ExtensionAPI;
  readonly #names: ToolNames;
  readonly #server: string;
  readonly #exposure: (tool: string) => ToolExposure | undefined;
  readonly #call: (call: ToolCall) => Promise<ToolResult>;
  readonly #known = new Map<string, KnownTool>();

  constructor(api: ExtensionAPI, names: ToolNames, entry: ServerEntry, call: (call: ToolCall) => Promise<ToolResult>) {
    this.#api = api;
    this.#names = names;
    this.#server = entry.name;
    this.#exposure = (tool) => exposureOf(entry, tool);
    this.#call = call;
  }

  /** The names of the current tools. */
  get names(): string[] {
    return [...this.#known.values()].filter(({ isThere }) => isThere).map(({ name }) => name);
  }

  /** Offers exactly these tools. @returns a line for each tool that can't be offered. */
  replace(definitions: readonly unknown[]): string[] {
    const problems: string[] = [];
    const present = new Set<string>();
    for (const value of definitions.slice(0, MAX_TOOLS_OF_A_SERVER)) {
      const definition = readToolDefinition(value);
      if (typeof definition === "string") problems.push(definition);
      else if (!present.has(definition.name)) {
        const problem = this.#offer(definition);
        if (problem === undefined) present.add(definition.name);
        else problems.push(problem);
      }
    }
    const more = definitions.length - MAX_TOOLS_OF_A_SERVER;
    if (more > 0)
      problems.push(`${more} tools are left out because a server can have at most ${MAX_TOOLS_OF_A_SERVER}.`);
    this.#withdraw(present);
    return problems;
  }

  #offer(definition: McpToolDefinition): string | undefined {
    const known = this.#known.get(definition.name);
    const told = JSON.stringify(definition);
    if (known?.isThere === true && known.told === told) return undefined;
    const name = known?.name ?? this.#names.nameOf(this.#server, definition.name);
    if (!this.#names.isOurs(name) && this.#api.getAllTools().some((tool) => tool.name === name)) {
      return `tool "${definition.name}" is left out: there is another tool with the name ${name}.`;
    }
    // A changed tool stays off if it was turned off.
    const isSwitchedOff = known?.isThere === true && !this.#api.getActiveTools().includes(name);
    try {
      this.#register(name, definition, !isSwitchedOff);
    } catch (error) {
      return `tool "${definition.name}" is left out: ${error instanceof Error ? error.message : String(error)}`;
    }
    this.#names.claim(name);
    this.#known.set(definition.name, { name, told, isThere: true });
    return undefined;
  }

  #register(name: string, definition: McpToolDefinition, defaultActive: boolean): void {
    this.#api.registerTool({
      name,
      label: `${this.#server}: ${definition.title ?? definition.name}`,
      description: definition.description,
      parameters: definition.parameters,
      source: this.#server,
      outputSchema: definition.outputSchema,
      annotations: definition.annotations,
      exposure: this.#exposure(definition.name),
      defaultActive,
      isOffered: () => this.#known.get(definition.name)?.isThere === true,
      execute: (_id, args, signal, onUpdate) => {
        if (this.#known.get(definition.name)?.isThere !== true) {
          throw new Error(`MCP server "${this.#server}" no longer has the tool ${definition.name}.`);
        }
        return this.#call({ tool: definition.name, args, signal, onUpdate });
      },
    });
  }

  #withdraw(present: ReadonlySet<string>): void {
    const gone = new Set<string>();
    for (const [tool, known] of this.#known) {
      if (present.has(tool) || !known.isThere) continue;
      known.isThere = false;
      gone.add(known.name);
    }
    if (gone.size > 0) this.#api.setActiveTools(this.#api.getActiveTools().filter((name) => !gone.has(name)));
  }
}
