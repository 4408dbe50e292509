import { type CommandInput, type CommandResult, type CommandType, commands } from "../protocol/commands.ts";
import { UiRequest, type UiResponse } from "../protocol/dialogs.ts";
import { ReadyFrame, ResponseFrame } from "../protocol/envelope.ts";
import { AgentEvent } from "../protocol/events.ts";
import type { ControlFrame } from "../protocol/frames.ts";
import { HostModelCancel, HostModelRequest } from "../protocol/host-models.ts";
import { HostSecretRequest } from "../protocol/host-secrets.ts";
import { HostToolCall, HostToolCancel } from "../protocol/host-tools.ts";
import {
  type AgentExited,
  type ConnectionClosed,
  RequestFailed,
  RequestTimeout,
  UnreadableAnswer,
} from "./client-errors.ts";

/** The listeners of a host. Frames arrive in the order in which the agent wrote them. */
export interface RpcListeners {
  /** Every line that goes over the wire, as it is, before anything is made of it. Must not throw, and must be quick. */
  wire?(direction: "in" | "out", text: string): void;
  ready?(frame: ReadyFrame): void;
  event?(event: AgentEvent): void;
  uiRequest?(request: UiRequest): void;
  hostToolCall?(call: HostToolCall): void;
  hostToolCancel?(cancel: HostToolCancel): void;
  hostModelRequest?(request: HostModelRequest): void;
  hostModelCancel?(cancel: HostModelCancel): void;
  hostSecretRequest?(request: HostSecretRequest): void;
  /** The connection is over; all pending requests have been rejected with the same error. */
  closed?(reason: ConnectionClosed | AgentExited): void;
  /** Something was wrong with a frame, or a listener threw; the stream goes on. */
  problem?(problem: RpcProblem): void;
}

/** A frame that was skipped, or a listener's own mistake. Carries no text of the conversation, except in `error`. */
export interface RpcProblem {
  readonly kind: "unreadableLine" | "invalidFrame" | "unknownFrame" | "unmatchedResponse" | "listenerThrew";
  readonly frameType?: string;
  readonly error?: unknown;
}

/** Options of a call: its time limit, and a signal that aborts it. */
export interface RequestOptions<T> {
  /** No limit without it. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Called with the data of a success before any later frame is delivered; must not throw. */
  readonly onAnswer?: (data: T) => void;
}

interface PendingRequest {
  readonly command: string;
  settle(outcome: { data: unknown } | { error: Error }): void;
}

/** The table seen so that the compiler keeps a command and its result together. */
const results: { readonly [C in CommandType]: { readonly result: Schema<CommandResult<C>> } } = commands;

const EVENT_TYPES: ReadonlySet<string> = new Set(AgentEvent.options.map((option) => option.shape.type.value));

/** Commands out, answers and frames in, whatever carries them. Every pending request settles. */
export class FrameClient {
  readonly #write: (frame: object) => void;
  readonly #listeners: RpcListeners;
  readonly #isTrusted: boolean;
  readonly #pending = new Map<string, PendingRequest>();
  #skippedFrames = 0;
  #lastId = 0;
  #end: ConnectionClosed | AgentExited | undefined;

  /**
   * @param write carries a frame to the agent.
   * @param isTrusted true for an agent in the same process: the compiler has checked its frames, and checking them again would take
   * longer than everything else that is done with them.
   */
  constructor(write: (frame: object) => void, listeners: RpcListeners, isTrusted = false) {
    this.#write = write;
    this.#listeners = listeners;
    this.#isTrusted = isTrusted;
  }

  /** The number of skipped frames of unknown types. */
  get skippedFrames(): number {
    return this.#skippedFrames;
  }

  /**
   * Sends a command and resolves to the data of its answer. Rejects with `RequestFailed`, `RequestTimeout`, `UnreadableAnswer`,
   * `AgentExited`, `ConnectionClosed`, or the reason of `signal`. Aborting stops the waiting, not the command.
   */
  request<C extends CommandType>(
    type: C,
    params: CommandInput<C>,
    options: RequestOptions<CommandResult<C>> = {},
  ): Promise<CommandResult<C>> {
    return this.#request(type, params, (data) => this.#read(results[type].result, data), options);
  }

  /** Like `request`, for a command that this client does not know, such as one of a newer agent; the data comes unchecked. */
  requestUnknown(type: string, fields: object, options: RequestOptions<unknown> = {}): Promise<unknown> {
    return this.#request(type, fields, (data) => ({ success: true, data }), options);
  }

