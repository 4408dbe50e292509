import { createParser, type EventSourceParser, type ParseError } from "eventsource-parser";

/** Default limit for one event, in UTF-16 units. */
const MAX_EVENT_LENGTH = 64 * 1024 * 1024;

/** Cuts the bytes of a server-sent event stream into the `data` of its events. The wires that stream need none of the other fields. */
export class SseDecoder {
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  #events: string[] = [];

  constructor(maxLength = MAX_EVENT_LENGTH) {
    this.#parser = createParser({
      maxBufferSize: maxLength,
      onEvent: ({ data }) => this.#events.push(data),
      onError: (error) => refuseLongEvent(error, maxLength),
    });
  }

  /**
   * Takes the next bytes and returns the data of the events that they complete.
   * @throws RangeError when one event is longer than the limit.
   */
  push(bytes: Uint8Array): string[] {
    this.#events = [];
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    return this.#events;
  }
}

/** Lines that are no part of the format are passed over. */
function refuseLongEvent({ type }: ParseError, maxLength: number): void {
  if (type === "max-buffer-size-exceeded")
    throw new RangeError(`An event of the stream is longer than ${maxLength} characters.`);
}
