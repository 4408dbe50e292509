import { ProviderError } from "./provider.ts";

interface Renewal<T> {
  fetch(signal: AbortSignal): Promise<T>;
  /** Returns the time at which a secret expires, in ms since 1970. */
  endOf(secret: T): number;
  /** The secret is renewed this long before it expires, in ms. */
  earlyMs: number;
}

/** A fetch that several requests share. */
interface Fetching<T> {
  result: Promise<T>;
  stop: AbortController;
  waiting: number;
}

/** A token or key that is fetched on first use and renewed shortly before it expires. If renewal fails, it is used until it expires. */
export class RenewedSecret<T> {
  readonly #renewal: Renewal<T>;
  #kept: T | undefined;
  #fetching: Fetching<T> | undefined;

  constructor(renewal: Renewal<T>) {
    this.#renewal = renewal;
  }

  /** @throws ProviderError when aborted, otherwise the error of the fetch. */
  async get(signal: AbortSignal): Promise<T> {
    const kept = this.#kept;
    if (kept === undefined) return await this.renew(signal);
    if (this.#leftMs(kept) > this.#renewal.earlyMs) return kept;
    try {
      return await this.renew(signal);
    } catch (error) {
      if (signal.aborted || this.#leftMs(kept) <= 0) throw error;
      return kept;
    }
  }

  /** Fetches it anew. Requests at the same time share a fetch, which is stopped once none of them waits. @throws ProviderError aborted; else what the fetch throws. */
  async renew(signal: AbortSignal): Promise<T> {
    if (signal.aborted) throw aborted();
    this.#fetching ??= this.#start();
    const fetching = this.#fetching;
    fetching.waiting += 1;
    try {
      return await unlessAborted(fetching.result, signal);
    } finally {
      fetching.waiting -= 1;
      if (fetching.waiting === 0) this.#end(fetching);
    }
  }

  /** Makes the next request fetch it again, if it is still the given one. */
  forget(isMeant: (kept: T) => boolean = () => true): void {
    if (this.#kept !== undefined && isMeant(this.#kept)) this.#kept = undefined;
  }

  #leftMs(secret: T): number {
    return this.#renewal.endOf(secret) - Date.now();
  }

  #start(): Fetching<T> {
    const stop = new AbortController();
    const result = this.#renewal.fetch(stop.signal).then((secret) => {
      this.#kept = secret;
      return secret;
    });
    result.catch(() => undefined); // perhaps nobody waits any longer
    return { result, stop, waiting: 0 };
  }

  #end(fetching: Fetching<T>): void {
    fetching.stop.abort();
    if (this.#fetching === fetching) this.#fetching = undefined;
  }
}

function aborted(): ProviderError {
  return new ProviderError("aborted", "Request was aborted");
}

async function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(aborted());
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([result, stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
