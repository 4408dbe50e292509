import { describe, expect, it } from "vitest";
import { changedStretch } from "../../../../extension/host/host-tools/changed-stretch.ts";

describe("changedStretch", () => {
  it.each([
    ["the same", "the same", { start: 8, end: 8, newText: "" }],
    ["", "new", { start: 0, end: 0, newText: "new" }],
    ["one two three", "one 2 three", { start: 4, end: 7, newText: "2" }],
    ["aa", "aaa", { start: 2, end: 2, newText: "a" }],
    ["a😀b", "a😁b", { start: 1, end: 3, newText: "😁" }],
    ["\u{1f600}", "\u{2f600}", { start: 0, end: 2, newText: "\u{2f600}" }],
  ])("of %j and %j is the shortest without half a character", (before, after, expected) => {
    expect(changedStretch(before, after)).toEqual(expected);
  });
});
