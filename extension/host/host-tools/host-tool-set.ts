import type { HostToolDefinition } from "../../../agent/protocol/host-tools.ts";
import type { HostTool } from "./host-tool.ts";
import type { ToolNeed } from "./tool-needs.ts";

/** The user's setting for asking before a tool runs: never, like for a command, or each time. */
export type ToolTier = "free" | "ask" | "always";

interface HostToolSetParts {
  readonly own: readonly HostTool[];
  /** Language model tools of other extensions. */
  foreign(): readonly HostTool[];
  /** Names of tools that the user has disabled. */
  disabled(): readonly string[];
  /** The user's setting for a tool; undefined to leave it to the tool. */
  tier(name: string): ToolTier | undefined;
  /** True when a need is met now. */
  isThere(need: ToolNeed): boolean;
  /** Checks which needs are met. */
  look(): Promise<void>;
  /** Called when a tool is added or removed. */
  changed(): void;
}

/** The host tools of the window: Tiller's own, the language model tools of other extensions, and those added through Tiller's API. */
export class HostToolSet {
  readonly #parts: HostToolSetParts;
  readonly #added = new Map<string, HostTool>();

  constructor(parts: HostToolSetParts) {
    this.#parts = parts;
  }

  /** Returns Tiller's own tools that are on and whose need, if any, is among `needs`. */
  own(needs: ReadonlySet<ToolNeed>): readonly HostTool[] {
    return this.#wanted(this.#parts.own, needs);
  }

  /** Returns all tools that are on and whose need, if any, is among `needs`. */
  all(needs: ReadonlySet<ToolNeed>): readonly HostTool[] {
    return this.#wanted(this.everything, needs);
  }

  /** True when a need is met now, as far as is known. */
  isThere(need: ToolNeed): boolean {
    return this.#parts.isThere(need);
  }

  /** Checks which needs are met; later lists of tools depend on the result. */
  look(): Promise<void> {
    return this.#parts.look();
  }

  /** True when the tool is hidden or the user has not disabled it. */
  isOn({ definition }: HostTool): boolean {
    return definition.hidden === true || !this.#parts.disabled().includes(definition.name);
  }

  /** Returns how the tool is asked for by the user's setting; undefined to leave it to the tool. */
  tier(name: string): ToolTier | undefined {
    return this.#parts.tier(name);
  }

  /** All tools, on or off, whether their needs are met or not. */
  get everything(): readonly HostTool[] {
    return [...this.#parts.own, ...this.#parts.foreign(), ...this.#added.values()];
  }

  /** Adds a tool of another extension; its name must not be taken. @returns a function that removes it. */
  add(tool: HostTool): () => void {
    const { name } = tool.definition;
    this.#added.set(name, tool);
    this.#parts.changed();
    return () => {
      if (this.#added.get(name) !== tool) return;
      this.#added.delete(name);
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
