import { describe, expect, it } from "vitest";
import { anyGlob, splitGlobs } from "../../agent/prompt/instruction-globs.ts";

describe("a list of globs", () => {
  it.each([
    ["**/*.ts,**/*.tsx", ["**/*.ts", "**/*.tsx"]],
    ["*.{ts,tsx}, docs/", ["*.{ts,tsx}", "docs/"]],
    ['["a/*.md", "b.md"]', ["a/*.md", "b.md"]],
    [" , ", []],
    ["{", ["{"]],
    ["a.{b,{c,d}},e", ["a.{b,{c,d}}", "e"]],
    ["[id]/*.ts, b", ["[id]/*.ts", "b"]],
  ])("is read from %s", (text, globs) => {
    expect(splitGlobs(text)).toEqual(globs);
  });
});

describe("globs", () => {
  it.each([
    ["*.ts", "src/a.ts", true],
    ["*.ts", "src/a.tsx", false],
    ["**", "src/a.ts", true],
    ["*", "src/a.ts", true],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/b/a.ts", false],
    ["./src/**", "src/b/a.ts", true],
    ["/src/", "src/b/a.ts", true],
    ["src/", "lib/src/a.ts", false],
    ["app/[id]/*.tsx", "app/[id]/page.tsx", true],
    ["src/{a,b/{c,d}}.ts", "src/b/d.ts", true],
    ["src/{a,b/{c,d}}.ts", "src/b/e.ts", false],
    ["{a}", "{a}", true],
  ])("%s, held against %s: %s", (glob, path, matches) => {
    expect(anyGlob([glob])(path)).toBe(matches);
  });

  it("take little time, however hostile", () => {
    const startedAt = performance.now();
    expect(splitGlobs("{".repeat(200_000))).toEqual([]);
    const bombs = ["{a,b}".repeat(50), `${"**/".repeat(90)}x`, "{".repeat(290), `${"*a".repeat(140)}b`];
    expect(anyGlob(bombs)("a/".repeat(2000))).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});
