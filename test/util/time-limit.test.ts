import { describe, expect, it } from "vitest";
import { createTimeLimit } from "../../agent/util/time-limit.ts";

describe("createTimeLimit", () => {
  it("lets work finish in time", () => {
    const seen: number[] = [];
    const run = createTimeLimit(1000);
    for (const value of [1, 2, 3]) expect(run(() => void seen.push(value))).toBe(true);
    expect(seen).toEqual([1, 2, 3]);
  });

  it("stops endless work, and continues with the next", () => {
    const run = createTimeLimit(50);
    const startedAt = performance.now();
    expect(run(() => void /^(a+)+$/.test(`${"a".repeat(60)}b`))).toBe(false);
    expect(
      run(() => {
        for (;;);
      }),
    ).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(run(() => undefined)).toBe(true);
  });

  it("has no result when the work throws", () => {
    const run = createTimeLimit(1000);
    expect(
      run(() => {
        throw new Error("no");
      }),
    ).toBe(false);
  });

  it("restarts work that was blocked before it did anything", () => {
    const cell = new Int32Array(new SharedArrayBuffer(4));
    let tries = 0;
    const run = createTimeLimit(100);
    const work = () => {
      if (tries++ === 0) Atomics.wait(cell, 0, 0, 400);
      for (let count = 0; count < 10; count++);
    };
    expect(run(work)).toBe(true);
    expect(tries).toBe(2);
  });
});
