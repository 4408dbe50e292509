import { describe, expect, test } from "vitest";
import { ReplayPlayer, type ReplaySpeed } from "../../../../extension/features/trace-view/replay-player.ts";

/** A player with a clock that a test moves, for entries at these times of the trace. */
function playerFor(times: readonly number[], speed: ReplaySpeed) {
  let now = 0;
  let due: { callback: () => void; at: number } | undefined;
  const taken: number[] = [];
  const entries = times.map((at, index) => ({ seq: index + 1, at, direction: "in" as const, text: "{}", size: 2 }));
  const player = new ReplayPlayer(speed, {
    entries,
    apply: ({ seq }) => taken.push(seq),
    changed: () => {},
    schedule: (callback, delayMs) => {
      const mine = { callback, at: now + delayMs };
      due = mine;
      return () => {
        if (due === mine) due = undefined;
      };
    },
    now: () => now,
  });
  /** Advances the clock. */
  const pass = (ms: number) => {
    const end = now + ms;
    for (let next = due; next !== undefined && next.at <= end; next = due) {
      due = undefined;
      now = next.at;
      next.callback();
    }
    now = end;
  };
  return { player, taken, pass };
}

describe("a replay", () => {
  test("keeps the original timing, and shortens long pauses", () => {
    const { player, taken, pass } = playerFor([1_000, 1_500, 1_500, 90_000], 1);
    player.play();
    pass(0);
    expect(taken).toEqual([1]);
    pass(499);
    expect(taken).toEqual([1]);
    pass(2);
    expect(taken).toEqual([1, 2, 3]);
    pass(2_000);
    expect(taken).toEqual([1, 2, 3, 4]);
    expect(player.progress).toBe(1);
  });

  test("plays everything at once in slices, in order", () => {
    const { player, taken, pass } = playerFor(
      Array.from({ length: 1_200 }, (_, index) => index * 1_000),
      Number.POSITIVE_INFINITY,
    );
    player.play();
    pass(0);
    expect(taken).toHaveLength(1_200);
    expect(taken.at(-1)).toBe(1_200);
  });

  test("stops, continues, and changes its speed", () => {
    const { player, taken, pass } = playerFor([0, 1_000, 2_000, 3_000], 1);
    player.play();
    pass(1_100);
    player.pause();
    pass(60_000);
    expect(taken).toEqual([1, 2]);
    player.play();
    player.setSpeed(10);
    pass(95);
    expect(taken).toEqual([1, 2, 3]);
    player.setSpeed(Number.POSITIVE_INFINITY);
    pass(0);
    expect(taken).toEqual([1, 2, 3, 4]);
    player.dispose();
  });

  test("ends for a trace whose clock went backwards", () => {
    const { player, taken, pass } = playerFor([5_000, 1_000, 1_010], 1);
    player.play();
    pass(20);
    expect(taken).toEqual([1, 2, 3]);
  });
});
