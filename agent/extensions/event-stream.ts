/**
 * Events that one side pushes and the other reads, in the shape that extensions know. Nothing is lost to a reader that comes late; several
 * readers share the events.
 */
export class EventStream<Event, Result> implements AsyncIterable<Event> {
  readonly #isLast: (event: Event) => boolean;
  readonly #resultOf: (event: Event) => Result;
  readonly #result: Promise<Result>;
  #resolve: (result: Result) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #events: Event[] = [];
  #next = 0;
  #wake: (() => void)[] = [];
  #isOver = false;

  constructor(isLast: (event: Event) => boolean, resultOf: (event: Event) => Result) {
    this.#isLast = isLast;
    this.#resultOf = resultOf;
    this.#result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#result.catch(() => undefined); // callers of `result` get the error; a missing call is no error
  }

  /** Adds an event; events after the last one are ignored. */
  push(event: Event): void {
    if (this.#isOver) return;
    this.#events.push(event);
    if (this.#isLast(event)) {
      this.#isOver = true;
      this.#resolve(this.#resultOf(event));
    }
    this.#wakeReaders();
  }

  /** Ends the stream; `result` counts when no event brought one. */
  end(result?: Result): void {
    this.#isOver = true;
    if (result !== undefined) this.#resolve(result);
    this.#reject(new Error("The stream ended without a result."));
    this.#wakeReaders();
  }

  /** @throws Error when the stream ended without one. */
  result(): Promise<Result> {
    return this.#result;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void> {
    for (;;) {
      const event = this.#events[this.#next];
      if (event !== undefined) {
        this.#next++;
        this.#dropRead();
        yield event;
      } else if (this.#isOver) {
        return;
      } else {
        await new Promise<void>((resolve) => this.#wake.push(resolve));
      }
    }
  }

  /** Forgets what was read, now and then, so that a long answer costs in proportion. */
  #dropRead(): void {
    if (this.#next < 1024 || this.#next * 2 < this.#events.length) return;
    this.#events = this.#events.slice(this.#next);
    this.#next = 0;
  }

  #wakeReaders(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** An event of an answer; the last is `done` with its `message`, or `error` with its `error`. */
export interface AnswerEvent {
  type: string;
}

/** The stream of one answer. Its result is the message, also when it failed. */
export class AssistantMessageEventStream extends EventStream<AnswerEvent, unknown> {
  constructor() {
    super(
      ({ type }) => type === "done" || type === "error",
      (event) => Reflect.get(event, event.type === "done" ? "message" : "error"),
    );
  }
}

/** Makes a stream for an extension that answers by itself. */
export function createAssistantMessageEventStream(): AssistantMessageEventStream {
  return new AssistantMessageEventStream();
}
