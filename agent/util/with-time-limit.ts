/** A signal that aborts in time. */
export interface LimitedSignal {
  readonly signal: AbortSignal;
  /** Called when the work is done: from then on, the signal doesn't abort any more. */
  end(): void;
}

/**
 * Returns a signal that aborts with another one, and after a time. It must not be made of `AbortSignal.any` and `AbortSignal.timeout`: Node
 * holds the timeout so weakly that it never comes once the memory was cleaned up.
 */
export function withTimeLimit(signal: AbortSignal | undefined, limitMs: number): LimitedSignal {
  const controller = new AbortController();
  const end = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", follow);
  };
  const abort = (reason: unknown) => {
    end();
    controller.abort(reason);
  };
  const follow = () => abort(signal?.reason);
  const late = () => abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
  const timer = setTimeout(late, limitMs);
  timer.unref();
  if (signal?.aborted === true) follow();
  else signal?.addEventListener("abort", follow, { once: true });
  return { signal: controller.signal, end };
}
