import type { AgentEvent, AgentEventType } from "../protocol/events.ts";
import { AgentExited, type ConnectionClosed } from "./client-errors.ts";
import { EventQueue } from "./event-queue.ts";

/** One event type's event. */
export type EventOf<T extends AgentEventType> = Extract<AgentEvent, { type: T }>;

type Listener = (event: AgentEvent) => void;

/** Hands each event to everybody who listens or iterates, in the order of the agent's writing. */
export class EventHub {
  readonly #listeners = new Set<Listener>();
  readonly #queues = new Set<EventQueue>();
  readonly #onMistake: (error: unknown, event: AgentEvent) => void;
  #end: { error: AgentExited | undefined } | undefined;

  /** @param onMistake told what a listener threw. */
  constructor(onMistake: (error: unknown, event: AgentEvent) => void) {
    this.#onMistake = onMistake;
  }

  emit(event: AgentEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        this.#onMistake(error, event);
      }
    }
    for (const queue of [...this.#queues]) queue.push(event);
  }

  /** Ends all iterators; with an error when the agent ended by itself. */
  close(reason: ConnectionClosed | AgentExited): void {
    this.#end = { error: reason instanceof AgentExited ? reason : undefined };
    for (const queue of [...this.#queues]) queue.end(this.#end.error);
  }

  /** @returns what takes the listener off again. */
  listen(listener: Listener): () => void {
    // Each call is a registration of its own, also of a function that listens already.
    const own: Listener = (event) => listener(event);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** Listens to one type of event. @returns what takes the listener off again. */
  on<T extends AgentEventType>(type: T, listener: (event: EventOf<T>) => void): () => void {
    return this.listen((event) => {
      if (isOfType(event, type)) listener(event);
    });
  }

  /** The events from this call on, until the connection closes, `signal` aborts, or the loop over them is left. */
  iterate(signal?: AbortSignal): AsyncIterableIterator<AgentEvent> {
    const queue = new EventQueue(() => {
      this.#queues.delete(queue);
      signal?.removeEventListener("abort", onAbort);
    });
    const onAbort = () => queue.end(undefined);
    this.#queues.add(queue);
    if (this.#end !== undefined) queue.end(this.#end.error);
    else if (signal?.aborted) queue.end(undefined);
    else signal?.addEventListener("abort", onAbort, { once: true });
    return queue;
  }
}

function isOfType<T extends AgentEventType>(event: AgentEvent, type: T): event is EventOf<T> {
  return event.type === type;
}
