import { describe, expect, it } from "vitest";
import { createLineSearch, type Wanted } from "../../../../../extension/host/host-tools/search/line-search.ts";

const search = (text: string, more: Partial<Wanted> = {}) =>
  createLineSearch({ text, isRegex: false, ignoreCase: false, ...more });
const linesIn = (text: string, wanted: string, more?: Partial<Wanted>) =>
  search(wanted, more).linesIn(text, 100, "a.ts");

describe("linesIn", () => {
  it("numbers lines with any line ending, and trims them", () => {
    expect(linesIn("one\r\n\ttwo \rthree\ntwo", "two")).toEqual([
      { line: 2, text: "two" },
      { line: 4, text: "two" },
    ]);
  });

  it.each(["a.b", "(", "[x]", "a|b", "$1", "^", "a-b", "\\d", "{2}", "/*"])("takes %j as it is written", (text) => {
    expect(linesIn(`before\n${text}\nafter`, text)).toEqual([{ line: 2, text }]);
    expect(linesIn("axb x 11 b", text)).toEqual([]);
  });

  it("finds a regular expression within a line, and ignores case when that does not matter", () => {
    expect(linesIn("let a;\nconst b;\nCONST c;", "^(?:let|const) \\w;$", { isRegex: true })).toEqual([
      { line: 1, text: "let a;" },
      { line: 2, text: "const b;" },
    ]);
    expect(linesIn("Größe\nGRÖSSE\ngröße", "GRÖßE", { ignoreCase: true })).toHaveLength(2);
  });

  it("shows the surroundings of the match in a long line", () => {
    const line = `${"before ".repeat(100)}here${" after".repeat(100)}`;
    const [found] = linesIn(line, "here");
    expect(found?.text).toMatch(/^….{40,60} here after .*…$/);
    expect(found?.text.length).toBeLessThanOrEqual(202);
  });

  it("stops at the wanted number of lines", () => {
    expect(search("a").linesIn("a\na\na", 2, "a.ts")).toHaveLength(2);
    expect(search("a").linesIn("a\na\na", 0, "a.ts")).toEqual([]);
  });

  it("says what to do about a text of several lines", () => {
    expect(() => search("one\ntwo")).toThrow("Each line is searched by itself. Search for part of one line.");
  });

  it("says what to do about an invalid expression, and one that never ends", () => {
    expect(() => search("(", { isRegex: true })).toThrow(/Unterminated group.*leave isRegex away/);
    const endless = search("^(?:a+)+$", { isRegex: true });
    expect(() => endless.linesIn(`${"a".repeat(40)}b`, 10, "src/a.ts")).toThrow(
      "The pattern takes too long on src/a.ts. Make it simpler, or search for plain text.",
    );
    expect(endless.linesIn("aaa", 10, "src/a.ts")).toEqual([{ line: 1, text: "aaa" }]);
  });
});

describe("mayBeIn", () => {
  it("rules out only files that cannot contain the text", () => {
    const bytes = Buffer.from("some text");
    expect(search("some").mayBeIn(bytes)).toBe(true);
    expect(search("none").mayBeIn(bytes)).toBe(false);
    expect(search("none").mayBeIn(Buffer.from("none", "utf16le"))).toBe(true);
    expect(search("größe").mayBeIn(bytes)).toBe(true);
    expect(search("NONE", { ignoreCase: true }).mayBeIn(bytes)).toBe(true);
    expect(search("n.ne", { isRegex: true }).mayBeIn(bytes)).toBe(true);
  });
});
