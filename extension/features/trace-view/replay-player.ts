import type { TraceEntry } from "../../core/trace/wire-trace.ts";

/** The speed: 1 for the original, `Infinity` for as fast as possible. */
export type ReplaySpeed = number;

/** Maximum pause between entries, in ms of the trace. */
const MAX_GAP_MS = 2_000;
/** Number of entries applied between two turns of the event loop. */
const SLICE = 500;
/** Maximum wait, so that a change of speed takes effect soon; in ms. */
const MAX_WAIT_MS = 100;

interface ReplayPlayerOptions {
  readonly entries: readonly TraceEntry[];
  readonly apply: (entry: TraceEntry) => void;
  /** Called when the position, the speed or the pause has changed. */
  readonly changed: () => void;
  /** Calls back once after `delayMs`; the returned function cancels that. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void;
  /** Any clock, in ms. */
  readonly now: () => number;
}

/** Applies the entries of a trace one after another, at their original pace or faster. */
export class ReplayPlayer {
  readonly #options: ReplayPlayerOptions;
  /** The time of each entry, in ms of the trace from its start. */
  readonly #dueMs: readonly number[];
  #next = 0;
  #speed: ReplaySpeed;
  #isPaused = false;
  /** The position in the trace, and the time when it was reached. */
  #playedMs = 0;
  #lastAt = 0;
  #cancel: (() => void) | undefined;

  constructor(speed: ReplaySpeed, options: ReplayPlayerOptions) {
    this.#options = options;
    this.#speed = speed;
    let due = 0;
    let before = options.entries[0]?.at ?? 0;
    this.#dueMs = options.entries.map(({ at }) => {
      due += Math.min(Math.max(at - before, 0), MAX_GAP_MS);
      before = at;
      return due;
    });
  }

  get speed(): ReplaySpeed {
    return this.#speed;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** The share of applied entries, from 0 to 1. */
  get progress(): number {
    const { length } = this.#options.entries;
    return length === 0 ? 1 : this.#next / length;
  }

  /** Starts, or continues with the remaining entries. */
  play(): void {
    this.#lastAt = this.#options.now();
    this.#isPaused = false;
    this.#wait(0);
    this.#options.changed();
  }

  pause(): void {
    this.#isPaused = true;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#options.changed();
  }

  setSpeed(speed: ReplaySpeed): void {
    this.#advance();
    this.#speed = speed;
    if (!this.#isPaused) this.play();
  }

  /** Ends the replay; no more entries are applied. */
  dispose(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#isPaused = true;
  }

  #wait(delayMs: number): void {
    this.#cancel?.();
    this.#cancel = this.#options.schedule(() => {
      this.#cancel = undefined;
      this.#tick();
    }, delayMs);
  }

  #advance(): void {
    const now = this.#options.now();
    if (!this.#isPaused && Number.isFinite(this.#speed)) this.#playedMs += (now - this.#lastAt) * this.#speed;
    this.#lastAt = now;
  }

  #tick(): void {
    const { entries, apply, changed } = this.#options;
    this.#advance();
    const isDue = (at: number) => this.#speed === Number.POSITIVE_INFINITY || (this.#dueMs[at] ?? 0) <= this.#playedMs;
    for (let taken = 0; taken < SLICE && isDue(this.#next); taken += 1) {
      const entry = entries[this.#next];
      if (entry === undefined) break;
      this.#next += 1;
      apply(entry);
    }
    // Entries applied at once count as played, for a later change of speed.
    this.#playedMs = Math.max(this.#playedMs, this.#dueMs[this.#next - 1] ?? 0);
    changed();
    if (this.#next >= entries.length) return;
    const leftMs = ((this.#dueMs[this.#next] ?? 0) - this.#playedMs) / this.#speed;
    this.#wait(isDue(this.#next) ? 0 : Math.min(Math.max(leftMs, 1), MAX_WAIT_MS));
  }
}
