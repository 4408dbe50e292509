const SECOND_MS = 1000;

/** Limits how often something happens per second. */
export class RateLimit {
  readonly #perSecond: number;
  #secondStart = Number.NEGATIVE_INFINITY;
  #taken = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** @returns whether there is room for one more. */
  take(): boolean {
    const now = performance.now();
    if (now - this.#secondStart >= SECOND_MS) {
      this.#secondStart = now;
      this.#taken = 0;
    }
    return this.#taken++ < this.#perSecond;
  }
}
