import { describe, expect, it } from "vitest";
import { LmSources, ownMcpName } from "../../../../../extension/host/host-tools/lm/lm-sources.ts";

const tool = (name: string, fields: { tags?: string[]; fullReferenceName?: string | undefined } = {}) => ({
  name,
  tags: [],
  ...fields,
});

const sources = new LmSources([
  { contributes: { languageModelTools: [{ name: "weather" }, { name: "odd", when: 7 }, 5] } },
  { isBuiltin: true, contributes: { languageModelTools: [{ name: "diagram" }] } },
  { contributes: { languageModelTools: [{ name: "named", when: "isOpen", canBeReferencedInPrompt: true }] } },
  { contributes: { languageModelTools: [{ name: "nameless", when: "isOpen" }] } },
  { contributes: {} },
  "no manifest",
]);

describe("a tool in the editor's list", () => {
  it("is available when an extension of the user provides it", () => {
    expect(sources.isAvailable(tool("weather"))).toBe(true);
    expect(sources.isAvailable(tool("elsewhere", { fullReferenceName: "acme.tools/elsewhere" }))).toBe(true);
  });

  it("is available when an MCP server provides it", () => {
    expect(sources.isAvailable(tool("echo", { tags: ["mcp"] }))).toBe(true);
    expect(sources.isAvailable(tool("mcp_fix_echo"))).toBe(true);
  });

  it("is not available when it is part of the editor", () => {
    expect(sources.isAvailable(tool("diagram"))).toBe(false);
    expect(sources.isAvailable(tool("run_in_terminal", { fullReferenceName: "execute/runInTerminal" }))).toBe(false);
    expect(sources.isAvailable(tool("task_complete", { fullReferenceName: undefined }))).toBe(false);
    expect(sources.isAvailable(tool("copilot_x", { fullReferenceName: "github.copilot-chat/x" }))).toBe(false);
  });

  it("is not available while its condition does not hold, as far as the editor tells", () => {
    expect(sources.isAvailable(tool("named", { fullReferenceName: "acme.tools/named" }))).toBe(true);
    expect(sources.isAvailable(tool("named", { fullReferenceName: undefined }))).toBe(false);
    expect(sources.isAvailable(tool("named"))).toBe(true);
    expect(sources.isAvailable(tool("nameless", { fullReferenceName: undefined }))).toBe(true);
  });
});

it("a tool of an MCP server has the name that the agent would give it", () => {
  expect(ownMcpName(tool("mcp_fixture_echo", { fullReferenceName: "my-server/echo" }))).toBe("mcp__my-server__echo");
  expect(ownMcpName(tool("mcp_fix_echo"))).toBe("mcp__fix_echo");
  expect(ownMcpName(tool("weather"))).toBe(undefined);
});
