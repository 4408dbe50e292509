const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 8_000;
const WINDOW_MS = 60_000;
const MAX_CRASHES_IN_WINDOW = 3;

/** The crashes since the agent was last up for a minute. Times are Unix ms. */
export interface CrashHistory {
  readonly crashedAt: readonly number[];
}

export const NO_CRASHES: CrashHistory = { crashedAt: [] };

/**
 * Decides after a crash: wait 1, 2, 4, 8 s and restart, or give up after three crashes within 60 s. Only an agent that was up for 60 s resets
 * the count; starting it does not.
 */
export function afterCrash(
  history: CrashHistory,
  crash: { readonly startedAt: number; readonly now: number },
): { history: CrashHistory; delayMs: number | undefined } {
  const wasHealthy = crash.now - crash.startedAt >= WINDOW_MS;
  const crashedAt = [...(wasHealthy ? [] : history.crashedAt), crash.now];
  const recent = crashedAt.filter((at) => crash.now - at < WINDOW_MS);
  if (recent.length >= MAX_CRASHES_IN_WINDOW) return { history: { crashedAt }, delayMs: undefined };
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (crashedAt.length - 1), MAX_DELAY_MS);
  return { history: { crashedAt }, delayMs };
}
