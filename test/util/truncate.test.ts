import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatSize, truncateHead, truncateTail } from "../../agent/util/truncate.ts";

const anyText = fc.string({ unit: fc.constantFrom("a", "ä", "€", "😀", "\n", "\r"), maxLength: 60 });
const anyLimits = fc.record({ maxLines: fc.integer({ min: 1, max: 6 }), maxBytes: fc.integer({ min: 4, max: 40 }) });

describe("truncation", () => {
  it("keeps any text within both limits, from the right end, and reports true numbers", () => {
    fc.assert(
      fc.property(anyText, anyLimits, (text, limits) => {
        for (const truncate of [truncateHead, truncateTail]) {
          const { content, truncation } = truncate(text, limits);
          const bytes = Buffer.byteLength(content);
          expect(bytes).toBeLessThanOrEqual(limits.maxBytes);
          expect(truncation.outputBytes).toBe(bytes);
          expect(truncation.outputLines).toBeLessThanOrEqual(limits.maxLines);
          expect(truncation.truncated).toBe(content !== text);
          expect(content).not.toContain("\ufffd");
          const body = text.endsWith("\n") ? text.slice(0, -1) : text;
          if (truncation.truncated)
            expect(truncate === truncateHead ? body.startsWith(content) : body.endsWith(content)).toBe(true);
        }
      }),
    );
  });

  it("keeps the first whole lines", () => {
    expect(truncateHead("a\nb\nc\n", { maxLines: 2, maxBytes: 100 })).toEqual({
      content: "a\nb",
      truncation: {
        truncated: true,
        truncatedBy: "lines",
        totalLines: 3,
        totalBytes: 6,
        outputLines: 2,
        outputBytes: 3,
        lastLinePartial: false,
        firstLineExceedsLimit: false,
        maxLines: 2,
        maxBytes: 100,
      },
    });
  });

  it("keeps the end of a long last line, from a whole character on", () => {
    const { content, truncation } = truncateTail("a\n€€€", { maxLines: 5, maxBytes: 7 });
    expect([content, truncation.lastLinePartial, truncation.outputBytes]).toEqual(["€€", true, 6]);
  });

  it("formats sizes with the fitting unit", () => {
    expect([812, 51_200, 1_572_864].map(formatSize)).toEqual(["812B", "50.0KB", "1.5MB"]);
  });
});
