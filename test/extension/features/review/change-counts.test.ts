import { describe, expect, it } from "vitest";
import { countChanges } from "../../../../extension/features/review/change-counts.ts";

describe("countChanges", () => {
  it("counts the files to review, and the lines of those that are text", () => {
    const files = [
      { review: { baseline: "one\ntwo\n", known: "one\n2\n3\n" } },
      { review: { baseline: null, known: "new\n" } },
      { review: undefined },
    ];
    expect(countChanges(files)).toEqual({ files: 3, added: 3, removed: 1 });
  });

  it("is nothing when no file is left to review", () => {
    expect(countChanges([])).toBe(undefined);
  });
});
