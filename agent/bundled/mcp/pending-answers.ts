import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, type JSONRPCErrorResponse, type RequestId } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { AnswerTooLong, watchAnswer } from "./watched-answer.ts";

/** The number of requests in a row that may fail to continue a stream. */
export const MAX_RETRIES = 2;
/** The time until a message that was read is delivered. */
const DELIVERY_MS = 50;

const SentRequest = z.object({ id: z.union([z.string(), z.number()]), method: z.string() });

interface PendingAnswer {
  /** The ID of the last event, from which the transport continues a stream that broke. */
  lastEvent?: string;
  /** The number of times that the stream was continued. */
  continuations: number;
  /** True if the current stream has had an event with an ID: only then does the transport continue it. */
  canContinue: boolean;
  failures: number;
}

/**
 * The requests of an HTTP transport that have no answer yet. Each of them settles: when its stream ends without an answer
 * and doesn't continue, it gets an error, which the SDK leaves out.
 */
export class PendingAnswers {
  readonly #pending = new Map<RequestId, PendingAnswer>();
  readonly #fail: (error: JSONRPCErrorResponse) => void;

  /** @param fail delivers an error in place of an answer. */
  constructor(fail: (error: JSONRPCErrorResponse) => void) {
    this.#fail = fail;
  }

  add(id: RequestId): void {
    this.#pending.set(id, { continuations: 0, canContinue: false, failures: 0 });
  }

  /** Forgets a request that has an answer, or whose answer nobody is waiting for anymore. */
  delete(id: RequestId): void {
    this.#pending.delete(id);
  }

  /** Notes that the stream of a request has had an event with an ID. */
  noteEvent(id: RequestId, lastEvent: string): void {
    const pending = this.#pending.get(id);
    if (pending !== undefined) Object.assign(pending, { lastEvent, canContinue: true });
  }

  /** Creates a fetch that notices the ends of answers. */
  watch(fetch: FetchLike): FetchLike {
    return async (url, init) => {
      const id = requestOf(init) ?? this.#continuedBy(init);
      if (id === undefined) return watchAnswer(await fetch(url, init));
      const isContinued = init?.method === "GET";
      try {
        const answer = await fetch(url, init);
        if (isContinued) this.#continue(id, answer.status);
        const continuations = this.#pending.get(id)?.continuations;
        return watchAnswer(answer, (error) => this.#ended(id, continuations, error));
      } catch (error) {
        if (isContinued) this.#retry(id);
        throw error;
      }
    };
  }

  #continuedBy(init: RequestInit | undefined): RequestId | undefined {
    const lastEvent = init?.method === "GET" ? new Headers(init.headers).get("last-event-id") : null;
    if (lastEvent === null) return undefined;
    return [...this.#pending].find(([, pending]) => pending.lastEvent === lastEvent)?.[0];
  }

  #continue(id: RequestId, status: number): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    if (status === 405)
      this.#settle(id); // the transport doesn't ask again
    else if (status >= 400) this.#retry(id);
    else Object.assign(pending, { continuations: pending.continuations + 1, canContinue: false, failures: 0 });
  }

  #retry(id: RequestId): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    pending.failures += 1;
    if (pending.failures === MAX_RETRIES) this.#settle(id);
  }

  #ended(id: RequestId, continuations: number | undefined, error: unknown): void {
    setTimeout(() => {
      const pending = this.#pending.get(id);
      if (pending?.continuations !== continuations || pending === undefined || pending.failures > 0) return;
      if (!pending.canContinue || error instanceof AnswerTooLong) this.#settle(id, error);
    }, DELIVERY_MS).unref();
  }

  #settle(id: RequestId, error?: unknown): void {
    const reason =
      error instanceof AnswerTooLong
        ? { code: ErrorCode.InternalError, message: error.message }
        : { code: ErrorCode.ConnectionClosed, message: "Connection closed" };
    if (this.#pending.delete(id)) this.#fail({ jsonrpc: "2.0", id, error: reason });
  }
}

/** Returns the ID of the request that is sent; undefined for notifications, answers, and everything without a body. */
function requestOf(init: RequestInit | undefined): RequestId | undefined {
  if (typeof init?.body !== "string") return undefined;
  return SentRequest.safeParse(JSON.parse(init.body)).data?.id;
}