  #request<T>(
    type: string,
    fields: object,
    read: (data: unknown) => SafeParsed<T>,
    { timeoutMs, signal, onAnswer }: RequestOptions<T>,
  ): Promise<T> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.#lastId += 1;
    const id = `c${this.#lastId}`;
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const forget = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        this.#pending.delete(id);
      };
      const onAbort = () => {
        forget();
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      if (timeoutMs !== undefined) {
        timer = setTimeout(() => {
          forget();
          reject(new RequestTimeout(type, timeoutMs));
        }, timeoutMs);
      }
      this.#pending.set(id, {
        command: type,
        settle: (outcome) => {
          forget();
          if ("error" in outcome) return reject(outcome.error);
          const result = read(outcome.data);
          if (!result.success) return reject(new UnreadableAnswer(type, { cause: result.error }));
          onAnswer?.(result.data);
          resolve(result.data);
        },
      });
      this.#write({ ...fields, type, id });
    });
  }

  /** Sends an answer to a dialog, or what a tool or a model of the host gives. The agent never answers these. */
  send(frame: ControlFrame): void {
    if (this.#end === undefined) this.#write(frame);
  }

  /** Answers a dialog; the agent ignores all answers but the first. */
  answer(id: string, answer: Omit<UiResponse, "type" | "id">): void {
    this.send({ type: "extension_ui_response", id, ...answer });
  }

  /** Rejects all pending and later requests. Frames that still come are delivered. */
  rejectAll(reason: ConnectionClosed | AgentExited): void {
    this.#end = reason;
    for (const pending of [...this.#pending.values()]) pending.settle({ error: reason });
  }

  /** Ends the connection, and tells its listener. */
  finish(reason: ConnectionClosed | AgentExited): void {
    this.rejectAll(reason);
    try {
      this.#listeners.closed?.(reason);
    } catch (error) {
      this.#report({ kind: "listenerThrew", frameType: "closed", error });
    }
  }

  /** Takes a frame of the agent. */
  take(frame: unknown): void {
    const type = frameType(frame);
    const on = this.#listeners;
    switch (EVENT_TYPES.has(type) ? "event" : type) {
      case "event":
        this.#deliver(AgentEvent, frame, type, on.event);
        break;
      case "response":
        this.#deliver(ResponseFrame, frame, type, (response) => this.#settle(response));
        break;
      case "extension_ui_request":
        this.#deliver(UiRequest, frame, type, on.uiRequest);
        break;
      case "host_tool_call":
        this.#deliver(HostToolCall, frame, type, on.hostToolCall);
        break;
      case "host_tool_cancel":
        this.#deliver(HostToolCancel, frame, type, on.hostToolCancel);
        break;
      case "host_model_request":
        this.#deliver(HostModelRequest, frame, type, on.hostModelRequest);
        break;
      case "host_model_cancel":
        this.#deliver(HostModelCancel, frame, type, on.hostModelCancel);
        break;
      case "host_secret_request":
        this.#deliver(HostSecretRequest, frame, type, on.hostSecretRequest);
        break;
      case "ready":
        this.#deliver(ReadyFrame, frame, type, on.ready);
        break;
      default:
        this.#skippedFrames += 1;
        this.#report({ kind: "unknownFrame", frameType: type });
    }
  }

  #deliver<T>(schema: Schema<T>, frame: unknown, type: string, listener: ((frame: T) => void) | undefined): void {
    const parsed = this.#read(schema, frame);
    if (!parsed.success) {
      this.#report({ kind: "invalidFrame", frameType: type, error: parsed.error });
      return;
    }
    try {
      listener?.call(this.#listeners, parsed.data);
    } catch (error) {
      this.#report({ kind: "listenerThrew", frameType: type, error });
    }
  }

  #read<T>(schema: Schema<T>, value: unknown): SafeParsed<T> {
    return this.#isTrusted && isOf(schema, value) ? { success: true, data: value } : schema.safeParse(value);
  }

  #settle(response: ResponseFrame): void {
    const id = response.id ?? response.requestId;
    const pending = this.#pending.get(String(id));
    if (pending === undefined) {
      this.#report({ kind: "unmatchedResponse", frameType: response.command });
      return;
    }
    if (response.success) {
      pending.settle({ data: response.data });
      return;
    }
    const message = response.error ?? `The agent refused "${pending.command}" without a reason.`;
    pending.settle({ error: new RequestFailed(pending.command, message, response.code) });
  }

  #report(problem: RpcProblem): void {
    this.#listeners.problem?.(problem);
  }
}

/** As much of a zod schema as reading a frame needs. */
interface Schema<T> {
  safeParse(frame: unknown): SafeParsed<T>;
}

/** Tells the compiler what it has checked elsewhere. */
function isOf<T>(_schema: Schema<T>, _value: unknown): _value is T {
  return true;
}

type SafeParsed<T> = { success: true; data: T } | { success: false; error: unknown };

function frameType(frame: unknown): string {
  if (typeof frame !== "object" || frame === null || !("type" in frame)) return "";
  return typeof frame.type === "string" ? frame.type : "";
}
