import { describe, expect, it } from "vitest";
import { createRedactor, KEEP_SECRETS } from "../../agent/util/redact.ts";

const CASES: readonly (readonly [text: string, shown: string, count: number])[] = [
  ["no secret here", "no secret here", 0],
  ["key=sk-ant-api03-AbCdEf_123-456", "key=[redacted]", 1],
  ["ask-me-anything-about-it-please", "ask-me-anything-about-it-please", 0],
  ["token ghp_0123456789abcdefghij.", "token [redacted].", 1],
  ["AKIAIOSFODNN7EXAMPLE AKIAIOSFODNN7EXAMPLE", "[redacted] [redacted]", 1],
  ["Authorization: Bearer abc123DEF456", "Authorization: Bearer [redacted]", 1],
  ["the bearer of good news", "the bearer of good news", 0],
  ["my-known-value and my-known", "[redacted] and my-known", 1],
  ["sk-0123456789abcdef0123 and glpat-0123456789abcdef", "[redacted] and [redacted]", 2],
];

describe("a redactor", () => {
  it.each(CASES)("makes of %j the text %j and counts %i", (text, shown, count) => {
    const { redact, count: counted } = createRedactor(["my-known-value", "short"]);
    expect(redact(text)).toBe(shown);
    expect(counted()).toBe(count);
  });

  it("counts a secret once, however often it occurs", () => {
    const redactor = createRedactor([]);
    for (const text of ["sk-0123456789abcdef0123", "x sk-0123456789abcdef0123"]) redactor.redact(text);
    expect(redactor.count()).toBe(1);
  });

  it("that keeps secrets changes nothing", () => {
    expect(KEEP_SECRETS.redact("sk-0123456789abcdef0123")).toBe("sk-0123456789abcdef0123");
    expect(KEEP_SECRETS.count()).toBe(0);
  });
});
