import { AsyncLocalStorage } from "node:async_hooks";
import { type Deferred, deferred } from "../util/deferred.ts";

/** The work that an extension's code belongs to; its timers belong to no work once it is over. */
interface Work {
  signal: AbortSignal | undefined;
  isCommand: boolean;
  readonly over: Deferred<void>;
  isOver: boolean;
}

/** Knows at any time which work the running code of an extension belongs to, and lets those go who wait for it. */
export class ExtensionWork {
  readonly #current = new AsyncLocalStorage<Work>();
  readonly #running = new Set<Work>();
  readonly #closed = deferred<void>();
  #release = new AbortController();

  /** True if the caller is a handler, a command or a tool of an extension, or was called by one. */
  get isInside(): boolean {
    return this.#work() !== undefined;
  }

  /** Aborts when the work that the caller belongs to is aborted. */
  get signal(): AbortSignal | undefined {
    return this.#work()?.signal;
  }

  /** True if the caller is a command of an extension. */
  get isInCommand(): boolean {
    return this.#work()?.isCommand === true;
  }

  /** Runs code of an extension as work that `signal` aborts. */
  runAs<T>(signal: AbortSignal | undefined, call: () => T): Promise<Awaited<T>> {
    return this.#run({ signal, isCommand: false, over: deferred(), isOver: false }, call);
  }

  /** Runs a command of an extension. */
  runCommand<T>(call: () => T): Promise<Awaited<T>> {
    return this.#run({ signal: undefined, isCommand: true, over: deferred(), isOver: false }, call);
  }

  async #run<T>(work: Work, call: () => T): Promise<Awaited<T>> {
    this.#running.add(work);
    try {
      return await this.#current.run(work, call);
    } finally {
      work.isOver = true;
      this.#running.delete(work);
      work.over.resolve();
    }
  }

  /** Does something once everything is over that runs now; at once when nothing does. */
  afterPresent(then: () => void): void {
    const present = [...this.#running].map(({ over }) => over.promise);
    if (present.length === 0) then();
    else void Promise.all(present).then(then);
  }

  /** Runs something that an extension began and that does not belong to its handler: a run that it starts is seen like any other. */
  outside<T>(call: () => T): T {
    return this.#current.exit(call);
  }

  /** Aborts when the user aborts, so that a hanging handler no longer blocks the agent. */
  get released(): AbortSignal {
    return this.#release.signal;
  }

  /** The user aborts. */
  release(): void {
    this.#release.abort();
    this.#release = new AbortController();
  }

  /** Called when the host has disconnected: running handlers are no longer awaited. */
  close(): void {
    this.#closed.resolve();
    this.release();
  }

  /** Resolves when the host is gone. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  #work(): Work | undefined {
    const work = this.#current.getStore();
    return work?.isOver === false ? work : undefined;
  }
}
