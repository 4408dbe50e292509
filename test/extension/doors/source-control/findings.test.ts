import { describe, expect, test } from "vitest";
import { findFindings } from "../../../../extension/doors/source-control/findings.ts";

describe("findings in an answer", () => {
  test("are list items that begin with a place, with the lines below them", () => {
    const answer = `I read the changes.

- src/a.ts:12: error: Divides by zero.
  An empty list crashes the page.
- \`my file.ts:3-5\`: note: The name says nothing.
1. **lib/b.ts:7** (warning): Never closed.
- [web/c.ts:9](web/c.ts#L9): Left over.

Nothing else at src/d.ts:1.`;
    expect(findFindings(answer)).toEqual([
      {
        path: "src/a.ts",
        startLine: 12,
        endLine: 12,
        severity: "error",
        message: "Divides by zero.\nAn empty list crashes the page.",
      },
      { path: "my file.ts", startLine: 3, endLine: 5, severity: "note", message: "The name says nothing." },
      { path: "lib/b.ts", startLine: 7, endLine: 7, severity: "warning", message: "Never closed." },
      { path: "web/c.ts", startLine: 9, endLine: 9, severity: "warning", message: "Left over." },
    ]);
  });

  test("do not come from other items, lines from zero, or items without words", () => {
    expect(findFindings("- Add a test\n- at 12:30\n- a.ts:0: error: x\n- a.ts:3\n- http://a:80/ is down")).toEqual([]);
  });

  test("have no images, which the editor would fetch", () => {
    const answer = "- a.ts:1: See ![this](https://evil.example/?x=1)\n  and ![that][1].";
    expect(findFindings(answer)[0]?.message).toBe("See [this](https://evil.example/?x=1)\nand [that][1].");
  });

  test("are found in linear time in a hostile answer", () => {
    const answer = [`- ${"*`[".repeat(50_000)}`, `- ${"a ".repeat(1_900)}`, `- ${"a:".repeat(1_900)}`].join("\n");
    const started = performance.now();
    expect(findFindings(answer)).toEqual([]);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
