import { describe, expect, it } from "vitest";
import { findName, isName, lastPart, plainName } from "../../../../../extension/host/host-tools/language/names.ts";

describe("a name in a text", () => {
  it.each([
    ["const all = [width, id];", "id", 20],
    ["static t() { return 1; }", "t", 7],
    ["class Data extends AbstractData {", "Data", 6],
    ["const $total = total + totals;", "total", 15],
    ["größe = grö", "grö", 8],
    ["const a = b;", "c", -1],
    ["const width = 1;", "id", -1],
    ["friend bool operator==(A a, A b);", "operator==", 12],
    ["anything", "", -1],
  ])("of %j is found as a word of its own: %s at %i", (text, name, at) => {
    expect(findName(text, name)).toBe(at);
  });

  it.each([
    ["$total", "total", true],
    ["width", "id", false],
    ["load", "load", true],
  ])("%s is the name %s: %s", (word, name, isIt) => {
    expect(isName(word, name)).toBe(isIt);
  });

  it("can be given with its container or a signature", () => {
    expect(["Store.load", "std::sort", "A#b", "plain"].map(lastPart)).toEqual(["load", "sort", "b", "plain"]);
    expect(["load()", "Map<K, V>", "plain"].map(plainName)).toEqual(["load", "Map", "plain"]);
  });
});
