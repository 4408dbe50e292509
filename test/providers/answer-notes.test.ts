import { describe, expect, test } from "vitest";
import { sourceLinks, workLine } from "../../agent/providers/answer-notes.ts";

describe("sourceLinks", () => {
  test("lists each page once, by its title or its host, as text that is no Markdown", () => {
    const sources = [
      { url: "https://a.example/x_(y)", title: "A [b](https://evil.example) *c*\nd" },
      { url: "https://a.example/x_(y)", title: "again" },
      { url: "https://b.example/", title: null },
    ];
    expect(sourceLinks(sources, "")).toBe(
      "\n\nSources: [A \\[b\\](https://evil.example) \\*c\\* d](https://a.example/x_%28y%29), [b.example](https://b.example/)",
    );
  });

  test("leaves out what the text links already, and what is no page of the web", () => {
    const sources = [{ url: "https://a.example/" }, { url: "javascript:alert(1)" }, { url: "https://" }];
    expect(sourceLinks(sources, "See [A](https://a.example/).")).toBeUndefined();
  });
});

describe("workLine", () => {
  test("is one line of a quote, and not too long", () => {
    expect(workLine("Searched:\n# a")).toBe("\n\n> Searched: \\# a");
    expect(workLine("x".repeat(500))).toHaveLength(4 + 201);
  });
});
