import { describe, expect, test } from "vitest";
import { afterCrash, type CrashHistory, NO_CRASHES } from "../../../../extension/core/connection/restart-policy.ts";

/** The delays after crashes of agents that were up from and until the given seconds. */
function delays(lives: readonly (readonly [startedAt: number, crashedAt: number])[]): (number | undefined)[] {
  let history: CrashHistory = NO_CRASHES;
  return lives.map(([startedAt, crashedAt]) => {
    const decision = afterCrash(history, { startedAt: startedAt * 1000, now: crashedAt * 1000 });
    history = decision.history;
    return decision.delayMs;
  });
}

describe("afterCrash", () => {
  test("stops after three crashes within a minute", () => {
    expect(
      delays([
        [0, 0],
        [1, 1],
        [3, 3],
      ]),
    ).toEqual([1000, 2000, undefined]);
  });

  test("doubles the delay up to 8 s for crashes further apart", () => {
    expect(
      delays([
        [0, 31],
        [32, 62],
        [64, 94],
        [98, 128],
        [136, 166],
        [174, 204],
      ]),
    ).toEqual([1000, 2000, 4000, 8000, 8000, 8000]);
  });

  test("forgets crashes after a healthy minute, but not after a restart", () => {
    expect(
      delays([
        [0, 0],
        [1, 60.9],
        [62, 122],
        [123, 124],
      ]),
    ).toEqual([1000, 2000, 1000, 2000]);
  });
});
