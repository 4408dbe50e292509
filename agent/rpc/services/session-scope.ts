/** The life of the present session: what was opened in it ends when another one takes its place. */
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
