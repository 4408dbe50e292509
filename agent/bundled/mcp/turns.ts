import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { unlessAborted } from "../../util/unless-aborted.ts";

/** Does one piece of work after another, for example shows dialogs. */
export class Turns {
  readonly #maxWaiting: number;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(maxWaiting = Number.POSITIVE_INFINITY) {
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Does the work when all earlier work has ended. After an abort, it isn't done at all.
   * @throws McpError when too many are waiting, the reason of an abort, and whatever the work throws.
   */
  async take<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#waiting >= this.#maxWaiting) {
      throw new McpError(ErrorCode.InternalError, "Too many requests are waiting.");
    }
    this.#waiting += 1;
    const before = this.#last;
    const done = unlessAborted(before, signal, 0).then(() => {
      signal.throwIfAborted();
      return work();
    });
    this.#last = Promise.allSettled([before, done]);
    try {
      return await done;
    } finally {
      this.#waiting -= 1;
    }
  }
}
