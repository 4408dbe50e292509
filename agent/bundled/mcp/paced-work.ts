import { setTimeout as delay } from "node:timers/promises";

const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;
/** After a pause of this length, the next request is served at once. */
const QUIET_MS = 10_000;
/** From this pause on, nobody waits for the work. */
const SLOW_MS = 8000;

/**
 * Does work that a server asks for, one run after another. Requests that arrive before a run begins share it, and the pauses
 * between successive runs get longer and longer.
 */
export class PacedWork {
  readonly #work: () => Promise<void>;
  readonly #onSlow: () => void;
  #last: Promise<void> = Promise.resolve();
  #isWanted = false;
  #pauseMs = 0;
  #endedAt = Number.NEGATIVE_INFINITY;

  /** @param work never rejects. @param onSlow is called when the pauses get long. */
  constructor(work: () => Promise<void>, onSlow: () => void) {
    this.#work = work;
    this.#onSlow = onSlow;
  }

  /** Settles when the work that was asked for is done, or at once when that takes long. */
  get done(): Promise<void> {
    return this.#pauseMs < SLOW_MS ? this.#last : Promise.resolve();
  }

  /** Asks for the work. @param signal ends the wait for it. */
  ask(signal: AbortSignal): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#last = this.#last.then(() => this.#run(signal));
  }

  async #run(signal: AbortSignal): Promise<void> {
    const quietMs = performance.now() - this.#endedAt;
    this.#lengthenPause(quietMs);
    if (quietMs < this.#pauseMs) {
      await delay(this.#pauseMs - quietMs, undefined, { signal, ref: false }).catch(() => undefined); // nobody is waiting anymore
    }
    this.#isWanted = false;
    if (!signal.aborted) await this.#work();
    this.#endedAt = performance.now();
  }

  #lengthenPause(quietMs: number): void {
    const before = this.#pauseMs;
    const isQuiet = quietMs > Math.max(QUIET_MS, before);
    this.#pauseMs = isQuiet ? 0 : Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, before * 2));
    if (before < SLOW_MS && this.#pauseMs >= SLOW_MS) this.#onSlow();
  }
}
