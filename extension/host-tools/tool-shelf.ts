import type { HostTool } from "./host-tool.ts";

/** The tools that agents are lent: Tiller's own, and those that other extensions add and take away again. */
export class ToolShelf {
  readonly own: readonly HostTool[];
  readonly #guests = new Map<string, HostTool>();
  readonly #changed: () => void;

  /** @param changed is called when a tool of another extension comes or goes. */
  constructor(own: readonly HostTool[], changed: () => void) {
    this.own = own;
    this.#changed = changed;
  }

  get all(): readonly HostTool[] {
    return [...this.own, ...this.#guests.values()];
  }

  /** Adds a tool of another extension; nothing of that name may be there. @returns what takes it away again. */
  add(tool: HostTool): () => void {
    const { name } = tool.definition;
    this.#guests.set(name, tool);
    this.#changed();
    return () => {
      if (this.#guests.get(name) !== tool) return;
      this.#guests.delete(name);
      this.#changed();
    };
  }
}
