import { createContext, Script } from "node:vm";

/**
 * Makes a runner for work that is not ours to trust with the time it takes, such as a foreign pattern: work that neither waits nor ends is cut
 * off after `limitMs`, in the middle of whatever it does.
 * @returns runs a piece of work; false when it was cut off or threw.
 */
export function createTimeLimit(limitMs: number): (work: () => void) => boolean {
  let present: (() => void) | undefined;
  // Only code that was started as a script can be cut off; what it calls is cut off with it.
  const context = createContext({ run: () => present?.() });
  const script = new Script("run()");
  return (work) => {
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
}
