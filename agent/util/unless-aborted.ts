import { setTimeout as delay } from "node:timers/promises";

/**
 * Waits for work, but not beyond the signal's abort.
 * @param graceMs how long is waited when the signal is aborted already.
 * @returns undefined when the work was left behind.
 */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  graceMs: number,
): Promise<T | undefined> {
  if (signal === undefined) return work;
  if (signal.aborted) return Promise.race([work, delay(graceMs, undefined, { ref: false })]);
  let release = () => {};
  const aborted = new Promise<undefined>((resolve) => {
    release = () => resolve(undefined);
    signal.addEventListener("abort", release, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", release);
  }
}
