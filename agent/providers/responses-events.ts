import { crypto } from "../util/late-node.ts";
import { parseEvent, wrongShape } from "./parse-event.ts";
import type { ProviderError, ProviderEvent } from "./provider.ts";
import { addDelta, type WireEvents } from "./reply-stream.ts";
import { eventFailure, refusalFailure } from "./request-errors.ts";
import { SearchNotes } from "./responses-search.ts";
import {
  ErrorEvent,
  type Item,
  ReasoningItem,
  type Response,
  type ResponsesEvent,
  type ResponsesUsage,
  readEvent,
} from "./responses-wire.ts";
import { ServiceError } from "./service-error.ts";
import type { ToolNames } from "./tool-names.ts";

const DONE = "[DONE]";
const PARAGRAPH = "\n\n";

const KINDS: Readonly<Record<string, OpenBlock["kind"]>> = {
  message: "text",
  reasoning: "thinking",
  function_call: "toolcall",
};

interface OpenBlock {
  readonly kind: "text" | "thinking" | "toolcall";
  readonly index: number;
  /** True if a delta came; a server that sends none gives all with the end of the item. */
  hasGrown: boolean;
}

/** Turns the events of one streamed response into ours: each item that matters is a block. */
export class ResponsesEvents implements WireEvents {
  readonly #names: ToolNames;
  /** Open blocks by the place of their item in the response. */
  readonly #blocks = new Map<number, OpenBlock>();
  readonly #ids = new Set<string>();
  #nextIndex = 0;
  #hasCalls = false;
  #refusal = "";
  readonly #search = new SearchNotes(() => this.#takeIndex());
  failure: ProviderError | undefined;
  hasBegun = false;
  hasEnded = false;

  constructor(names: ToolNames) {
    this.#names = names;
  }

  read(data: string, out: ProviderEvent[]): void {
    if (this.hasEnded || this.failure !== undefined || data.trim() === DONE) return;
    const json = parseEvent(data);
    const event = read(json, data);
    if (event !== undefined) this.#apply(event, out);
    else this.failure = failureIn(json);
  }

  /** A response says itself that it is complete. */
  close(): void {}

