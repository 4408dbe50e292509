import { describe, expect, it } from "vitest";
import { matchesPiece, TextWindow } from "../../agent/loop/text-window.ts";

/** True when a pattern is found in a text that arrives in pieces; it is searched after each. */
function isFound(pattern: RegExp, portions: readonly string[]): boolean {
  const window = new TextWindow();
  const look = () => [...window.pieces()].some((piece) => matchesPiece(pattern, piece));
  for (const portion of portions) {
    window.add(portion);
    if (look()) return true;
  }
  window.end();
  return look();
}

/** Returns the results for every way to split a text in two, and for single characters. */
function outcomes(pattern: RegExp, text: string): boolean[] {
  const units = text.split("");
  const cuts = units.map((_, at) => [text.slice(0, at), text.slice(at)]);
  return [...new Set([[text], units, ...cuts].map((portions) => isFound(pattern, portions)))];
}

describe("a streamed text", () => {
  it.each<[RegExp, string, boolean]>([
    [/console\.log/g, "a console.log(1)", true],
    [/console\.log/g, "a console .log(1)", false],
    [/\bany\b/g, "is anything here", false],
    [/\bany\b/g, "const x: any", true],
    [/^import/g, "an import", false],
    [/^import/gm, "an\nimport x", true],
    [/push$/g, "git push --force", false],
    [/push$/g, "git push", true],
    [/foo.*bar/g, "foo and then bar", true],
    [/naïve 😀/gu, "how naïve 😀!", true],
    [/[😀😁]/gu, "is it \u{1F601}?", true],
    [/^.$/gu, "😀", true],
    [/x{600,}/g, "x".repeat(620), true],
    [/.*/g, "", true],
    [/a+b/g, "", false],
  ])("%s in %j: %s, wherever it is split", (pattern, text, expected) => {
    expect(outcomes(pattern, text)).toEqual([expected]);
  });

  it("is searched everywhere, however long it is", () => {
    for (const before of [0, 1, 999, 1000, 1001, 1100, 2099, 2100, 2101, 5000]) {
      const text = `${"-".repeat(before)}needle${"-".repeat(3000)}`;
      expect(isFound(/needle/g, [text])).toBe(true);
      expect(isFound(/needle/g, text.split(/(?<=^.{700}|^.{1400})/s))).toBe(true);
    }
  });

  it("has one beginning, and lines only where they begin", () => {
    const long = "x".repeat(1700);
    expect(isFound(/^x/g, [`y${long}`, long, long])).toBe(false);
    expect(isFound(/^x/gm, [`y${long}`, long, long])).toBe(false);
    expect(isFound(/^x/gm, [`y${long}`, `${long}\nx`, long])).toBe(true);
  });

  it("drops a match that is longer than the kept part", () => {
    expect(isFound(/begin[\s\S]*end/g, ["begin", "-".repeat(900), "end."])).toBe(true);
    expect(isFound(/begin[\s\S]*?end/g, ["begin", "-".repeat(5000), "end."])).toBe(false);
  });

  it("is searched in linear time, in any number of pieces", () => {
    const window = new TextWindow();
    let looked = 0;
    for (let count = 0; count < 10_000; count++) {
      window.add("ten chars.");
      for (const { text, from } of window.pieces()) looked += text.length - from;
    }
    expect(looked).toBeLessThan(10_000 * 1100);
  });
});
