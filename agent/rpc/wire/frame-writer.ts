import { setImmediate as nextTurn } from "node:timers/promises";
import { type Deferred, deferred } from "../../util/deferred.ts";
import { serializeFrame } from "./serialize.ts";
import { isReaderGone, type RealStdout } from "./stdout-guard.ts";

/** Producers pause when more than this is unread; in UTF-16 units before it reaches the stream, in bytes after. */
const HIGH_WATER_MARK = 1024 * 1024;

/** The same limit for producers that can't pause. */
const FULL_MARK = 16 * HIGH_WATER_MARK;

/** Lines are gathered up to this length before they go to the stream together. */
const BATCH_LENGTH = 64 * 1024;

/**
 * The one writer of frames. Frames leave in the order they were written; those of one tick leave together. A host that does not read
 * makes `ready()` wait, never loses a frame and never ends the process.
 */
export class FrameWriter {
  readonly #stdout: RealStdout;
  readonly #onClosed: (failure: Error | undefined) => void;
  #batch = "";
  #isFlushing = false;
  #isClosed = false;
  #drained: Deferred<void> | undefined;

  /** @param onClosed called once when nothing more can be written: the reader is gone, or `failure` says why. */
  constructor(stdout: RealStdout, onClosed: (failure: Error | undefined) => void) {
    this.#stdout = stdout;
    this.#onClosed = onClosed;
    stdout.onDrain(() => this.#settle());
    stdout.onError((error) => this.#close(isReaderGone(error) ? undefined : error));
  }

  /** True if so much is waiting that producers should pause. */
  get isBlocked(): boolean {
    return this.#unreadLength > HIGH_WATER_MARK;
  }

  /** True if so much is unread that producers that can't pause have to drop output. */
  get isFull(): boolean {
    return this.#unreadLength > FULL_MARK;
  }

  write(frame: object): void {
    if (this.#isClosed) return;
    this.#batch += serializeFrame(frame);
    if (this.#batch.length > BATCH_LENGTH) this.#flush();
    else if (!this.#isFlushing) {
      this.#isFlushing = true;
      setImmediate(() => this.#flush());
    }
  }

  /** Resolves when the host has read enough for more to be produced; undefined when nothing need wait. */
  ready(): Promise<void> | undefined {
    if (!this.isBlocked) return undefined;
    this.#flush();
    if (!this.isBlocked) return undefined;
    this.#drained ??= deferred();
    return this.#drained.promise;
  }

  /** Resolves when everything was handed to the host, or after `timeoutMs`. */
  async finish(timeoutMs: number): Promise<void> {
    this.#flush();
    await nextTurn(); // a write that failed at once is reported in the next tick
    if (this.#isClosed || this.#stdout.pendingBytes === 0) return;
    this.#drained ??= deferred();
    const timer = setTimeout(() => this.#settle(), timeoutMs);
    await this.#drained.promise;
    clearTimeout(timer);
  }

  get #unreadLength(): number {
    return this.#isClosed ? 0 : this.#batch.length + this.#stdout.pendingBytes;
  }

  #flush(): void {
    this.#isFlushing = false;
    const text = this.#batch;
    this.#batch = "";
    if (text !== "" && !this.#isClosed) this.#stdout.write(text);
  }

  #settle(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }

  #close(failure: Error | undefined): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#batch = "";
    this.#settle();
    this.#onClosed(failure);
  }
}
