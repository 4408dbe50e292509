import type { AnyTool } from "../tools/tool.ts";

type Tools = ReadonlyMap<string, AnyTool>;

/** The tools that a loadout depends on. */
interface ToolSource {
  all(): AnyTool[];
  callable(): AnyTool[];
}

interface Prepared {
  from: readonly ReadonlySet<AnyTool>[];
  descriptions: Record<string, string>;
  hidden: ReadonlySet<string>;
}

/** Has tools change what the model is told of the tools, when those have changed. */
export class PreparedLoadout {
  #last: Prepared | undefined;

  /** Returns these tools with other descriptions, and without the hidden ones. */
  of(told: Tools, source: ToolSource): Tools {
    const hooks = [...told.values()].flatMap(({ prepareLoadout }) => prepareLoadout ?? []);
    if (hooks.length === 0) return told;
    const [registered, callable] = [source.all(), source.callable()];
    const from = [new Set(told.values()), new Set(callable), new Set(registered)];
    if (this.#last?.from.every((tools, at) => isSame(tools, from[at])) !== true) {
      const loadout = { declared: [...told.values()], callable, registered };
      const changes = hooks.map((prepare) => prepare(loadout));
      this.#last = {
        from,
        descriptions: Object.assign({}, ...changes.map((change) => change?.descriptions)),
        hidden: new Set(changes.flatMap((change) => change?.hiddenDeclarations ?? [])),
      };
    }
    const { descriptions, hidden } = this.#last;
    const shown = [...told].filter(([name]) => !hidden.has(name));
    return new Map(
      shown.map(([name, tool]) => [name, { ...tool, description: descriptions[name] ?? tool.description }]),
    );
  }
}

function isSame(one: ReadonlySet<AnyTool>, other: ReadonlySet<AnyTool> | undefined): boolean {
  return one.size === other?.size && [...one].every((tool) => other.has(tool));
}
