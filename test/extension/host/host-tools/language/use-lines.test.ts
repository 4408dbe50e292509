import { describe, expect, it } from "vitest";
import { useLines } from "../../../../../extension/host/host-tools/language/use-lines.ts";

const LINES = ["let a = 1;", "a = a + 1;", "", "print(a, a);", "done();"];
const text = { lineCount: LINES.length, textOf: (line: number) => LINES[line] ?? "" };
const use = (line: number, isWrite = false) => ({ line, isWrite });

describe("lines that use a symbol", () => {
  it("are each shown once, with the number of uses and whether they write it", () => {
    const uses = [use(3), use(0, true), use(1, true), use(1), use(3)];
    expect(useLines(uses, text, 0)).toEqual([
      "  > 1 (write): let a = 1;",
      "  > 2 (2 uses, 1 of them a write): a = a + 1;",
      "  > 4 (2 uses): print(a, a);",
    ]);
  });

  it("are shown with the lines around them, which end with the file", () => {
    expect(useLines([use(0), use(3)], text, 1)).toEqual([
      "  > 1: let a = 1;",
      "    2: a = a + 1;",
      "    3: ",
      "  > 4: print(a, a);",
      "    5: done();",
    ]);
  });

  it("are left out where the file has become shorter", () => {
    expect(useLines([use(9)], text, 0)).toEqual([]);
  });
});
