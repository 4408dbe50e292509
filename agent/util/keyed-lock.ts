/** Runs work that has the same key one after the other, in the order asked for; different keys do not wait for each other. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Resolves or rejects as `work` does. A failure does not hold up what waits behind it. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#tails.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(key) === mine) this.#tails.delete(key);
    }
  }
}
