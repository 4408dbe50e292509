interface QuietEndOptions {
  /** True if nothing runs and nothing waits for an answer. */
  isQuiet(): boolean;
  end(): void;
}

/** Ends the process on request of code inside it, but not during a run or a command. */
export class QuietEnd {
  readonly #options: QuietEndOptions;
  #isRequested = false;

  constructor(options: QuietEndOptions) {
    this.#options = options;
  }

  request(): void {
    this.#isRequested = true;
    this.check();
  }

  /** Call this when a run or a command has ended. Its effects in the same tick come first. */
  check(): void {
    if (!this.#isRequested) return;
    setImmediate(() => {
      if (this.#options.isQuiet()) this.#options.end();
    });
  }
}
