import type { HostToolDefinition } from "../../agent/protocol/host-tools.ts";
import type { HostTool } from "./host-tool.ts";

/** How the user wants a tool to be asked for: never, like a command, or each time. */
export type ToolTier = "free" | "ask" | "always";

interface ShelfParts {
  readonly own: readonly HostTool[];
  /** Tools of other extensions for language models. */
  foreign(): readonly HostTool[];
  /** Names of tools that the user has switched off. */
  disabled(): readonly string[];
  /** What the user wants of a tool; undefined for what the tool itself says. */
  tier(name: string): ToolTier | undefined;
  /** A tool comes or goes. */
  changed(): void;
}

/** The tools that agents are lent: Tiller's own, those that other extensions offer to language models, and those that they lend by its interface. */
export class ToolShelf {
  readonly #parts: ShelfParts;
  readonly #guests = new Map<string, HostTool>();

  constructor(parts: ShelfParts) {
    this.#parts = parts;
  }

  /** Tiller's own, as far as they are on. */
  get own(): readonly HostTool[] {
    return this.#wanted(this.#parts.own);
  }

  /** Everything that is on. */
  get all(): readonly HostTool[] {
    return this.#wanted(this.everything);
  }

  /** Everything that there is, on or off. */
  get everything(): readonly HostTool[] {
    return [...this.#parts.own, ...this.#parts.foreign(), ...this.#guests.values()];
  }

  /** Adds a tool of another extension; nothing of that name may be there. @returns what takes it away again. */
  add(tool: HostTool): () => void {
    const { name } = tool.definition;
    this.#guests.set(name, tool);
    this.#parts.changed();
    return () => {
      if (this.#guests.get(name) !== tool) return;
      this.#guests.delete(name);
      this.#parts.changed();
    };
  }

  #wanted(tools: readonly HostTool[]): HostTool[] {
    const off = new Set(this.#parts.disabled());
    return tools
      .filter(({ definition }) => definition.hidden === true || !off.has(definition.name))
      .map((tool) => {
        const tier = this.#parts.tier(tool.definition.name);
        return tier === undefined ? tool : { ...tool, definition: inTier(tool.definition, tier) };
      });
  }
}

function inTier({ approval: _own, ...definition }: HostToolDefinition, tier: ToolTier): HostToolDefinition {
  const readOnly = tier === "free";
  return tier === "always" ? { ...definition, readOnly, approval: "always" } : { ...definition, readOnly };
}
