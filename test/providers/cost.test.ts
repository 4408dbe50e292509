import { describe, expect, test } from "vitest";
import { toUsage } from "../../agent/providers/cost.ts";
import { modelAt } from "./collect.ts";

describe("toUsage", () => {
  test("adds up tokens and their price in dollars", () => {
    const tokens = { input: 1_000_000, output: 500_000, cacheRead: 1_000_000, cacheWrite: 200_000, reasoning: 7 };
    expect(toUsage(tokens, modelAt("claude-opus-5-5", ""))).toEqual({
      input: 1_000_000,
      output: 500_000,
      cacheRead: 1_000_000,
      cacheWrite: 200_000,
      totalTokens: 2_700_000,
      reasoning: 7,
      cost: { input: 4, output: 10, cacheRead: 0.2, cacheWrite: 1, total: 15.2 },
    });
  });

  test("adds the price of searches to the total", () => {
    const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, webSearches: 3 };
    expect(toUsage(tokens, modelAt("claude-opus-5-5", ""))).toMatchObject({ webSearches: 3, cost: { total: 0.03 } });
  });

  test("takes twice the price of input for what is kept for an hour", () => {
    const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 1_000_000 };
    const opus = modelAt("claude-opus-5-5", "");
    expect(toUsage({ ...tokens, cacheWriteHour: 1_000_000 }, opus).cost.cacheWrite).toBe(8);
    expect(toUsage({ ...tokens, cacheWriteHour: 200_000 }, opus).cost.cacheWrite).toBeCloseTo(5.6);
    expect(toUsage({ ...tokens, cacheWriteHour: 200_000 }, opus).cacheWrite).toBe(1_000_000);
  });

  test("uses the higher price for the whole request when the prompt is long", () => {
    const haiku = modelAt("claude-haiku-5-5", "");
    const tokens = { output: 1_000_000, cacheRead: 60_000, cacheWrite: 0 };
    expect(toUsage({ ...tokens, input: 40_000 }, haiku).cost.output).toBe(0.5);
    expect(toUsage({ ...tokens, input: 40_001 }, haiku).cost.output).toBe(2.5);
  });
});
