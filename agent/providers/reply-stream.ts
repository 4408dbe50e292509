import { jsonIn } from "./parse-event.ts";
import { ProviderError, type ProviderEvent, type ProviderRequest } from "./provider.ts";
import { cutStreamFailure, silenceFailure, strangeAnswerFailure } from "./request-errors.ts";
import { SseDecoder } from "./sse.ts";

/** Silence after which a request counts as lost, in ms. */
export const DEFAULT_IDLE_TIMEOUT_MS = 120_000;

const END_PATIENCE_MS = 100;

/** Turns the events of one wire into ours. */
export interface WireEvents {
  /** Why the message failed, once an event said so; nothing is read after it. */
  readonly failure: ProviderError | undefined;
  /** True if anything of the format came. */
  readonly hasBegun: boolean;
  /** True if the message is complete. */
  readonly hasEnded: boolean;
  /**
   * Reads one event and adds what it means to `out`, deltas with `addDelta`.
   * @throws ProviderError when it is not an event of the format.
   */
  read(data: string, out: ProviderEvent[]): void;
  /** The connection was closed in order. */
  close(out: ProviderEvent[]): void;
}

/**
 * Adds a delta to a batch: to the batch's last event when that is an earlier piece of the same block. What follows costs by the
 * event, and a fast server sends hundreds of pieces at once.
 */
export function addDelta(batch: ProviderEvent[], event: Extract<ProviderEvent, { delta: string }>): void {
  const last = batch.at(-1);
  if (last?.type === event.type && last.index === event.index) last.delta += event.delta;
  else batch.push(event);
}

/** Splits the bytes of a stream into events. */
export interface Decoder {
  /**
   * Adds the next bytes and returns the data of the events that they complete.
   * @throws RangeError when an event is longer than the limit.
   */
  push(bytes: Uint8Array): string[];
}

interface ReplySource {
  readonly request: Pick<ProviderRequest, "model" | "hooks" | "signal">;
  /** Default: that of the model. */
  readonly baseUrl?: string;
  readonly idleTimeoutMs: number;
  /** Default: server-sent events. */
  readonly decoder?: Decoder;
  /** Sends the request; what it throws is a reply that failed. */
  open(connection: Connection): Promise<ReadableStream<Uint8Array>>;
}

/**
 * Streams one reply of a server that sends events.
 * @throws ProviderError for everything that goes wrong, an abort included.
 */
export async function* streamReply(
  { request, baseUrl = request.model.baseUrl, idleTimeoutMs, decoder = new SseDecoder(), open }: ReplySource,
  events: WireEvents,
): AsyncGenerator<readonly ProviderEvent[], void> {
  const connection = new Connection(request.signal, baseUrl, idleTimeoutMs);
  try {
    const body = await open(connection);
    for await (const batch of readEvents(body, { decoder, events, show: shownBy(request) }, connection)) yield batch;
    if (events.failure !== undefined) throw events.failure;
    if (!events.hasBegun) throw strangeAnswerFailure(baseUrl);
    if (!events.hasEnded) throw cutStreamFailure(baseUrl);
  } catch (error) {
    throw connection.explain(error);
  } finally {
    connection.close();
  }
}

/** Returns what shows an event to those who want to see it; undefined if nobody does. What is no JSON is no event. */
function shownBy({ model, hooks }: ReplySource["request"]): ((data: string) => Promise<void>) | undefined {
  if (hooks?.streamEvent === undefined) return undefined;
  return async (data) => {
    const event = jsonIn(data);
    if (event !== undefined) await hooks.streamEvent?.(event, model);
  };
}

interface Reading {
  decoder: Decoder;
  events: WireEvents;
  show: ((data: string) => Promise<void>) | undefined;
}

async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { decoder, events, show }: Reading,
  connection: Connection,
): AsyncGenerator<readonly ProviderEvent[], void> {
  const reader = body.getReader();
  while (!events.hasEnded && events.failure === undefined) {
    const { done, value } = await reader.read();
    connection.sawSomething();
    const batch: ProviderEvent[] = [];
    if (done) events.close(batch);
    else {
      for (const data of decoder.push(value)) {
        if (show !== undefined) await show(data);
        events.read(data, batch);
      }
    }
    connection.sawSomething(); // whoever was shown an event may have taken long
    if (batch.length > 0) yield batch;
    if (done) return connection.sawEnd();
  }
  if (events.hasEnded && (await isReadToEnd(reader))) connection.sawEnd();
}

/**
 * Reads what is behind the last event, so that the connection can be used again.
 * @returns false when the server does not end soon, or ends with an error; it does not matter otherwise, since the message is complete.
 */
async function isReadToEnd(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, END_PATIENCE_MS, undefined);
  });
  try {
    for (;;) {
      const read = await Promise.race([reader.read(), late]);
      if (read === undefined || read.done) return read !== undefined;
    }
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** One request's connection: ended by the caller's abort, by silence, or by `close`. */
export class Connection {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #baseUrl: string;
  readonly #idleTimeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  #timedOut = false;
  #isAtEnd = false;

  constructor(caller: AbortSignal, baseUrl: string, idleTimeoutMs: number) {
    this.#caller = caller;
    this.#baseUrl = baseUrl;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#timer = setTimeout(() => {
      this.#timedOut = true;
      this.#controller.abort();
    }, idleTimeoutMs);
    if (caller.aborted) this.#controller.abort();
    else caller.addEventListener("abort", this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  sawSomething(): void {
    this.#timer.refresh();
  }

  /** Nothing is left to read, so `close` has nothing to end. */
  sawEnd(): void {
    this.#isAtEnd = true;
  }

  /** Returns the real cause of a failure: the caller's abort and silence take precedence over the errors that they cause. */
  explain(error: unknown): ProviderError {
    if (this.#caller.aborted) return new ProviderError("aborted", "Request was aborted", { cause: error });
    if (this.#timedOut) return silenceFailure(this.#baseUrl, this.#idleTimeoutMs);
    if (error instanceof ProviderError) return error;
    if (error instanceof RangeError) return new ProviderError("server", error.message, { cause: error });
    return cutStreamFailure(this.#baseUrl, error);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener("abort", this.#abort);
    if (!this.#isAtEnd) this.#controller.abort();
  }

  readonly #abort = (): void => this.#controller.abort();
}
