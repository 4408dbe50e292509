import { describe, expect, it } from "vitest";
import type { HostToolDefinition } from "../../../../agent/protocol/host-tools.ts";
import type { HostTool } from "../../../../extension/host/host-tools/host-tool.ts";
import { HostToolSet, type ToolTier } from "../../../../extension/host/host-tools/host-tool-set.ts";
import { namesOff, toolGroups } from "../../../../extension/host/host-tools/tool-list.ts";

const tool = (name: string, fields: Partial<HostToolDefinition> = {}): HostTool => ({
  definition: { name, label: `The ${name}`, description: "Does.", parameters: {}, ...fields },
  run: async () => ({ content: [] }),
});

function hostToolsWith(own: readonly HostTool[], tiers: Record<string, ToolTier> = {}): HostToolSet {
  return new HostToolSet({
    own,
    foreign: () => [tool("lm_search")],
    disabled: () => [],
    tier: (name) => tiers[name],
    isThere: () => false,
    look: async () => {},
    changed: () => {},
  });
}

describe("the list of tools", () => {
  it("groups tools by purpose, without those that only the agent uses", () => {
    const names = ["open_file", "hover", "get_diagnostics", "create_file", "run_task", "debug", "git_push", "run_cell"];
    const hidden = tool("host_buffer", { hidden: true });
    const groups = toolGroups(hostToolsWith([hidden, ...names.map((name) => tool(`vscode_${name}`))]));
    expect(groups.map(({ title, rows }) => [title, ...rows.map(({ name }) => name)])).toEqual([
      ["Editor and questions", "vscode_open_file"],
      ["Code", "vscode_hover", "vscode_get_diagnostics"],
      ["Files", "vscode_create_file"],
      ["Tasks, tests, terminal, and commands", "vscode_run_task"],
      ["Debugger", "vscode_debug"],
      ["Git", "vscode_git_push"],
      ["Notebooks", "vscode_run_cell"],
      ["Other extensions and MCP servers", "lm_search"],
    ]);
  });

  it("says how each tool is approved, as the user set it, and why it is not available now", () => {
    const own = [
      tool("vscode_hover", { readOnly: true }),
      tool("vscode_tidy", { approval: "edit" }),
      tool("vscode_format", { readOnly: true }),
      { ...tool("vscode_rename_symbol", { approval: "always" }), need: "git" } as const,
    ];
    const [code, others] = toolGroups(hostToolsWith(own, { vscode_format: "ask" }));
    expect(code?.rows.map(({ state }) => state)).toEqual([
      "vscode_hover · no approval needed",
      "vscode_tidy · needs approval like an edit",
      "vscode_format · needs approval (set by you)",
      "vscode_rename_symbol · always needs approval · unavailable: no Git repository",
    ]);
    expect(others?.rows).toEqual([
      { name: "lm_search", label: "The lm_search", state: "lm_search · needs approval", detail: "Does." },
    ]);
  });

  it("keeps the absent tools switched off when the user confirms", () => {
    expect(namesOff(["lm_away", "two"], ["one", "two", "three"], ["one", "two"])).toEqual(["lm_away", "three"]);
  });
});
