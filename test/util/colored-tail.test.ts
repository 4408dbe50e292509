import { describe, expect, it } from "vitest";
import { ColoredTail } from "../../agent/util/colored-tail.ts";
import { OutputCollector } from "../../agent/util/output-collector.ts";
import { withoutColors } from "../../agent/util/terminal-text.ts";

const SAMPLE =
  "plain ü😀\r\n\x1b[31mred\x1b[0m \x1b]0;title\x07end\x1b[2J\n\x1b[32m10%\x1b[0m\r\x1b[33m20%\r\x1b[K\x1b[1;38:2::1:2:3m30%\x1b[0m\n\x1b[999Cx\x07\n";
const COLORED = "plain ü😀\n\x1b[31mred\x1b[0m end\n\x1b[32m10%\x1b[0m\n\x1b[1;38:2::1:2:3m30%\x1b[0m\nx\n";

function tailOf(...chunks: readonly (Buffer | string)[]): string | undefined {
  const tail = new ColoredTail();
  for (const chunk of chunks) tail.push(Buffer.from(chunk));
  tail.end();
  return tail.text;
}

describe("ColoredTail", () => {
  it("keeps what sets colors and no other sequence, wherever the bytes are split", () => {
    const bytes = Buffer.from(SAMPLE);
    for (let at = 0; at <= bytes.length; at++) expect(tailOf(bytes.subarray(0, at), bytes.subarray(at))).toBe(COLORED);
  });

  it("has the text of the plain output", async () => {
    const plain = new OutputCollector();
    plain.push(Buffer.from(SAMPLE));
    expect(withoutColors(COLORED)).toBe((await plain.finish()).text);
  });

  it("is undefined without colors, so that most results are as short as before", () => {
    expect(tailOf("one\n\x1b[2Jtwo\n")).toBeUndefined();
    expect(tailOf("")).toBeUndefined();
  });

  it("keeps the end of a long output, from the start of a line", () => {
    const text = tailOf(...Array.from({ length: 1000 }, (_, index) => `\x1b[32mline ${index}\x1b[0m\n`)) ?? "";
    expect(text.length).toBeLessThanOrEqual(8_000);
    expect(text.length).toBeGreaterThan(7_000);
    expect(text.startsWith("\x1b[32mline ")).toBe(true);
    expect(text.endsWith("\x1b[32mline 999\x1b[0m\n")).toBe(true);
    expect(tailOf(`\x1b[31m${"x".repeat(9_000)}`)).toBeUndefined();
  });

  it("keeps no sequence that is longer than programs write", () => {
    expect(tailOf(`\x1b[${"1;".repeat(100)}ma\x1b[1mb`)).toBe("a\x1b[1mb");
  });
});
