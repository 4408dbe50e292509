import type { RequestId } from "@modelcontextprotocol/sdk/types.js";

/** Stops work on requests that the server cancels. The SDK's own code ignores the ID 0, which most servers use for their first request. */
export class Cancellations {
  readonly #open = new Map<RequestId, AbortController>();

  /** The server cancels a request. */
  cancel(id: RequestId | undefined): void {
    if (id !== undefined) this.#open.get(id)?.abort();
  }

  /** Handles a request until the server cancels it or `signal` aborts. */
  async during<T>(id: RequestId, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#open.set(id, controller);
    try {
      return await work(AbortSignal.any([signal, controller.signal]));
    } finally {
      this.#open.delete(id);
    }
  }
}
