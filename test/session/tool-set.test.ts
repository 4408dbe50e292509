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
