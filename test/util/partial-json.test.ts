import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_NESTING } from "../../agent/util/nesting.ts";
import { parseObject, parsePartialObject } from "../../agent/util/partial-json.ts";

describe("parsePartialObject", () => {
  it.each([
    ["", {}],
    ["{", {}],
    ['{"a', {}],
    ['{"a":', {}],
    ['{"a":"x', { a: "x" }],
    ['{"a":"x\\', { a: "x" }],
    ['{"a":"x","b":[1,2', { a: "x", b: [1, 2] }],
    ['{"a":{"b":"c"},"d":tr', { a: { b: "c" } }],
    ['{"edits":[{"oldText":"a","newText":"b', { edits: [{ oldText: "a", newText: "b" }] }],
    ['{"a":[1,{"b":2}],"c', { a: [1, { b: 2 }] }],
    ['{"a":[{"b":[2]}]x', { a: [{ b: [] }] }],
    ["[1]", {}],
  ])("reads %s as far as possible", (text, expected) => {
    expect(parsePartialObject(text)).toEqual(expected);
  });

  it("reads nested brackets in linear time, and returns nothing for too many", () => {
    expect(parsePartialObject(`{"a":${"[".repeat(MAX_NESTING - 1)}`)).toHaveProperty("a");
    expect(parsePartialObject(`{"a":${"[".repeat(200_000)}`)).toEqual({});
  });

  it("returns an object for every start of every JSON object, and all of it for the whole", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, cut) => {
        const text = JSON.stringify(value);
        expect(parsePartialObject(text.slice(0, cut % (text.length + 1)))).toBeTypeOf("object");
        expect(parsePartialObject(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe("parseObject", () => {
  it("accepts only objects, and nothing for an empty text", () => {
    expect([parseObject(""), parseObject('{"a":1}'), parseObject("[]"), parseObject("{")]).toEqual([
      {},
      { a: 1 },
      undefined,
      undefined,
    ]);
  });
});
