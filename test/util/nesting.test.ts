import { describe, expect, it } from "vitest";
import { clipNesting, isNestedDeeper } from "../../agent/util/nesting.ts";

function chain(levels: number, end: unknown = 1): unknown {
  let value = end;
  for (let level = 0; level < levels; level++) value = { down: value };
  return value;
}

describe("clipNesting", () => {
  it("returns values within the limit unchanged", () => {
    const value = chain(200);
    expect(clipNesting(value)).toBe(value);
  });

  it("puts a note in place of deeper values", () => {
    expect(clipNesting({ a: [{ b: { c: 1 } }], d: 2 }, 3)).toEqual({
      a: [{ b: "[left out: nested too deeply]" }],
      d: 2,
    });
  });

  it("accepts a value that is a hundred thousand levels deep", () => {
    expect(isNestedDeeper(chain(100_000))).toBe(true);
    expect(JSON.stringify(clipNesting(chain(100_000)))).toContain("nested too deeply");
  });

  it("leaves circular values to the serializer", () => {
    const value: Record<string, unknown> = { name: "self" };
    value.left = value;
    value.right = [value];
    expect(clipNesting(value)).toBe(value);
  });

  it("visits a shared part only once", () => {
    let value: unknown = { end: true };
    for (let level = 0; level < 300; level++) value = { left: value, right: value };
    expect(isNestedDeeper(value)).toBe(true);
    expect(clipNesting(value)).toMatchObject({ left: { right: {} } });
  });

  it("leaves a value with a getter that throws to the serializer", () => {
    const value = {
      get x() {
        throw new Error("no");
      },
    };
    expect(clipNesting(value)).toBe(value);
    expect(JSON.stringify(clipNesting({ value, deep: chain(300) }))).toContain("nested too deeply");
  });
});
