import { vm } from "./late-node.ts";

/** Work that was cut off because the machine was busy or asleep is begun again; as often as this in all. */
const MAX_TRIES = 3;

/**
 * Makes a runner for work that is not ours to trust with the time it takes, such as a foreign pattern: work that neither waits nor ends is cut
 * off after `limitMs`, in the middle of whatever it does. Work must bear being begun again.
 * @returns runs a piece of work; false when it was cut off or threw.
 */
export function createTimeLimit(limitMs: number): (work: () => void) => boolean {
  let present: (() => void) | undefined;
  // Only code that was started as a script can be cut off; what it calls is cut off with it.
  const context = vm().createContext({ run: () => present?.() });
  const script = new (vm().Script)("run()");
  const tryOnce = (work: () => void) => {
    present = work;
    try {
      script.runInContext(context, { timeout: limitMs });
      return true;
    } catch {
      return false; // too slow, or deeper than the stack: either way there is no result
    } finally {
      present = undefined;
    }
  };
  return (work) => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = process.cpuUsage();
      if (tryOnce(work)) return true;
      const { user, system } = process.cpuUsage(before);
      if ((user + system) / 1000 > limitMs / 2) return false;
    }
    return false;
  };
}
