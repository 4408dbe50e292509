import { describe, expect, it } from "vitest";
import { argumentCheck } from "../../agent/tools/argument-check.ts";
import { bashTool } from "../../agent/tools/bash.ts";
import { editTool } from "../../agent/tools/edit.ts";
import { findTool } from "../../agent/tools/find.ts";
import { grepTool } from "../../agent/tools/grep.ts";
import { lsTool } from "../../agent/tools/ls.ts";
import { readTool } from "../../agent/tools/read.ts";
import { exampleCall } from "../../agent/tools/read-arguments.ts";
import { todoWriteTool } from "../../agent/tools/todo-write.ts";
import { type AnyTool, anyTool, textOutput } from "../../agent/tools/tool.ts";
import { writeTool } from "../../agent/tools/write.ts";

const planTool = todoWriteTool({ phases: [], storage: "memory", replace: () => undefined });

/** A tool of an MCP server or a host, of which only the JSON Schema is known. */
function foreignTool(properties: Record<string, unknown>, more: Record<string, unknown> = {}): AnyTool {
  const parameters = { type: "object", properties, ...more };
  return anyTool<Record<string, unknown>>({
    name: "foreign",
    label: "foreign",
    description: "A tool with a JSON Schema.",
    origin: "host",
    concurrency: "shared",
    isReadOnly: true,
    parameters,
    parse: argumentCheck(parameters, "foreign", () => undefined),
    summarize: () => "",
    run: async () => textOutput("ok"),
  });
}

function understood(tool: AnyTool, args: unknown): unknown {
  const bound = tool.bind(args);
  return bound.ok ? bound.input.args : bound.problems;
}

describe("arguments of built-in tools", () => {
  it.each<[string, AnyTool, unknown, unknown]>([
    ["a number in quotes", readTool, { path: "a", offset: "5" }, { path: "a", offset: 5 }],
    ["a boolean in quotes", grepTool, { pattern: "x", literal: "True" }, { pattern: "x", literal: true }],
    ["null for what may be left out", readTool, { path: "a", limit: null }, { path: "a" }],
    ["an empty text for a number that may be left out", readTool, { path: "a", limit: "" }, { path: "a" }],
    ["an empty text for a path that may be left out", lsTool, { path: "" }, {}],
    ["another name for the path", readTool, { file_path: "a" }, { path: "a" }],
    ["another name for an optional path", lsTool, { directory: "src" }, { path: "src" }],
    ["another name for the command", bashTool, { cmd: "ls" }, { command: "ls" }],
    ["other names for a whole file", writeTool, { filePath: "a", contents: "" }, { path: "a", content: "" }],
    ["a name in other case", grepTool, { pattern: "x", ignore_case: true }, { pattern: "x", ignoreCase: true }],
    ["another name for the glob", findTool, { query: "*.ts" }, { pattern: "*.ts" }],
    [
      "JSON text for a list",
      planTool,
      { ops: '[{"op":"add_phase","name":"a"}]' },
      { ops: [{ op: "add_phase", name: "a" }] },
    ],
    [
      "null in one of several kinds of objects",
      planTool,
      { ops: [{ op: "update", id: "task-1", status: "completed", notes: null }] },
      { ops: [{ op: "update", id: "task-1", status: "completed" }] },
    ],
    [
      "one edit at the top level under other names",
      editTool,
      { file_path: "a", old_string: "x", new_string: "" },
      { path: "a", oldText: "x", newText: "" },
    ],
    [
      "other names in a list of edits",
      editTool,
      { path: "a", edits: [{ old_string: "x", new_string: "y" }] },
      { path: "a", edits: [{ oldText: "x", newText: "y" }] },
    ],
  ])("are understood: %s", (_what, tool, args, expected) => {
    expect(understood(tool, args)).toEqual(expected);
  });

  it("stay as they are when they fit", () => {
    const args = { path: "5", content: "[1]" };
    expect(understood(writeTool, args)).toBe(args);
  });

  it.each<[string, AnyTool, unknown, string]>([
    ["a number for a text", readTool, { path: 5 }, "  - path: "],
    ["words for a number", readTool, { path: "a", offset: "five" }, "  - offset: "],
    ["a fraction for whole lines", readTool, { path: "a", offset: "1.5" }, "  - offset: "],
    ["an object for a text", writeTool, { path: "a", content: { a: 1 } }, "  - content: "],
    ["null for what is needed", bashTool, { command: null }, "  - command: "],
    ["two texts that may be the path", readTool, { file: "a", filename: "b" }, "  - path: "],
  ])("are refused, and nothing is guessed: %s", (_what, tool, args, problem) => {
    expect(understood(tool, args)).toEqual([expect.stringContaining(problem)]);
  });

  it("keep an argument that has the right name beside one with another", () => {
    expect(understood(readTool, { path: "a", file_path: "b" })).toMatchObject({ path: "a" });
  });
});

describe("arguments of a tool with a JSON Schema", () => {
  it.each<[string, Record<string, unknown>, unknown, unknown]>([
    ["an integer or null", { n: { anyOf: [{ type: "integer" }, { type: "null" }] } }, { n: "7" }, { n: 7 }],
    ["a list of types", { n: { type: ["number", "null"] } }, { n: "0.5" }, { n: 0.5 }],
    ["a definition elsewhere", { at: { $ref: "#/$defs/Point" } }, { at: '{"x":"1"}' }, { at: { x: 1 } }],
    ["numbers in a list", { ids: { type: "array", items: { type: "integer" } } }, { ids: ["1", 2] }, { ids: [1, 2] }],
    ["a path under another name", { path: { type: "string" } }, { filePath: "a" }, { path: "a" }],
  ])("are understood: %s", (_what, properties, args, expected) => {
    const $defs = { Point: { type: "object", properties: { x: { type: "integer" } }, required: ["x"] } };
    const tool = foreignTool(properties, { required: Object.keys(properties), $defs });
    expect(understood(tool, args)).toEqual(expected);
  });

  it("are not touched when the schema allows them as they are", () => {
    const tool = foreignTool({ file: { type: "string" }, text: { type: "string" }, any: {} });
    const args = { file: "", text: "5", any: "true", path: "x", other: null };
    expect(understood(tool, args)).toEqual(args);
  });

  it("are refused when text may be one of two types", () => {
    const tool = foreignTool({ n: { anyOf: [{ type: "number" }, { type: "boolean" }] } }, { required: ["n"] });
    expect(understood(tool, { n: "maybe" })).toEqual([expect.stringContaining("  - n: ")]);
    expect(understood(tool, { n: "2" })).toEqual({ n: 2 });
  });

  it("are read although the schema refers to itself", () => {
    const tool = foreignTool({ n: { $ref: "#/properties/n" }, limit: { type: "integer" } });
    expect(tool.bind({ n: "1", limit: "2" })).toBeDefined();
  });
});

describe("the example of a right call", () => {
  it("has what is needed, and what was given", () => {
    expect(exampleCall("read", readTool.parameters, { file_path: "a.ts", limit: "many" })).toBe(
      'read {"path":"a.ts","limit":1}',
    );
    expect(exampleCall("edit", editTool.parameters, {})).toBe(
      'edit {"path":"…","edits":[{"oldText":"…","newText":"…"}]}',
    );
    expect(exampleCall("todo_write", planTool.parameters, { ops: 1 })).toMatch(/^todo_write \{"ops":\[\{"op":"/);
  });
});
