import { describe, expect, it } from "vitest";
import type { Problem } from "../../../../extension/host/host-tools/problem-words.ts";
import { verdict } from "../../../../extension/host/host-tools/verdict.ts";

const problem = (message: string, line = 1, file = "a.ts"): Problem => ({
  file,
  line,
  column: 2,
  severity: "error",
  message,
  origin: "ts 1",
});

describe("the report on an edit's problems", () => {
  it("is empty when there are none", () => {
    expect(verdict([], [])).toBe("");
  });

  it("names new problems, and counts fixed and remaining ones, wherever they have moved", () => {
    const before = [problem("old", 1), problem("gone", 2)];
    const after = [problem("old", 5), problem("new\nwith more lines", 3)];
    expect(verdict(before, after)).toBe(
      "Problems after this edit: 1 introduced, 1 fixed, 1 as before.\nintroduced a.ts:3:2 error: new [ts 1]",
    );
  });

  it("counts a message as often as it occurs", () => {
    expect(verdict([problem("x", 1)], [problem("x", 1), problem("x", 9)])).toContain(
      "1 introduced, 0 fixed, 1 as before",
    );
  });

  it("names ten at most, and cuts long messages", () => {
    const after = Array.from({ length: 13 }, (_, index) => problem(`${"m".repeat(400)}${index}`));
    const text = verdict([], after).split("\n");
    expect(text).toHaveLength(12);
    expect(text[11]).toBe("(3 more)");
    expect(text[1]).toBe(`introduced a.ts:1:2 error: ${"m".repeat(300)}… [ts 1]`);
  });

  it("is short in a project that stays the same", () => {
    const same = Array.from({ length: 50 }, (_, index) => problem(`p${index}`));
    expect(verdict(same, same)).toBe("Problems after this edit: 0 introduced, 0 fixed, 50 as before.");
  });
});
