import type { HostToolDefinition } from "../../../agent/protocol/host-tools.ts";
import type { HostTool } from "./host-tool.ts";
import type { ToolNeed } from "./tool-needs.ts";

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
  /** Whether what some tools need is there now. */
  isThere(need: ToolNeed): boolean;
  /** Finds out what is there. */
  look(): Promise<void>;
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

  /** Tiller's own, as far as they are on, without those whose need is not among `needs`. */
  own(needs: ReadonlySet<ToolNeed>): readonly HostTool[] {
    return this.#wanted(this.#parts.own, needs);
  }

  /** Everything that is on, without those whose need is not among `needs`. */
  all(needs: ReadonlySet<ToolNeed>): readonly HostTool[] {
    return this.#wanted(this.everything, needs);
  }

  /** Whether what some tools need is there now, as far as is known. */
  isThere(need: ToolNeed): boolean {
    return this.#parts.isThere(need);
  }

  /** Finds out what is there; a list of tools that is asked for afterwards goes by it. */
  look(): Promise<void> {
    return this.#parts.look();
  }

  /** Whether the user wants the tool lent. */
  isOn({ definition }: HostTool): boolean {
    return definition.hidden === true || !this.#parts.disabled().includes(definition.name);
  }

  /** How the user wants the tool to be asked for; undefined for what the tool itself says. */
  tier(name: string): ToolTier | undefined {
    return this.#parts.tier(name);
  }

  /** Everything that there is, on or off, of use or not. */
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

  #wanted(tools: readonly HostTool[], needs: ReadonlySet<ToolNeed>): HostTool[] {
    return tools
      .filter((tool) => this.isOn(tool) && (tool.need === undefined || needs.has(tool.need)))
      .map((tool) => {
        const tier = this.tier(tool.definition.name);
        return tier === undefined ? tool : { ...tool, definition: inTier(tool.definition, tier) };
      });
  }
}

function inTier({ approval: _own, ...definition }: HostToolDefinition, tier: ToolTier): HostToolDefinition {
  const readOnly = tier === "free";
  return tier === "always" ? { ...definition, readOnly, approval: "always" } : { ...definition, readOnly };
}
