import { describe, expect, it } from "vitest";
import type { HostToolDefinition } from "../../../../agent/protocol/host-tools.ts";
import type { HostTool } from "../../../../extension/host/host-tools/host-tool.ts";
import { HostToolSet, type ToolTier } from "../../../../extension/host/host-tools/host-tool-set.ts";
import type { ToolNeed } from "../../../../extension/host/host-tools/tool-needs.ts";

const tool = (name: string, fields: Partial<HostToolDefinition> = {}): HostTool => ({
  definition: { name, description: "Does.", parameters: {}, ...fields },
  run: async () => ({ content: [] }),
});

function hostToolsWith(choices: { disabled?: string[]; tiers?: Record<string, ToolTier> } = {}) {
  let changes = 0;
  const hostTools = new HostToolSet({
    own: [
      tool("read", { readOnly: true }),
      tool("push", { approval: "always" }),
      tool("link", { hidden: true }),
      { ...tool("run_cell"), need: "notebook" },
    ],
    foreign: () => [tool("lm_search")],
    disabled: () => choices.disabled ?? [],
    tier: (name) => choices.tiers?.[name],
    isThere: () => false,
    look: async () => {},
    changed: () => {
      changes += 1;
    },
  });
  return { hostTools, changes: () => changes };
}

const NOTHING: ReadonlySet<ToolNeed> = new Set();
const names = (tools: readonly HostTool[]) => tools.map(({ definition }) => definition.name);

describe("HostToolSet", () => {
  it("are Tiller's own and those of other extensions, which come and go", () => {
    const { hostTools, changes } = hostToolsWith();
    const remove = hostTools.add(tool("ticket"));
    expect(names(hostTools.all(NOTHING))).toEqual(["read", "push", "link", "lm_search", "ticket"]);
    remove();
    remove();
    expect(names(hostTools.all(NOTHING))).toEqual(["read", "push", "link", "lm_search"]);
    expect(changes()).toBe(2);
  });

  it("exclude those that are switched off, but not those that the agent itself needs", () => {
    const { hostTools } = hostToolsWith({ disabled: ["read", "lm_search", "link"] });
    expect(names(hostTools.all(NOTHING))).toEqual(["push", "link"]);
    expect(names(hostTools.own(NOTHING))).toEqual(["push", "link"]);
    expect(names(hostTools.everything)).toEqual(["read", "push", "link", "run_cell", "lm_search"]);
  });

  it("include those whose needs are met", () => {
    const { hostTools } = hostToolsWith({ disabled: ["read"] });
    expect(names(hostTools.all(new Set(["notebook"])))).toEqual(["push", "link", "run_cell", "lm_search"]);
    expect(names(hostTools.own(new Set(["git"])))).toEqual(["push", "link"]);
  });

  it("are approved as the user wants", () => {
    const { hostTools } = hostToolsWith({ tiers: { read: "ask", push: "free", lm_search: "always" } });
    const asked = hostTools
      .all(NOTHING)
      .map(({ definition: { name, readOnly, approval } }) => [name, readOnly, approval]);
    expect(asked).toEqual([
      ["read", false, undefined],
      ["push", true, undefined],
      ["link", undefined, undefined],
      ["lm_search", false, "always"],
    ]);
  });
});