  #apply(event: ResponsesEvent, out: ProviderEvent[]): void {
    switch (event.type) {
      case "response.created":
        this.#begin(event.response, out);
        break;
      case "response.output_item.added":
        this.#open(event.output_index, event.item, out);
        break;
      case "response.output_text.delta":
        this.#grow(event.output_index, "text", event.delta, out);
        break;
      case "response.reasoning_text.delta":
      case "response.reasoning_summary_text.delta":
        this.#grow(event.output_index, "thinking", event.delta, out);
        break;
      case "response.reasoning_summary_part.added":
        if (event.summary_index > 0) this.#grow(event.output_index, "thinking", PARAGRAPH, out);
        break;
      case "response.function_call_arguments.delta":
        this.#grow(event.output_index, "toolcall", event.delta, out);
        break;
      case "response.refusal.delta":
        this.#refusal += event.delta;
        break;
      case "response.output_item.done":
        this.#close(event.output_index, event.item, out);
        break;
      default:
        this.#end(event, out);
    }
  }

  #begin({ id, model }: Response, out: ProviderEvent[]): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    out.push({ type: "start", responseId: id ?? undefined, responseModel: model ?? undefined });
  }

  #open(place: number, item: Item, out: ProviderEvent[]): OpenBlock | undefined {
    const kind = KINDS[item.type];
    if (kind === undefined) return undefined;
    this.#begin({}, out);
    const block = { kind, index: this.#takeIndex(), hasGrown: false };
    this.#blocks.set(place, block);
    const { index } = block;
    if (kind === "toolcall") {
      this.#hasCalls = true;
      out.push({ type: "toolcall_start", index, id: this.#ownId(item), name: this.#names.fromWire(item.name ?? "") });
    } else {
      out.push({ type: `${kind}_start`, index });
    }
    return block;
  }

  #takeIndex(): number {
    const index = this.#nextIndex;
    this.#nextIndex += 1;
    return index;
  }

  /** Hosts keep by its id what a call did, over all of a session. */
  #ownId({ call_id: id }: Item): string {
    const own = id && !this.#ids.has(id) ? id : `call_${crypto().randomUUID().replaceAll("-", "")}`;
    this.#ids.add(own);
    return own;
  }

  #grow(place: number, kind: OpenBlock["kind"], delta: string, out: ProviderEvent[]): void {
    const block = this.#blocks.get(place);
    if (block?.kind !== kind || delta === "") return;
    block.hasGrown = true;
    addDelta(out, { type: `${kind}_delta`, index: block.index, delta });
  }

  #close(place: number, item: Item, out: ProviderEvent[]): void {
    if (this.#search.take(item, out)) return;
    const block = this.#blocks.get(place) ?? this.#open(place, item, out);
    if (block === undefined) return;
    if (!block.hasGrown) this.#grow(place, block.kind, wholeOf(item), out);
    this.#blocks.delete(place);
    if (!this.#refusal) this.#refusal = (item.content ?? []).map(({ refusal }) => refusal ?? "").join("");
    out.push({ type: `${block.kind}_end`, index: block.index, signature: signatureOf(item) });
  }

  #end({ type, response }: Extract<ResponsesEvent, { response: Response }>, out: ProviderEvent[]): void {
    this.#begin(response, out);
    const { usage, error, incomplete_details: incomplete } = response;
    if (usage) out.push({ type: "usage", tokens: { ...countTokens(usage), ...this.#search.counts } });
    if (type === "response.failed") {
      const message = error?.message || "its server does not say which.";
      this.failure = eventFailure({ type: error?.code ?? "", message });
    } else if (this.#refusal !== "" || incomplete?.reason === "content_filter") {
      this.failure = refusalFailure(this.#refusal);
    } else {
      for (const { kind, index } of this.#blocks.values()) out.push({ type: `${kind}_end`, index });
      this.#blocks.clear();
      this.#search.finish(out);
      const isCut = type === "response.incomplete";
      this.hasEnded = true;
      out.push({ type: "end", stopReason: isCut ? "length" : this.#hasCalls ? "toolUse" : "stop" });
    }
  }
}

/** Returns the event; undefined when it does not matter here. @throws ProviderError when it has a wrong shape. */
function read(json: unknown, data: string): ResponsesEvent | undefined {
  try {
    return readEvent(json);
  } catch (cause) {
    throw wrongShape(data, cause);
  }
}

function failureIn(json: unknown): ProviderError | undefined {
  const error = ErrorEvent.safeParse(json);
  if (error.success) return eventFailure(error.data);
  const bare = ServiceError.safeParse(json);
  return bare.success ? eventFailure(bare.data.error) : undefined;
}

function wholeOf({ type, arguments: args, content, summary }: Item): string {
  if (type === "function_call") return args ?? "";
  const joined = (parts: Item["content"], separator: string) =>
    (parts ?? []).flatMap(({ text }) => (text ? [text] : [])).join(separator);
  return type === "message" ? joined(content, "") : joined(summary, PARAGRAPH) || joined(content, PARAGRAPH);
}

/** Returns the part of an item that is not shown, but is needed to send it back as it was. */
function signatureOf(item: Item): string | undefined {
  if (item.type === "reasoning") {
    const whole = ReasoningItem.safeParse(item);
    return whole.success ? JSON.stringify(whole.data) : undefined;
  }
  if (!item.id) return undefined;
  if (item.type === "function_call") return item.id;
  return JSON.stringify({ id: item.id, phase: item.phase ?? undefined });
}

/** Cached tokens are counted separately. */
function countTokens(usage: ResponsesUsage): Extract<ProviderEvent, { type: "usage" }>["tokens"] {
  const cacheRead = usage.input_tokens_details?.cached_tokens ?? 0;
  return {
    input: Math.max(0, (usage.input_tokens ?? 0) - cacheRead),
    output: usage.output_tokens ?? 0,
    cacheRead,
    cacheWrite: 0,
    reasoning: usage.output_tokens_details?.reasoning_tokens ?? undefined,
  };
}
