import { describe, expect, it } from "vitest";
import type { HostToolDefinition } from "../../../agent/protocol/host-tools.ts";
import type { HostTool } from "../../../extension/host-tools/host-tool.ts";
import { ToolShelf, type ToolTier } from "../../../extension/host-tools/tool-shelf.ts";

const tool = (name: string, fields: Partial<HostToolDefinition> = {}): HostTool => ({
  definition: { name, description: "Does.", parameters: {}, ...fields },
  run: async () => ({ content: [] }),
});

function shelfWith(choices: { disabled?: string[]; tiers?: Record<string, ToolTier> } = {}) {
  let changes = 0;
  const shelf = new ToolShelf({
    own: [tool("read", { readOnly: true }), tool("push", { approval: "always" }), tool("link", { hidden: true })],
    foreign: () => [tool("lm_search")],
    disabled: () => choices.disabled ?? [],
    tier: (name) => choices.tiers?.[name],
    changed: () => {
      changes += 1;
    },
  });
  return { shelf, changes: () => changes };
}

const names = (tools: readonly HostTool[]) => tools.map(({ definition }) => definition.name);

describe("the tools that an agent is lent", () => {
  it("are Tiller's own, other extensions', and guests, who come and go", () => {
    const { shelf, changes } = shelfWith();
    const remove = shelf.add(tool("guest"));
    expect(names(shelf.all)).toEqual(["read", "push", "link", "lm_search", "guest"]);
    remove();
    remove();
    expect(names(shelf.all)).toEqual(["read", "push", "link", "lm_search"]);
    expect(changes()).toBe(2);
  });

  it("are without those that were switched off, but what the agent itself needs stays", () => {
    const { shelf } = shelfWith({ disabled: ["read", "lm_search", "link"] });
    expect(names(shelf.all)).toEqual(["push", "link"]);
    expect(names(shelf.own)).toEqual(["push", "link"]);
    expect(names(shelf.everything)).toEqual(["read", "push", "link", "lm_search"]);
  });

  it("are asked for as the user wants", () => {
    const { shelf } = shelfWith({ tiers: { read: "ask", push: "free", lm_search: "always" } });
    const asked = shelf.all.map(({ definition: { name, readOnly, approval } }) => [name, readOnly, approval]);
    expect(asked).toEqual([
      ["read", false, undefined],
      ["push", true, undefined],
      ["link", undefined, undefined],
      ["lm_search", false, "always"],
    ]);
  });
});
