import { describe, expect, test } from "vitest";
import type { ToolResultPayload } from "../../../../agent/protocol/host-tools.ts";
import { type FollowTarget, FollowTargets } from "../../../../extension/features/follow/follow-target.ts";

/** Returns the agent's location when a call begins, and when it has ended. */
function follow(
  toolName: string,
  args: unknown,
  result: Partial<ToolResultPayload> = {},
  isError = false,
): [FollowTarget | undefined, FollowTarget | undefined] {
  const targets = new FollowTargets();
  const toolCallId = "t1";
  return [
    targets.read({ type: "tool_execution_start", toolCallId, toolName, args }),
    targets.read({ type: "tool_execution_end", toolCallId, toolName, result: { content: [], ...result }, isError }),
  ];
}

const words = (text: string) => ({ content: [{ type: "text", text }] }) satisfies ToolResultPayload;

describe("the location of the agent", () => {
  test("is the file it reads, with the requested lines", () => {
    expect(follow("read", { path: "@src/a.ts", offset: 10, limit: 5 })).toEqual([
      { paths: ["src/a.ts"], kind: "read", lines: [[10, 14]] },
      undefined,
    ]);
    expect(follow("read", { path: "a.ts" })[0]).toEqual({ paths: ["a.ts"], kind: "read", lines: [] });
    expect(follow("read", { path: "a.ts", offset: 7 })[0]?.lines).toEqual([[7, Number.MAX_SAFE_INTEGER]]);
    expect(follow("read", { path: "a.ts", limit: 7 })[0]?.lines).toEqual([[1, 7]]);
  });

  test("is the text that an edit will replace, and then the changed lines", () => {
    const args = { path: "a.ts", edits: [{ oldText: "one\n", newText: "1\n2\n" }] };
    const diff = "  ...\n  3 zero\n- 4 one\n+ 4 1\n+ 5 2\n  6 three\n- 7 four\n+ 7 4";
    expect(follow("edit", args, { details: { diff, firstChangedLine: 4 } })).toEqual([
      { paths: ["a.ts"], kind: "read", lines: [], text: "one\n" },
      {
        paths: ["a.ts"],
        kind: "change",
        lines: [
          [4, 5],
          [7, 7],
        ],
      },
    ]);
    expect(follow("edit", args, { details: { diff: "- 4 one", firstChangedLine: 4 } })[1]?.lines).toEqual([[4, 4]]);
  });

  test("is a written file, not one that will be written", () => {
    expect(follow("write", { path: "new.ts", content: "x" })).toEqual([
      undefined,
      { paths: ["new.ts"], kind: "change", lines: [] },
    ]);
  });

  test("is the first match of a search, under its possible names", () => {
    const result = words("a/b.ts-1- before\na/b.ts:2: found\nc.ts:9: found");
    expect(follow("grep", { pattern: "found" }, result)[1]).toEqual({
      paths: ["a/b.ts"],
      kind: "read",
      lines: [[2, 2]],
    });
    expect(follow("grep", { pattern: "found", path: "src" }, result)[1]?.paths).toEqual([
      "src/a/b.ts",
      "src",
      "a/b.ts",
    ]);
    expect(follow("grep", { pattern: "found" }, words("No matches found"))[1]).toBeUndefined();
  });

  test("is the target of an editor tool, except for tools that show it themselves", () => {
    expect(follow("vscode_hover", { path: "a.ts", line: 3 })[0]).toEqual({
      paths: ["a.ts"],
      kind: "read",
      lines: [[3, 3]],
    });
    expect(follow("vscode_format", { path: "a.ts", startLine: 2, endLine: 4 })[0]).toEqual({
      paths: ["a.ts"],
      kind: "change",
      lines: [[2, 4]],
    });
    const edits = [{ path: "b.ts", startLine: 5, endLine: 6, newText: "" }];
    expect(follow("vscode_apply_edit", { edits })[0]).toEqual({ paths: ["b.ts"], kind: "change", lines: [[5, 6]] });
    expect(follow("vscode_open_file", { path: "a.ts" })).toEqual([undefined, undefined]);
    expect(follow("bash", { command: "cat a.ts", path: "a.ts" })).toEqual([undefined, undefined]);
  });

  test("is not changed by a failed call, or by one whose start was missed", () => {
    expect(follow("edit", { path: "a.ts", edits: [] }, { details: { firstChangedLine: 1 } }, true)[1]).toBeUndefined();
    const targets = new FollowTargets();
    const result = { content: [] };
    const end = { type: "tool_execution_end", toolCallId: "t", toolName: "write", result, isError: false } as const;
    expect(targets.read(end)).toBeUndefined();
  });

  test("is unknown for invalid arguments", () => {
    for (const args of [null, 3, "a.ts", [], {}, { path: 3 }, { path: "" }, { edits: "x" }, { edits: [null] }]) {
      expect(follow("read", args)[0]).toBeUndefined();
      expect(follow("edit", args)[0]).toBeUndefined();
      expect(follow("vscode_apply_edit", args)[0]).toBeUndefined();
    }
    const [start, end] = follow("read", { path: "a.ts", offset: -1, limit: 1.5 }, { details: "no" });
    expect([start?.lines, end]).toEqual([[], undefined]);
    expect(follow("edit", { path: "a.ts", edits: [{ oldText: 3 }] }, { details: { diff: 4 } })).toEqual([
      { paths: ["a.ts"], kind: "read", lines: [] },
      { paths: ["a.ts"], kind: "change", lines: [] },
    ]);
  });
});
