import { setImmediate as nextTurn } from "node:timers/promises";

const SLICE_MS = 8;

/** Divides long work, so that the process stays responsive: a run may be streaming beside it. */
export class Slices {
  readonly #signal: AbortSignal;
  #beganAt = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** True if the result is no longer needed. */
  get isOver(): boolean {
    return this.#signal.aborted;
  }

  /** Yields to other work after a slice of time. @throws the signal's reason once it is aborted. */
  async rest(): Promise<void> {
    this.#signal.throwIfAborted();
    if (performance.now() - this.#beganAt < SLICE_MS) return;
    await nextTurn();
    this.#signal.throwIfAborted();
    this.#beganAt = performance.now();
  }
}
