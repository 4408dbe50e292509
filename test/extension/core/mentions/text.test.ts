import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  findMentions,
  formatMention,
  type MentionTarget,
  mentionAt,
} from "../../../../extension/core/mentions/mention-text.ts";

/** The mentions of a text as it would be written, each with what stands there. */
function found(text: string): string[] {
  return findMentions(text).map(({ start, end, target }) => {
    const what = "path" in target ? target.path : "name" in target ? `symbol ${target.name}` : target.kind;
    const lines =
      "lines" in target && target.lines !== undefined ? ` ${target.lines.startLine} to ${target.lines.endLine}` : "";
    return `${text.slice(start, end)} = ${what}${lines}`;
  });
}

describe("mentions in a text", () => {
  it.each([
    ["see @src/a.ts and @docs/", ["@src/a.ts = src/a.ts", "@docs/ = docs/"]],
    [
      "@a.ts:10-20 @a.ts:7 @a.ts:9-3",
      ["@a.ts:10-20 = a.ts 10 to 20", "@a.ts:7 = a.ts 7 to 7", "@a.ts:9-3 = a.ts 3 to 9"],
    ],
    ["@a.ts:0 @a.ts:", ["@a.ts:0 = a.ts:0", "@a.ts = a.ts"]],
    [
      '@"my file.ts":3-4 and @"a \\"b\\" \\\\c"',
      ['@"my file.ts":3-4 = my file.ts 3 to 4', '@"a \\"b\\" \\\\c" = a "b" \\c'],
    ],
    [
      "@problems @selection, @terminal. @git!",
      ["@problems = problems", "@selection = selection", "@terminal = terminal", "@git = git"],
    ],
    ['@./git @"problems"', ["@./git = ./git", '@"problems" = problems']],
    [
      '@symbol:Foo.bar and @symbol:"operator ()"',
      ["@symbol:Foo.bar = symbol Foo.bar", '@symbol:"operator ()" = symbol operator ()'],
    ],
    ["(see @src/a.ts), [@b] \"@c\" '@d'", ["@src/a.ts = src/a.ts", "@b = b", "@c = c", "@d = d"]],
    [
      "@app/(group)/page.tsx @app/[id] (@x(1))",
      ["@app/(group)/page.tsx = app/(group)/page.tsx", "@app/[id] = app/[id]", "@x(1) = x(1)"],
    ],
    ["look at @src/a.ts.", ["@src/a.ts = src/a.ts"]],
    ["请看@src/a.ts。谢谢", ["@src/a.ts = src/a.ts"]],
    ["me@example.org, a.b+c@d.e, x/@y, \\@z, #@w, @@v", []],
    ["a lone @ and @. and @:", []],
    ["`@a` ``@b ` @c`` @d ` @e", ["@d = d", "@e = e"]],
    ["```ts\n@a\n```\n@b\n~~~\n@c", ["@b = b"]],
    ["> ```\n> @a\n> ```\n@b", ["@b = b"]],
    ["`open\n\n@a` @b", ["@a = a", "@b = b"]],
    ["``` not `a` fence @a", ["@a = a"]],
    ["````\n```\n@a\n````\n@b", ["@b = b"]],
    ['@"never closed @src/a.ts', ["@src/a.ts = src/a.ts"]],
    ["one\r\n```\r\n@a\r\n```\r\n@b\r\n", ["@b = b"]],
  ])("%j has %j", (text, wanted) => {
    expect(found(text)).toEqual(wanted);
  });

  it("a text of many opening marks is read quickly", () => {
    const startedAt = performance.now();
    for (const part of ["@", '@"', "`@a", "@a)", " @(", "\n```", '@"\\']) findMentions(part.repeat(30_000));
    findMentions(`@${")".repeat(200_000)}`);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe("the mention at the caret", () => {
  // One sign for each place of the caret: a dot for none, else how long the query is.
  it.each([
    ["see @src/a.ts now", ".....012345678...."],
    ["@a b", ".01.."],
    ["me@ab.c", "........"],
    ["(@ab)", "..012."],
    ["@a.ts:10-2", ".0123444444"],
    ["`@a` @b", "......01"],
    ['@"a b" c', ".001233.."],
  ])("%s at every place", (text, wanted) => {
    const signs = Array.from({ length: text.length + 1 }, (_, caret) => mentionAt(text, caret)?.query.length ?? ".");
    expect(signs.join("")).toBe(wanted);
  });

  it("reaches to the caret and not beyond when a quote is open", () => {
    expect(mentionAt('@"my fi and more', 7)).toEqual({ start: 0, end: 7, query: "my fi" });
    expect(mentionAt('@"my fi\nmore', 9)).toBeUndefined();
    expect(mentionAt('@"open @src', 11)).toEqual({ start: 7, end: 11, query: "src" });
  });

  it("includes the end of a sentence while it is typed", () => {
    expect(mentionAt("see @src/a.", 11)).toEqual({ start: 4, end: 11, query: "src/a." });
  });

  it("separates lines after a path from the query", () => {
    expect(mentionAt("@a.ts:10-20", 11)).toEqual({
      start: 0,
      end: 11,
      query: "a.ts",
      lines: { startLine: 10, endLine: 20 },
    });
  });
});

describe("the range that a selected mention replaces", () => {
  it.each([
    ["see @sr| now", "@sr"],
    ["(@s|rc)", "@src"],
    ["@a:5-6|", "@a:5-6"],
    ['@"my f| x', '@"my f'],
  ])("in %s is %s", (marked, wanted) => {
    const text = marked.replace("|", "");
    const open = mentionAt(text, marked.indexOf("|"));
    expect(open && text.slice(open.start, open.end)).toBe(wanted);
  });
});

describe("written mentions", () => {
  const name = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
    .filter((text) => !/\p{Cc}|\p{Zl}|\p{Zp}/u.test(text));
  const tricky = fc
    .array(
      fc.constantFrom("a", "/", " ", '"', "\\", ":", "1", "-", ".", ")", "(", "`", "@", "git", "symbol:", "é", "。"),
      { minLength: 1, maxLength: 8 },
    )
    .map((parts) => parts.join(""));
  const line = fc.integer({ min: 1, max: 99_999 });
  const lines = fc.option(
    fc.tuple(line, line).map(([a, b]) => ({ startLine: Math.min(a, b), endLine: Math.max(a, b) })),
    { nil: undefined },
  );
  const target: fc.Arbitrary<MentionTarget> = fc.oneof(
    fc
      .record({ path: fc.oneof(name, tricky), lines })
      .map(({ path, lines }): MentionTarget => (lines ? { kind: "path", path, lines } : { kind: "path", path })),
    fc.oneof(name, tricky).map((name): MentionTarget => ({ kind: "symbol", name })),
  );

  it("are read as the same, between other words too", () => {
    fc.assert(
      fc.property(target, (wanted) => {
        const mention = formatMention(wanted);
        const mentions = findMentions(`see ${mention} now`);
        expect(mentions).toEqual([{ start: 4, end: 4 + mention.length, target: wanted }]);
      }),
      { numRuns: 1_000 },
    );
  });

  it("work for every text and caret position", () => {
    fc.assert(
      fc.property(fc.oneof(tricky, fc.string({ unit: "grapheme" })), fc.nat(40), (text, caret) => {
        const open = mentionAt(text, Math.min(caret, text.length));
        if (open === undefined) return;
        expect(text.charAt(open.start)).toBe("@");
        expect(open.end).toBeGreaterThanOrEqual(Math.min(caret, text.length));
        expect(open.end).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});
