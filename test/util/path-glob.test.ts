import { describe, expect, it } from "vitest";
import { pathGlob } from "../../agent/util/path-glob.ts";

describe("pathGlob", () => {
  for (const [glob, fits, fitsNot] of [
    ["*.ts", ["a.ts", ".ts"], ["a.tsx", "b/a.ts", "ats"]],
    ["a/*/c", ["a/b/c"], ["a/c", "a/b/b/c"]],
    ["a/**/c", ["a/c", "a/b/c", "a/b/b/c"], ["a/bc", "c"]],
    ["**/x", ["x", "a/x", "a/b/x"], ["ax", "x/a"]],
    ["a/**", ["a/", "a/b", "a/b/c"], ["a", "b/a"]],
    ["file-?.md", ["file-1.md"], ["file-.md", "file-12.md", "file-/.md"]],
    ["a+b(c)[d]{e}^$|\\.x", ["a+b(c)[d]{e}^$|\\.x"], ["ab(c)[d]{e}^$|\\.x"]],
  ] satisfies [string, string[], string[]][]) {
    it(`reads ${glob}`, () => {
      const test = pathGlob(glob);
      expect(fits.filter((path) => !test(path))).toEqual([]);
      expect(fitsNot.filter(test)).toEqual([]);
    });
  }

  it("takes no longer for near matches", () => {
    const before = performance.now();
    expect(pathGlob(`${"*a".repeat(8)}b`)("a".repeat(60))).toBe(false);
    expect(performance.now() - before).toBeLessThan(1000);
  });
});
