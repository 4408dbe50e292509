import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ToolSet } from "../../agent/session/tool-set.ts";
import { type AnyTool, defineTool, textOutput } from "../../agent/tools/tool.ts";

function tool(name: string): AnyTool {
  return defineTool({
    name,
    description: name,
    input: z.object({}),
    concurrency: "shared",
    isReadOnly: true,
    summarize: () => "",
    run: async () => textOutput(name),
  });
}

function toolSet(exclude: readonly string[] = []): ToolSet {
  return new ToolSet([tool("bash"), tool("read")], { patterns: undefined, exclude, defaults: ["bash", "read"] });
}

const active = (tools: ToolSet) => [...tools.active().keys()];

describe("the companions of a tool", () => {
  it("become active with it when it was off while they were added", () => {
    const tools = toolSet();
    tools.setActive(["read"]);
    tools.addCompanions([tool("bash_stop")], "bash");
    expect(active(tools)).toEqual(["read"]);
    tools.setActive(["read", "bash"]);
    expect(active(tools)).toEqual(["bash", "read", "bash_stop"]);
    tools.setActive(["read"]);
    tools.reset();
    expect(active(tools)).toEqual(["bash", "read", "bash_stop"]);
  });

  it("stay off when they are excluded", () => {
    const tools = toolSet(["bash_*"]);
    tools.addCompanions([tool("bash_stop")], "bash");
    expect(active(tools)).toEqual(["bash", "read"]);
  });
});

describe("a tool that somebody wants the model to have", () => {
  const chosen = (tools: ToolSet, ...names: string[]) => names.filter((name) => tools.isChosen(name));

  it("is built-in, has been named in full, or was switched on though it is off by default", () => {
    const patterns = ["read", "+mcp__a__one", "mcp__b__*"];
    const tools = new ToolSet([tool("read")], { patterns, exclude: [], defaults: [] });
    for (const name of ["mcp__a__one", "mcp__a__two", "mcp__b__one"]) tools.add(tool(name), true);
    tools.add(tool("hidden"), false);
    tools.replaceHostTools([
      { tool: tool("host_shown"), isHidden: false, sameAs: undefined },
      { tool: tool("host_hidden"), isHidden: true, sameAs: undefined },
    ]);
    const all = tools.all().map(({ name }) => name);
    expect(chosen(tools, ...all)).toEqual(["read", "mcp__a__one", "hidden", "host_hidden"]);
  });
});
