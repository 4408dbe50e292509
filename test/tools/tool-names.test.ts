import { describe, expect, it } from "vitest";
import { unknownToolText, withToolName } from "../../agent/tools/tool-names.ts";

const TOOLS: ReadonlySet<string> = new Set(["read", "bash", "edit", "write", "todo_write", "vscode_hover"]);

function meant(name: string, args: Record<string, unknown> = {}, tools = TOOLS): unknown {
  return withToolName({ name, arguments: args }, tools).name;
}

describe("the name of a tool", () => {
  it.each([
    ["Read", "read"],
    ["BASH", "bash"],
    ["TodoWrite", "todo_write"],
    ["vscodeHover", "vscode_hover"],
    ["read_file", "read"],
    ["write_to_file", "write"],
    ["MultiEdit", "edit"],
    ["str_replace", "edit"],
    ["run_terminal_cmd", "bash"],
    ["execute_command", "bash"],
  ])("is understood: %s is %s", (name, tool) => {
    expect(meant(name)).toBe(tool);
  });

  it("means only tools that are there", () => {
    expect([meant("Grep"), meant("read_file", {}, new Set(["bash"]))]).toEqual(["Grep", "read_file"]);
  });

  it("is never one of several that look alike", () => {
    expect(meant("do-it", {}, new Set(["do_it", "doIt"]))).toBe("do-it");
    expect(meant("doIt", {}, new Set(["do_it", "doIt"]))).toBe("doIt");
  });

  it("is that of another tool before it is another name of ours", () => {
    expect(meant("view", {}, new Set(["view", "read"]))).toBe("view");
  });

  it("depends on the command of the editor tool", () => {
    const call = (args: Record<string, unknown>) =>
      withToolName({ name: "str_replace_based_edit_tool", arguments: args }, TOOLS);
    expect(call({ command: "view", path: "a", view_range: [5, 9] })).toEqual({
      name: "read",
      arguments: { path: "a", offset: 5, limit: 5 },
    });
    expect(call({ command: "view", path: "a", view_range: [5, -1] }).arguments).toEqual({ path: "a", offset: 5 });
    expect(call({ command: "create", path: "a", file_text: "x" })).toEqual({
      name: "write",
      arguments: { path: "a", file_text: "x" },
    });
    expect(call({ command: "str_replace", path: "a", old_str: "x" }).name).toBe("edit");
    expect(call({ command: "insert", path: "a", insert_line: 1 }).name).toBe("str_replace_based_edit_tool");
  });
});

describe("the answer to the name of an unknown tool", () => {
  it("lists the tools, the nearest first", () => {
    expect(unknownToolText({ name: "reed", arguments: {} }, TOOLS)).toMatch(
      /^Tool reed not found\. Tools: read, .*todo_write/,
    );
    expect(unknownToolText({ name: "hover", arguments: {} }, TOOLS)).toContain("Tools: vscode_hover, ");
  });

  it("says how to insert text", () => {
    const args = { command: "insert", path: "a", insert_line: 1 };
    expect(unknownToolText({ name: "str_replace_editor", arguments: args }, TOOLS)).toContain(
      "call edit with a line next",
    );
  });

  it("says which tool it would be, and when there are none", () => {
    expect(unknownToolText({ name: "list_dir", arguments: {} }, new Set())).toBe(
      "Tool list_dir not found. Did you mean ls? It's turned off. There are no tools.",
    );
  });
});
