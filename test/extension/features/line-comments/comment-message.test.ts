import { describe, expect, test } from "vitest";
import { composeComments, type LineComment } from "../../../../extension/features/line-comments/comment-message.ts";

function comment(changes: Partial<LineComment>): LineComment {
  return { path: "src/a.ts", startLine: 3, endLine: 3, quote: "", state: "here", text: "Why?", ...changes };
}

describe("composeComments", () => {
  test("names the place, quotes the line, and keeps the comment's own lines", () => {
    const text = composeComments([comment({ quote: "  let a = 1;", text: "Rename it.\n\n- to total\n" })]);
    expect(text).toBe("My comment on this line:\n\n- @src/a.ts:3 `let a = 1;`\n  Rename it.\n\n  - to total");
  });

  test("collects several, and says which lines are old and which files are gone", () => {
    const text = composeComments([
      comment({ endLine: 9, state: "before" }),
      comment({ path: "my notes.md", state: "gone", text: "Keep this." }),
    ]);
    expect(text).toBe(
      'My comments on these lines:\n\n- @src/a.ts:3-9 (before your changes)\n  Why?\n\n- @"my notes.md":3 (deleted since)\n  Keep this.',
    );
  });

  test("leaves out a quote that would break the message, and cuts a long one", () => {
    expect(composeComments([comment({ quote: "a `b`" })])).toContain("- @src/a.ts:3\n");
    expect(composeComments([comment({ quote: "x".repeat(500) })])).toContain(`\`${"x".repeat(160)}…\``);
  });
});
