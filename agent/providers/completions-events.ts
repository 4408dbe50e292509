import { crypto } from "../util/late-node.ts";
import { ChatChunk, type ChatDelta, type ChatUsage, REASONING_FIELDS, type ToolCallDelta } from "./completions-wire.ts";
import { parseEvent, wrongShape } from "./parse-event.ts";
import type { ProviderError, ProviderEvent } from "./provider.ts";
import { addDelta, type WireEvents } from "./reply-stream.ts";
import { eventFailure, refusalFailure } from "./request-errors.ts";
import { ServiceError } from "./service-error.ts";
import type { ToolNames } from "./tool-names.ts";

const DONE = "[DONE]";

interface OpenBlock {
  readonly kind: "text" | "thinking";
  readonly index: number;
  /** For thinking: the field that it comes in. */
  readonly signature?: string | undefined;
}

interface OpenCall {
  readonly index: number;
  /** As the server calls it, if it does. */
  readonly id: string | null | undefined;
  /** Of the thinking before it, if the server signs that. */
  signature?: string | undefined;
}

/** Turns the events of one streamed completion into ours. Text and thinking come one after the other; calls overlap. */
export class CompletionEvents implements WireEvents {
  readonly #names: ToolNames;
  readonly #keepsHour: boolean;
  /** Calls by their place in the answer; the newest has a place that others may share by mistake. */
  readonly #calls = new Map<number, OpenCall>();
  readonly #ids = new Set<string>();
  #block: OpenBlock | undefined;
  #nextIndex = 0;
  #hasCalls = false;
  #finishReason: string | undefined;
  #refusal = "";
  failure: ProviderError | undefined;
  hasBegun = false;
  hasEnded = false;

  /** @param keepsHour true if cache writes last for an hour. */
  constructor(names: ToolNames, keepsHour = false) {
    this.#names = names;
    this.#keepsHour = keepsHour;
  }

  read(data: string, out: ProviderEvent[]): void {
    if (this.hasEnded || this.failure !== undefined) return;
    if (data.trim() === DONE) {
      this.#end(out);
      return;
    }
    const json = parseEvent(data);
    const error = ServiceError.safeParse(json);
    if (error.success) {
      this.failure = eventFailure(error.data.error);
      return;
    }
    const chunk = ChatChunk.safeParse(json);
    if (!chunk.success) throw wrongShape(data, chunk.error);
    this.#apply(chunk.data, out);
  }

  /** An answer that says why it stopped is complete: not every server says so once more. */
  close(out: ProviderEvent[]): void {
    if (this.#finishReason !== undefined) this.#end(out);
  }

  #apply({ id, model, choices, usage }: ChatChunk, out: ProviderEvent[]): void {
    if (!this.hasBegun) out.push({ type: "start", responseId: id ?? undefined, responseModel: model ?? undefined });
    this.hasBegun = true;
    const choice = choices?.[0];
    if (choice?.delta) this.#delta(choice.delta, out);
    if (choice?.finish_reason) this.#finishReason = choice.finish_reason;
    if (usage) out.push({ type: "usage", tokens: countTokens(usage, this.#keepsHour) });
  }

  #delta(delta: ChatDelta, out: ProviderEvent[]): void {
    const field = REASONING_FIELDS.find((name) => delta[name]);
    if (field !== undefined) this.#grow("thinking", delta[field] ?? "", out, field);
    const { content } = delta;
    const answer = typeof content === "string" ? { thinking: "", text: content } : content;
    if (answer?.thinking) this.#grow("thinking", answer.thinking, out);
    if (answer?.text) this.#grow("text", answer.text, out);
    if (delta.refusal) this.#refusal += delta.refusal;
    for (const call of delta.tool_calls ?? []) this.#call(call, out);
  }

  #grow(kind: OpenBlock["kind"], delta: string, out: ProviderEvent[], signature?: string): void {
    if (this.#block?.kind !== kind) {
      this.#closeBlock(out);
      this.#block = { kind, index: this.#nextIndex, signature };
      this.#nextIndex += 1;
      out.push({ type: `${kind}_start`, index: this.#block.index });
    }
    addDelta(out, { type: `${kind}_delta`, index: this.#block.index, delta });
  }

  #call({ index: place = 0, id, function: called, extra_content: extra }: ToolCallDelta, out: ProviderEvent[]): void {
    this.#closeBlock(out);
    const known = this.#calls.get(place ?? 0);
    // Some servers give all calls the same place; another id with a name is another call.
    const isNew = known === undefined || (!!id && !!called?.name && id !== known.id);
    const call = isNew ? this.#openCall(place ?? 0, id, called?.name, out) : known;
    call.signature = extra?.google?.thought_signature ?? call.signature;
    if (called?.arguments) addDelta(out, { type: "toolcall_delta", index: call.index, delta: called.arguments });
  }

  #openCall(
    place: number,
    id: string | null | undefined,
    name: string | null | undefined,
    out: ProviderEvent[],
  ): OpenCall {
    const before = this.#calls.get(place);
    if (before !== undefined) out.push(endOf(before));
    const index = this.#nextIndex;
    this.#nextIndex += 1;
    const call: OpenCall = { index, id };
    this.#calls.set(place, call);
    // Hosts keep by its id what a call did, over all of a session.
    const ownId = id && !this.#ids.has(id) ? id : `call_${crypto().randomUUID().replaceAll("-", "")}`;
    this.#ids.add(ownId);
    this.#hasCalls = true;
    out.push({ type: "toolcall_start", index, id: ownId, name: this.#names.fromWire(name ?? "") });
    return call;
  }

  #closeBlock(out: ProviderEvent[]): void {
    const block = this.#block;
    this.#block = undefined;
    if (block?.kind === "text") out.push({ type: "text_end", index: block.index });
    if (block?.kind === "thinking") {
      out.push({ type: "thinking_end", index: block.index, signature: block.signature });
    }
  }

  #end(out: ProviderEvent[]): void {
    if (!this.hasBegun) return;
    if (this.#finishReason === "error") {
      this.failure = eventFailure({ type: "", message: "its server does not say which." });
      return;
    }
    if (this.#finishReason === "content_filter" || this.#refusal !== "") {
      this.failure = refusalFailure(this.#refusal);
      return;
    }
    // An end without an answer and without a reason is none: the server has lost it.
    if (this.#finishReason === undefined && this.#nextIndex === 0) return;
    this.#closeBlock(out);
    for (const call of this.#calls.values()) out.push(endOf(call));
    this.hasEnded = true;
    const isCut = this.#finishReason === "length";
    out.push({ type: "end", stopReason: isCut ? "length" : this.#hasCalls ? "toolUse" : "stop" });
  }
}

function endOf({ index, signature }: OpenCall): ProviderEvent {
  return { type: "toolcall_end", index, ...(signature === undefined ? {} : { signature }) };
}

/** Cached tokens are counted separately. */
function countTokens(usage: ChatUsage, keepsHour: boolean): Extract<ProviderEvent, { type: "usage" }>["tokens"] {
  const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? 0;
  const cacheWrite = usage.prompt_tokens_details?.cache_write_tokens ?? 0;
  return {
    input: Math.max(0, (usage.prompt_tokens ?? 0) - cacheRead - cacheWrite),
    output: usage.completion_tokens ?? 0,
    cacheRead,
    cacheWrite,
    ...(keepsHour ? { cacheWriteHour: cacheWrite } : {}),
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? undefined,
  };
}
