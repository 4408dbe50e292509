import type { AgentEvent } from "../protocol/events.ts";

/** The maximum number of unread events that an iterator keeps. */
export const MAX_WAITING_EVENTS = 100_000;

/** A reader of `events()` left more than 100,000 events unread; its iterator ends with this error. */
export class EventsUnread extends Error {
  constructor() {
    super(`More than ${MAX_WAITING_EVENTS} events wait to be read. Read faster, or use a listener.`);
    this.name = "EventsUnread";
  }
}

interface Reader {
  resolve(result: IteratorResult<AgentEvent, undefined>): void;
  reject(error: Error): void;
}

/** The unread events of one iterator, and its readers that wait for an event. */
export class EventQueue implements AsyncIterableIterator<AgentEvent> {
  readonly #detach: () => void;
  #events: AgentEvent[] = [];
  #next = 0;
  readonly #readers: Reader[] = [];
  #end: { error: Error | undefined } | undefined;

  constructor(detach: () => void) {
    this.#detach = detach;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  push(event: AgentEvent): void {
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: event });
      return;
    }
    this.#events.push(event);
    if (this.#events.length - this.#next > MAX_WAITING_EVENTS) {
      this.#clear();
      this.end(new EventsUnread());
    }
  }

  /** Values that were pushed can still be read. */
  end(error: Error | undefined): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    this.#detach();
    for (const reader of this.#readers.splice(0)) {
      const failure = this.#takeError();
      if (failure === undefined) reader.resolve({ done: true, value: undefined });
      else reader.reject(failure);
    }
  }

  async next(): Promise<IteratorResult<AgentEvent, undefined>> {
    const event = this.#events[this.#next];
    if (event !== undefined) {
      this.#next += 1;
      if (this.#next === this.#events.length) this.#clear();
      return { done: false, value: event };
    }
    if (this.#end !== undefined) {
      const error = this.#takeError();
      if (error !== undefined) throw error;
      return { done: true, value: undefined };
    }
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  async return(): Promise<IteratorResult<AgentEvent, undefined>> {
    this.#clear();
    this.end(undefined);
    return { done: true, value: undefined };
  }

  #clear(): void {
    this.#events = [];
    this.#next = 0;
  }

  /** The error is thrown once; after it the iterator is just over. */
  #takeError(): Error | undefined {
    const error = this.#end?.error;
    this.#end = { error: undefined };
    return error;
  }
}
