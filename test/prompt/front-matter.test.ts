import { describe, expect, it } from "vitest";
import { readHeader, splitFrontMatter } from "../../agent/prompt/front-matter.ts";

describe("splitFrontMatter", () => {
  it.each([
    ["---\na: 1\n---\nBody\n", { header: "a: 1", body: "Body" }],
    ["\uFEFF---\r\na: 1\r\n---\r\n\r\nBody\r\n", { header: "a: 1\r", body: "Body" }],
    ["---\n---\nBody", { header: "", body: "Body" }],
    ["---\na: 1\n---", { header: "a: 1", body: "" }],
    ["---\nnever closed", { header: undefined, body: "---\nnever closed" }],
    ["Text\n---\na: 1\n---\n", { header: undefined, body: "Text\n---\na: 1\n---" }],
  ])("splits %j", (text, parts) => {
    expect(splitFrontMatter(text)).toEqual(parts);
  });
});

describe("readHeader", () => {
  it("reads YAML", async () => {
    expect(await readHeader("description: >-\n  two\n  lines\nflag: true")).toEqual({
      fields: { description: "two lines", flag: true },
    });
  });

  it("reads invalid YAML line by line and says so", async () => {
    const { fields, problem } = await readHeader(
      "description: Use when: tests fail\nargument-hint: [file] [line]\n - x",
    );
    expect(fields).toEqual({ description: "Use when: tests fail", "argument-hint": "[file] [line]" });
    expect(problem).toContain("isn't valid YAML");
  });

  it("refuses aliases that would grow without end", async () => {
    const layers = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let layer = 1; layer < 9; layer++) layers.push(`a${layer}: &a${layer} [${`*a${layer - 1}, `.repeat(10)}]`);
    expect((await readHeader(layers.join("\n"))).problem).toContain("isn't valid YAML");
  });

  it("ignores an oversized header", async () => {
    expect(await readHeader(`a: ${"x".repeat(20_000)}`)).toMatchObject({ fields: {} });
  });
});
