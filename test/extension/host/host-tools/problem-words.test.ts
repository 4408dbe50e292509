import { describe, expect, it } from "vitest";
import {
  countProblems,
  gapLine,
  type Problem,
  problemLine,
  type Severity,
  sortByFile,
  wholeProblemLine,
} from "../../../../extension/host/host-tools/problem-words.ts";

const problem = (severity: Severity, message: string, origin = ""): Problem => ({
  file: "src/a.ts",
  line: 3,
  column: 7,
  severity,
  message,
  origin,
});

describe("the text of a problem", () => {
  it("is no claim when the file was not checked", () => {
    expect(gapLine("a.py", "onlyInTabs")).toBe(
      "Problems in a.py: not checked, since its language service checks only files in a tab.",
    );
    expect(gapLine("a.py", "late")).toBe(
      "Problems in a.py: not checked, since its language service did not answer in time.",
    );
  });

  it("is one line, with the first line of the message or all of it", () => {
    const long = problem("error", "No overload fits.\n  Overload 1 of 2.\n  'a' is missing.", "ts 2769");
    expect(problemLine(long)).toBe("src/a.ts:3:7 error: No overload fits. [ts 2769]");
    expect(wholeProblemLine(long)).toBe(
      "src/a.ts:3:7 error: No overload fits. Overload 1 of 2. 'a' is missing. [ts 2769]",
    );
  });

  it("names no source when there is none", () => {
    expect(problemLine(problem("hint", "Unused."))).toBe("src/a.ts:3:7 hint: Unused.");
  });

  it("is cut when its first line is long", () => {
    expect(problemLine(problem("warning", "w".repeat(301)))).toBe(`src/a.ts:3:7 warning: ${"w".repeat(300)}…`);
  });

  it("is grouped by file, the file with the worst problem first", () => {
    const at = (file: string, line: number, severity: Severity) => ({ ...problem(severity, "m"), file, line });
    const sorted = sortByFile([
      at("b.ts", 9, "error"),
      at("a.ts", 2, "warning"),
      at("b.ts", 3, "hint"),
      at("a.ts", 1, "warning"),
      at("c.ts", 1, "error"),
    ]);
    expect(sorted.map(({ file, line }) => `${file}:${line}`)).toEqual([
      "b.ts:3",
      "b.ts:9",
      "c.ts:1",
      "a.ts:1",
      "a.ts:2",
    ]);
  });

  it("counts by severity, the worst first", () => {
    expect(countProblems([problem("warning", "a"), problem("error", "b"), problem("warning", "c")])).toBe(
      "1 error, 2 warnings",
    );
    expect(countProblems([])).toBe("");
  });
});
