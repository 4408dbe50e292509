import { describe, expect, it } from "vitest";
import { clipNesting, isNestedDeeper } from "../../agent/util/nesting.ts";

function chain(levels: number, end: unknown = 1): unknown {
  let value = end;
  for (let level = 0; level < levels; level++) value = { down: value };
  return value;
}

describe("clipNesting", () => {
  it("returns what is nested no deeper than it may be as it is", () => {
    const value = chain(200);
    expect(clipNesting(value)).toBe(value);
  });

  it("puts a note in place of what is deeper", () => {
    expect(clipNesting({ a: [{ b: { c: 1 } }], d: 2 }, 3)).toEqual({
      a: [{ b: "[left out: nested too deeply]" }],
      d: 2,
    });
  });

  it("takes a value that is a hundred thousand levels deep", () => {
    expect(isNestedDeeper(chain(100_000))).toBe(true);
    expect(JSON.stringify(clipNesting(chain(100_000)))).toContain("nested too deeply");
  });

  it("leaves a value that contains itself to whoever writes it", () => {
    const value: Record<string, unknown> = { name: "self" };
    value.left = value;
    value.right = [value];
    expect(clipNesting(value)).toBe(value);
  });

  it("looks at a part that is used many times only once", () => {
    let value: unknown = { end: true };
    for (let level = 0; level < 300; level++) value = { left: value, right: value };
    expect(isNestedDeeper(value)).toBe(true);
    expect(clipNesting(value)).toMatchObject({ left: { right: {} } });
  });

  it("leaves a value with a getter that throws to whoever writes it", () => {
    const value = {
      get x() {
        throw new Error("no");
      },
    };
    expect(clipNesting(value)).toBe(value);
    expect(JSON.stringify(clipNesting({ value, deep: chain(300) }))).toContain("nested too deeply");
  });
});
