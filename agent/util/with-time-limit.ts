/** A signal with a time limit. */
export interface LimitedSignal {
  readonly signal: AbortSignal;
  /** Ends the time limit. Call it when the work is done; afterwards, the signal no longer aborts. */
  end(): void;
}

/**
 * Returns a signal that aborts with another one, or after a time. Don't replace it with `AbortSignal.any` and `AbortSignal.timeout`: Node holds the
 * timeout so weakly that it never fires after a garbage collection.
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
