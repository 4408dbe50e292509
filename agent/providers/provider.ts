import type { NoteKind } from "../protocol/content.ts";
import type { AgentMessage, StopReason } from "../protocol/messages.ts";
import type { CacheTtl, Model, ModelErrorKind, ThinkingLevel } from "../protocol/model.ts";

/** A tool as it is described to a model. `parameters` is a JSON Schema object. */
export interface ToolSpec {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  /** Set for a tool that the model's service runs itself, and knows without a description. */
  serverTool?: ServerTool | undefined;
}

/** The tools of services: searching the web, and reading its pages. */
export type ServerTool = "search" | "fetch";

/** Token counts as the provider reports them; cost is worked out above. */
export interface TokenCounts {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** The part of `cacheWrite` that is kept for an hour. */
  cacheWriteHour?: number | undefined;
  reasoning?: number | undefined;
  /** Searches of the web that the service charges for. */
  webSearches?: number | undefined;
}

/** Headers by name; null leaves out one that would be sent otherwise. */
export type RequestHeaders = Readonly<Record<string, string | null>>;

/** Hooks that see requests before they are sent. Providers without requests, such as the demo, don't call them. */
export interface RequestHooks {
  /**
   * Comes before the body is sent; the caller owns the object it gives.
   * @returns the body to send.
   * @throws what keeps the request from being sent.
   */
  payload(body: object): Promise<object>;
  /** Comes before the request is sent, with the headers that the model and its provider want; null leaves one out. @returns those to send. */
  headers?(headers: RequestHeaders): Promise<RequestHeaders>;
  /** Comes before the answer is read. Names of headers are in lower case. */
  response(status: number, headers: Readonly<Record<string, string>>): Promise<void>;
  /** Comes with each event of the answer as the service sent it, before it is read. */
  streamEvent?(data: unknown, model: Model): Promise<void>;
}

/** One request for one assistant message. */
export interface ProviderRequest {
  model: Model;
  systemPrompt: string;
  /**
   * The context in order, made safe for any provider by `prepareContext`: every tool call has its result, no failed
   * message, no foreign signatures, only the roles user, assistant and toolResult.
   */
  messages: readonly AgentMessage[];
  tools: readonly ToolSpec[];
  thinkingLevel: ThinkingLevel;
  /** The key, or undefined when the provider needs none. */
  apiKey: string | undefined;
  /** The conversation that the request belongs to; services keep what they have read of it at hand. */
  conversationId?: string | undefined;
  /** Upper limit on tokens to produce; default is the model's own. */
  maxTokens?: number | undefined;
  /** How long the conversation is kept in the provider's cache, if that can be chosen; default five minutes. */
  cacheTtl?: CacheTtl | undefined;
  /** True if the last message is a paused response of this model, which goes on if it is sent back as it is. */
  isResumed?: boolean | undefined;
  /** Headers of this request alone, over those of the model; null leaves one out. */
  headers?: RequestHeaders | undefined;
  /** Hooks for the request; if absent, nothing is prepared for them. */
  hooks?: RequestHooks | undefined;
  /** Aborting closes the connection; the stream then throws. */
  signal: AbortSignal;
}

/**
 * An event of a provider's stream. `index` is the block's position in the message's content: blocks open in rising order from 0
 * without gaps and may overlap in time. A block that never ends (because the stream was cut) is left to the caller.
 */
export type ProviderEvent =
  | { type: "start"; responseId?: string | undefined; responseModel?: string | undefined }
  | { type: "text_start"; index: number; note?: NoteKind | undefined }
  | { type: "text_delta"; index: number; delta: string }
  /** `content` is the whole text where it is not the sum of the deltas; `signature` belongs to the provider. */
  | { type: "text_end"; index: number; content?: string | undefined; signature?: string | undefined }
  | { type: "thinking_start"; index: number; redacted?: boolean | undefined }
  | { type: "thinking_delta"; index: number; delta: string }
  | { type: "thinking_end"; index: number; content?: string | undefined; signature?: string | undefined }
  | { type: "toolcall_start"; index: number; id: string; name: string }
  /** A piece of the raw JSON text of the arguments. */
  | { type: "toolcall_delta"; index: number; delta: string }
  /** `arguments` count in place of what the deltas spell. */
  | {
      type: "toolcall_end";
      index: number;
      arguments?: Record<string, unknown> | undefined;
      signature?: string | undefined;
    }
  /** The newest counts; each replaces the one before. */
  | { type: "usage"; tokens: TokenCounts }
  | { type: "end"; stopReason: Extract<StopReason, "stop" | "length" | "toolUse">; pause?: Pause | undefined };

/** A response that is not finished; the model goes on when it is asked again. `partial` ones have parts that can't be sent back. */
export type Pause = "whole" | "partial";

/** A source of assistant messages. */
export interface Provider {
  /** The wire protocol's name, as in `Model.api`. */
  readonly api: string;
  /** True if a request can be made without a key. */
  readonly needsKey: boolean;
  /** Returns secrets that the provider fetched itself, such as the tokens of a sign-in. They must never be stored or shown. */
  secrets?(): readonly string[];
  /**
   * Streams one reply. Events that arrived together come together, so that callers can treat them as one step. A stream that ends
   * without an `end` event was cut.
   * @throws ProviderError for everything that goes wrong, an abort included.
   */
  stream(request: ProviderRequest): AsyncIterable<readonly ProviderEvent[]>;
  /** Counts the tokens of a request, for providers that do this free of charge. @throws Error when they can't be counted. */
  countTokens?(request: ProviderRequest): Promise<number>;
}

/** The kinds of failure that callers tell apart. */
export type ProviderErrorKind = "aborted" | ModelErrorKind;

const RETRYABLE: ReadonlySet<ProviderErrorKind> = new Set(["network", "overloaded", "rate_limit", "server", "timeout"]);

interface ProviderErrorOptions {
  status?: number | undefined;
  retryAfterMs?: number | undefined;
  refusedImage?: string | undefined;
  cause?: unknown;
}

/** A request that failed, in words for people. */
export class ProviderError extends Error {
  readonly kind: ProviderErrorKind;
  readonly status: number | undefined;
  /** The delay that the provider asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The base64 data of the image that the provider refused, where it says which. */
  readonly refusedImage: string | undefined;

  constructor(kind: ProviderErrorKind, message: string, options: ProviderErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "ProviderError";
    this.kind = kind;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.refusedImage = options.refusedImage;
  }

  /** Returns the same failure with another message. */
  reworded(message: string): ProviderError {
    const { kind, status, retryAfterMs, refusedImage, cause } = this;
    return new ProviderError(kind, message, { status, retryAfterMs, refusedImage, cause });
  }

  /** True if the same request may succeed a little later. */
  get isRetryable(): boolean {
    return RETRYABLE.has(this.kind);
  }
}
