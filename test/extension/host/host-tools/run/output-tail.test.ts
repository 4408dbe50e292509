import { describe, expect, it } from "vitest";
import { OutputTail } from "../../../../../extension/host/host-tools/run/output-tail.ts";

function tailOf(...data: string[]): string {
  const output = new OutputTail(10);
  for (const one of data) output.add(one);
  return output.text();
}

describe("the end of a command's output", () => {
  it("is all of a short output", () => {
    expect(tailOf("one\n", "two\n\n")).toBe("one\ntwo");
    expect(tailOf()).toBe("(no output)");
  });

  it("says how long a longer output is", () => {
    expect(tailOf("1234567890", "abc")).toBe("[Only the end of 13 bytes.]\n4567890abc");
    expect(tailOf("x".repeat(100))).toBe("[Only the end of 100 bytes.]\nxxxxxxxxxx");
    expect(tailOf("x".repeat(100), "\n")).toBe("[Only the end of 101 bytes.]\nxxxxxxxxxx");
  });

  it("does not begin inside a character", () => {
    expect(tailOf("ääääää")).toBe("[Only the end of 12 bytes.]\nääääää".replace("ä", ""));
    expect(tailOf("1ääääää")).toBe("[Only the end of 13 bytes.]\näääää");
    expect(tailOf("日本語日本")).toBe("[Only the end of 15 bytes.]\n語日本");
  });
});

it("the end of very colorful output begins with a whole line, without part of a color code", () => {
  const output = new OutputTail(100);
  for (let line = 0; line < 50; line += 1) output.add("\u001b[38;5;123my\u001b[0m\n");
  expect(output.text()).toMatch(/^\[Only the end of 850 bytes\.\](\ny)+$/);
});
