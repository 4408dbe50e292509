import { describe, expect, test } from "vitest";
import { followColumn } from "../../../../extension/features/follow/follow-column.ts";
import { Follower, type FollowState } from "../../../../extension/features/follow/follower.ts";

/** A follower whose places are shown when the test says so. */
function followFrom(isOn: boolean) {
  const shown: string[] = [];
  const states: FollowState[] = [];
  const waiting: (() => void)[] = [];
  let expected = 0;
  let told = () => {};
  const follower = new Follower<string>(isOn, {
    intervalMs: 0,
    changed: (state) => states.push(state),
    show: (place) => {
      shown.push(place);
      if (shown.length === expected) told();
      return new Promise((resolve) => waiting.push(resolve));
    },
  });
  return {
    follower,
    shown,
    states,
    /** Ends what is being shown, and waits until so many places were. */
    next: (count: number) =>
      new Promise<void>((resolve) => {
        expected = count;
        told = resolve;
        waiting.shift()?.();
      }),
  };
}

describe("a follower of the agent", () => {
  test("sees nothing while it is off, and then the agent's current location", () => {
    const { follower, shown, states } = followFrom(false);
    follower.arrive("a");
    follower.arrive("b");
    expect(shown).toEqual([]);
    follower.toggle();
    expect([shown, states]).toEqual([["b"], ["on"]]);
    follower.dispose();
  });

  test("sees one location after the other, and the last of those that come too fast", async () => {
    const { follower, shown, next } = followFrom(true);
    follower.arrive("a");
    follower.arrive("b");
    follower.arrive("c");
    expect(shown).toEqual(["a"]);
    await next(2);
    expect(shown).toEqual(["a", "c"]);
    follower.dispose();
  });

  test("is not moved while working in the tab, and sees the current location on leaving", async () => {
    const { follower, shown, states, next } = followFrom(true);
    follower.arrive("a");
    follower.pause();
    follower.arrive("b");
    follower.arrive("c");
    expect(shown).toEqual(["a"]);
    const isShown = next(2);
    follower.resume();
    await isShown;
    expect([shown, states]).toEqual([
      ["a", "c"],
      ["paused", "on"],
    ]);
    follower.dispose();
  });

  test("follows again from the start of the next run", () => {
    const { follower, shown, states } = followFrom(true);
    follower.pause();
    follower.arrive("a");
    follower.begin();
    expect([shown, states]).toEqual([[], ["paused", "on"]]);
    follower.arrive("b");
    expect(shown).toEqual(["b"]);
    follower.dispose();
  });

  test("resumes at once with the button, which switches following off when it is not paused", () => {
    const { follower, states } = followFrom(true);
    follower.pause();
    follower.toggle();
    follower.toggle();
    follower.pause();
    follower.resume();
    follower.begin();
    expect(states).toEqual(["paused", "on", "off"]);
    follower.dispose();
  });
});

describe("the followed file", () => {
  const group = { isActive: false, front: "text", hasFollowTab: false } as const;

  test("opens beside the user's file", () => {
    expect(followColumn([{ ...group, column: 1, isActive: true }])).toBe("beside");
    expect(followColumn([])).toBe("beside");
  });

  test("opens in another existing group, but not over a chat", () => {
    const active = { ...group, column: 1, isActive: true };
    expect(followColumn([active, { ...group, column: 2 }])).toBe(2);
    expect(followColumn([active, { ...group, column: 2, front: "other" }])).toBe("beside");
    expect(
      followColumn([
        { ...group, column: 1 },
        { ...active, column: 2, front: "other" },
      ]),
    ).toBe(1);
  });

  test("opens where nothing is open", () => {
    expect(followColumn([{ ...group, column: 1, isActive: true, front: "nothing" }])).toBe(1);
  });

  test("stays in its place, even while the user watches it", () => {
    const own = { ...group, column: 2, hasFollowTab: true };
    expect(followColumn([{ ...group, column: 1, isActive: true }, own, { ...group, column: 3 }])).toBe(2);
    expect(
      followColumn([
        { ...group, column: 1 },
        { ...own, isActive: true },
      ]),
    ).toBe(2);
  });
});
