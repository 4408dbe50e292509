import type { Settings } from "../config/settings.ts";
import { ProviderError } from "../providers/provider.ts";

/**
 * Returns the delay before the next attempt, in milliseconds.
 * @param attempt the attempt that the wait is for, from 1.
 * @returns undefined when a retry can't help, or would need a longer wait than the user allows.
 */
export function retryDelay(error: unknown, attempt: number, settings: Settings["retry"]): number | undefined {
  if (!(error instanceof ProviderError) || !error.isRetryable || attempt > settings.maxRetries) return undefined;
  const backoff = Math.min(settings.baseDelayMs * 2 ** (attempt - 1), settings.maxAgentDelayMs);
  const asked = error.retryAfterMs ?? 0;
  return asked > settings.maxAgentDelayMs ? undefined : Math.max(backoff, Math.ceil(asked));
}

/** Waits, unless the signal aborts first. @returns whether the time passed. */
export function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onAbort = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve(true);
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
