import { describe, expect, test } from "vitest";
import { nextTitle, titleWords } from "../../../../extension/core/mentions/title-words.ts";

describe("titleWords", () => {
  test("keeps a plain message, on one line", () => {
    expect(titleWords("Fix the\n  parser")).toBe("Fix the parser");
  });

  test("writes the names of what is mentioned", () => {
    expect(titleWords('Compare @src/log.ts:3-20 with @"my notes/to do.md" and @problems')).toBe(
      "Compare log.ts with to do.md and problems",
    );
    expect(titleWords("@src/parser/ is slow")).toBe("parser/ is slow");
    expect(titleWords("Ask me@example.org")).toBe("Ask me@example.org");
  });

  test("leaves out Markdown, tags and attachments", () => {
    expect(titleWords("## **Fix** the `parser`, see [the docs](https://example.org)")).toBe(
      "Fix the parser, see the docs",
    );
    expect(titleWords("<task>Fix it</task> if a < b and c > d")).toBe("Fix it if a < b and c > d");
    expect(titleWords('Boil <attached key="0123456789abcdef"> What is attached here is')).toBe("Boil");
    expect(titleWords("keep __init__ and snake_case")).toBe("keep __init__ and snake_case");
  });

  test("prefers what is said to a block of code, but takes the code when there is nothing else", () => {
    expect(titleWords("```js\nlet a = 1;\n```\nWhy does this fail?")).toBe("Why does this fail?");
    expect(titleWords("```\nlet a = 1;\n```")).toBe("let a = 1;");
    expect(titleWords("Why? ``` cut off here")).toBe("Why?");
  });

  test("cuts a long message between two words, and never a character in half", () => {
    const title = titleWords(`${"word ".repeat(40)}`) ?? "";
    expect(title).toBe(`${"word ".repeat(16).trim()}…`);
    expect(titleWords(`a${"🎈".repeat(60)}`)).toBe(`a${"🎈".repeat(39)}…`);
  });

  test("is undefined when nothing is said", () => {
    expect(titleWords(" \n ")).toBeUndefined();
    expect(titleWords('<attached key="0123456789abcdef">\n')).toBeUndefined();
  });
});

describe("nextTitle", () => {
  test("is the next number after those of equal titles", () => {
    expect(nextTitle("Fix it", ["Fix it"])).toBe("Fix it (2)");
    expect(nextTitle("Fix it (2)", ["Fix it", "Fix it (2)", "Fix it (7)", "Other (9)"])).toBe("Fix it (8)");
  });

  test("is undefined for a title that is the only one", () => {
    expect(nextTitle("Fix it", ["Fix it all", "Break it"])).toBeUndefined();
  });
});
