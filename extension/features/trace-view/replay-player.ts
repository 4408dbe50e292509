import type { TraceEntry } from "../../core/trace/wire-trace.ts";

/** How fast: 1 is as it was, `Infinity` as fast as the editor can. */
export type ReplaySpeed = number;

/** Longer pauses than this are not waited for, in ms of the trace. */
const MAX_GAP_MS = 2_000;
/** How many entries are taken between two turns of the event loop. */
const SLICE = 500;
/** The longest that nothing is looked at, so that a change of speed counts soon; in ms. */
const MAX_WAIT_MS = 100;

interface ReplayPlayerOptions {
  readonly entries: readonly TraceEntry[];
  readonly apply: (entry: TraceEntry) => void;
  /** The position, the speed or whether it is paused has changed. */
  readonly changed: () => void;
  /** Calls back once after `delayMs`; the returned function calls it off. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void;
  /** Any clock, in ms. */
  readonly now: () => number;
}

/** Takes the entries of a trace one after the other, in the rhythm in which they came or faster. */
export class ReplayPlayer {
  readonly #options: ReplayPlayerOptions;
  /** When each entry is due, in ms of the trace from its start. */
  readonly #dueMs: readonly number[];
  #next = 0;
  #speed: ReplaySpeed;
  #isPaused = false;
  /** Where the trace stands, and when it did. */
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

  /** How much has been taken, from 0 to 1. */
  get progress(): number {
    const { length } = this.#options.entries;
    return length === 0 ? 1 : this.#next / length;
  }

  /** Begins, or goes on at the beginning of what is left. */
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

  /** Nothing is taken any more. */
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
    // What was taken at once counts as played, for a later change of speed.
    this.#playedMs = Math.max(this.#playedMs, this.#dueMs[this.#next - 1] ?? 0);
    changed();
    if (this.#next >= entries.length) return;
    const leftMs = ((this.#dueMs[this.#next] ?? 0) - this.#playedMs) / this.#speed;
    this.#wait(isDue(this.#next) ? 0 : Math.min(Math.max(leftMs, 1), MAX_WAIT_MS));
  }
}
