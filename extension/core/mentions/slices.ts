import { setImmediate } from "node:timers/promises";

/** Longest that a job works before it lets others have their turn, in milliseconds. */
const SLICE_MS = 5;

/** The turns of one long job. */
export interface Slices {
  /** Whether the turn is used up. Reading the clock is not free: ask every few dozen steps. */
  isOver(): boolean;
  /** Lets everything else run that waits, then begins the next turn. */
  rest(): Promise<void>;
}

/** Begins the first turn of a job on the event loop that others need too. @param now milliseconds of a clock that never goes back. */
export function startSlices(now: () => number = () => performance.now()): Slices {
  let startedAt = now();
  return {
    isOver: () => now() - startedAt >= SLICE_MS,
    rest: async () => {
      await setImmediate();
      startedAt = now();
    },
  };
}
