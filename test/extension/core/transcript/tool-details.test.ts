import { describe, expect, it } from "vitest";
import { presentCall } from "../../../../extension/core/transcript/tool-presenters.ts";
import { changedWords } from "../../../../extension/core/transcript/word-diff.ts";
import { sidesAhead, sidesOf } from "../../../../extension/editor/edit-diff.ts";

describe("changed words", () => {
  it("are found in corresponding lines, after sign and number", () => {
    const diff = " 1 import a;\n-2 const old = one(1);\n+2 const fresh = one(1);\n+3 added();";
    expect(changedWords(diff, true)).toEqual([
      { line: 1, start: 9, end: 12 },
      { line: 2, start: 9, end: 14 },
    ]);
    expect(changedWords("-a b c d e\n+a b X d e", false)).toEqual([
      { line: 0, start: 5, end: 6 },
      { line: 1, start: 5, end: 6 },
    ]);
  });

  it("are found between the lines that are alike, wherever they stand among the changed ones", () => {
    const lines = [
      "-const total = sum(values);",
      "-return total;",
      "+// The mean.",
      "+const total = mean(values);",
      "+log();",
    ];
    expect(changedWords(lines.join("\n"), false)).toEqual([
      { line: 0, start: 15, end: 18 },
      { line: 3, start: 15, end: 19 },
    ]);
  });

  it("are none in lines that have little in common or are very long", () => {
    expect(changedWords("-return first;\n+throw new Error(message)", false)).toEqual([]);
    expect(changedWords(`-${"a ".repeat(300)}\n+${"a ".repeat(300)}b`, false)).toEqual([]);
  });

  it("are found in linear time", () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => [`-a${index} x`, `+a${index} y`]).flat();
    const start = performance.now();
    changedWords(lines.join("\n"), false);
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe("an edit before it runs", () => {
  it("has the line counts that it has afterwards: lines that stay don't count", () => {
    const args = { path: "a.ts", edits: [{ oldText: "one\ntwo\nthree\n", newText: "one\n2\nthree\nfour\n" }] };
    expect(presentCall("edit", args, "/work")).toMatchObject({
      intent: "a.ts +2 −1",
      input: " one\n-two\n+2\n three\n+four",
    });
  });
});

describe("the two sides of an edit", () => {
  const patch = "--- a.ts\n+++ a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n";

  it("are the file before and now, as long as the edit can be undone", () => {
    expect(sidesOf(patch, "one\r\nzwei\r\nthree\r\nfour\r\n")).toEqual({
      before: "one\ntwo\nthree\nfour\n",
      after: "one\nzwei\nthree\nfour\n",
      isWhole: true,
    });
  });

  it("are the changed places when the file has changed again or is gone", () => {
    const places = { before: "one\ntwo\nthree\n", after: "one\nzwei\nthree\n", isWhole: false };
    expect(sidesOf(patch, "something else\n")).toEqual(places);
    expect(sidesOf(patch, undefined)).toEqual(places);
    expect(sidesOf("no patch at all", "x")).toBe(undefined);
  });

  it("are the file now and with a proposed change", () => {
    expect(sidesAhead(patch, "one\r\ntwo\r\nthree\r\nfour\r\n")).toEqual({
      before: "one\ntwo\nthree\nfour\n",
      after: "one\nzwei\nthree\nfour\n",
      isWhole: true,
    });
    const made = "--- a.ts\n+++ a.ts\n@@ -0,0 +1,1 @@\n+made\n";
    expect(sidesAhead(made, undefined)).toEqual({ before: "", after: "made\n", isWhole: true });
  });

  it("are the places of a proposed change when the file has changed since", () => {
    const places = { before: "one\ntwo\nthree\n", after: "one\nzwei\nthree\n", isWhole: false };
    expect(sidesAhead(patch, "something else\n")).toEqual(places);
  });
});
