import * as z from "zod";
import { errorMessage } from "../../protocol/errors.ts";
import type { Model } from "../../protocol/model.ts";
import { type Provider, ProviderError, type ProviderEvent, type ProviderRequest } from "../../providers/provider.ts";
import type { ExtensionFunction } from "../registrations.ts";
import { AnswerEvents } from "./answer-events.ts";
import { answerFailure } from "./answer-failure.ts";
import { toTranscript } from "./transcript.ts";

/** A provider that an extension brings. */
export interface OwnProvider {
  /** The wire's name that its models have. */
  api: string;
  /** Answers one request: gets model, context and options, gives a stream of events. */
  stream: ExtensionFunction;
  /** The model with the fields that only its author knows. */
  describe(model: Model): object;
}

const Stream = z.custom<AsyncIterable<unknown>>(
  (value) =>
    typeof value === "object" && value !== null && typeof Reflect.get(value, Symbol.asyncIterator) === "function",
);

/** Makes a provider of an extension's own code. Whatever that code does becomes an answer or a ProviderError. */
export function createOwnProvider(own: OwnProvider): Provider {
  return { api: own.api, needsKey: true, stream: (request) => streamReply(own, request) };
}

async function* streamReply(own: OwnProvider, request: ProviderRequest): AsyncGenerator<ProviderEvent[], void> {
  const { signal, model } = request;
  const events = new AnswerEvents();
  let iterator: AsyncIterator<unknown> | undefined;
  try {
    signal.throwIfAborted();
    const stream = Stream.safeParse(await unlessAborted(begin(own, request), signal));
    if (!stream.success)
      throw answerFailure(`Provider ${model.provider} returned something other than a stream of events.`);
    iterator = stream.data[Symbol.asyncIterator]();
    while (!events.hasEnded) {
      const { done, value } = await unlessAborted(iterator.next(), signal);
      if (done === true) throw cut(model);
      const batch = events.read(value);
      if (batch.length > 0) yield batch;
    }
  } catch (error) {
    if (signal.aborted) throw new ProviderError("aborted", "Request was aborted", { cause: error });
    throw error instanceof ProviderError ? error : answerFailure(errorMessage(error), error);
  } finally {
    // This isn't awaited, because code that hangs would also hang here.
    void leave(iterator);
  }
}

async function leave(iterator: AsyncIterator<unknown> | undefined): Promise<void> {
  try {
    await iterator?.return?.();
  } catch {
    // The answer is over, whatever its code does at the end.
  }
}

async function begin({ stream, describe }: OwnProvider, request: ProviderRequest): Promise<unknown> {
  const { model, hooks, thinkingLevel, apiKey, maxTokens, signal } = request;
  const described = describe(model);
  const headers = { ...model.headers, ...request.headers };
  const options = {
    apiKey,
    maxTokens,
    signal,
    ...(thinkingLevel === "off" ? {} : { reasoning: thinkingLevel }),
    headers: hooks?.headers === undefined ? headers : await hooks.headers(headers),
    ...(hooks && {
      onPayload: (payload: unknown) =>
        typeof payload === "object" && payload !== null ? hooks.payload(payload) : payload,
      onResponse: (response: unknown) => tellResponse(hooks, response),
      onProviderStreamEvent: (data: unknown) => hooks.streamEvent?.(data, model),
    }),
  };
  return stream(described, toTranscript(request), options);
}

const Response = z.object({ status: z.number(), headers: z.record(z.string(), z.string()).catch({}) });

async function tellResponse(hooks: NonNullable<ProviderRequest["hooks"]>, response: unknown): Promise<void> {
  const read = Response.safeParse(response);
  if (read.success) await hooks.response(read.data.status, read.data.headers);
}

function cut({ provider }: Model): ProviderError {
  return new ProviderError("network", `Provider ${provider} ended its response without saying how.`);
}

/** @throws the signal's reason as soon as it aborts, and abandons the work. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let leave = () => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
