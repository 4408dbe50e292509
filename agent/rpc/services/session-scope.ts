/** The lifetime of the current session: everything that it opened ends when another session replaces it. */
export class SessionScope {
  #controller = new AbortController();

  /** Aborts when another session takes the place of this one. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Another session is about to be there. */
  end(): void {
    const ended = this.#controller;
    this.#controller = new AbortController();
    ended.abort();
  }
}
