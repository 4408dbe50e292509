import { setImmediate } from "node:timers/promises";

/** Maximum time that a job works before it yields, in milliseconds. */
const SLICE_MS = 5;

/** The time slices of one long job. */
export interface Slices {
  /** True when the slice is used up. Reading the clock is not free: check every few dozen steps. */
  isOver(): boolean;
  /** Runs all waiting work, then begins the next slice. */
  rest(): Promise<void>;
}

/** Begins the first slice of a job on the shared event loop. @param now milliseconds of a monotonic clock. */
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
