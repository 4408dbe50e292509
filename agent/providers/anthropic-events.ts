import { type OpenWork, ServerWork } from "./anthropic-server-work.ts";
import { WireEvent, type WireUsage, wireEventTypes } from "./anthropic-wire.ts";
import { parseEvent, wrongShape } from "./parse-event.ts";
import type { ProviderError, ProviderEvent, TokenCounts } from "./provider.ts";
import { addDelta, type WireEvents } from "./reply-stream.ts";
import { eventFailure, refusalFailure } from "./request-errors.ts";
import type { ToolNames } from "./tool-names.ts";

type StopReason = Extract<ProviderEvent, { type: "end" }>["stopReason"];

interface OpenBlock {
  /** Position in our message: blocks of unknown kinds do not count. */
  index: number;
  kind: "text" | "thinking" | "toolcall";
  signature: string;
  /** Set for the work of a tool of the service. */
  work?: OpenWork | undefined;
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "toolUse",
};

/** Turns the events of one message stream into ours. */
export class AnthropicEvents implements WireEvents {
  readonly #names: ToolNames;
  readonly #blocks = new Map<number, OpenBlock>();
  readonly #work: ServerWork;
  /** True if a block came that can't be sent back, such as the work of an unknown tool of the service. */
  #isPartial = false;
  #isPaused = false;
  readonly #tokens: TokenCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  #nextIndex = 0;
  #stopReason: StopReason | undefined;
  #failure: ProviderError | undefined;
  #hasBegun = false;
  #hasEnded = false;

  /** @param serverTools the names of the service's tools that the request declares. */
  constructor(names: ToolNames, serverTools: ReadonlySet<string>) {
    this.#names = names;
    this.#work = new ServerWork(serverTools, () => this.#takeIndex());
  }

  get failure(): ProviderError | undefined {
    return this.#failure;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  read(data: string, out: ProviderEvent[]): void {
    if (this.#hasEnded || this.#failure !== undefined) return;
    const event = readEvent(data);
    if (event === undefined) return;
    this.#hasBegun = true;
    this.#apply(event, out);
  }

  /** A message whose stop reason is known is then complete. */
  close(out: ProviderEvent[]): void {
    if (this.#stopReason !== undefined) this.#end(out);
  }

  #apply(event: WireEvent, out: ProviderEvent[]): void {
    switch (event.type) {
      case "content_block_delta":
        this.#delta(event, out);
        break;
      case "content_block_start":
        this.#start(event, out);
        break;
      case "content_block_stop":
        this.#stop(event.index, out);
        break;
      case "message_start": {
        const { id, model, usage } = event.message;
        out.push({ type: "start", responseId: id, responseModel: model });
        if (usage !== undefined) this.#count(usage, out);
        break;
      }
      case "message_delta":
        if (event.usage) this.#count(event.usage, out);
        this.#messageDelta(event.delta);
        break;
      case "message_stop":
        this.#end(out);
        break;
      case "error":
        this.#failure = eventFailure(event.error);
        break;
    }
  }

  #start({ index, content_block: block }: Extract<WireEvent, { type: "content_block_start" }>, out: ProviderEvent[]) {
    const begun = this.#work.begin(block, out);
    if (begun !== undefined) {
      this.#blocks.set(index, { kind: "text", signature: "", ...begun });
      return;
    }
    switch (block.type) {
      case "text": {
        const at = this.#open(index, "text");
        out.push({ type: "text_start", index: at });
        if (block.text) addDelta(out, { type: "text_delta", index: at, delta: block.text });
        return;
      }
      case "thinking": {
        const at = this.#open(index, "thinking", block.signature);
        out.push({ type: "thinking_start", index: at });
        if (block.thinking) addDelta(out, { type: "thinking_delta", index: at, delta: block.thinking });
        return;
      }
      case "redacted_thinking":
        out.push({ type: "thinking_start", index: this.#open(index, "thinking", block.data), redacted: true });
        return;
      case "tool_use": {
        const at = this.#open(index, "toolcall");
        out.push({
          type: "toolcall_start",
          index: at,
          id: block.id ?? `toolu_${at}`,
          name: this.#names.fromWire(block.name ?? ""),
        });
        // Some servers that imitate the service send the whole input at the start.
        if (block.input !== undefined && Object.keys(block.input).length > 0) {
          addDelta(out, { type: "toolcall_delta", index: at, delta: JSON.stringify(block.input) });
        }
        return;
      }
      default:
        this.#isPartial = true;
        return;
    }
  }

  #takeIndex(): number {
    const index = this.#nextIndex;
    this.#nextIndex += 1;
    return index;
  }

  #open(wireIndex: number, kind: OpenBlock["kind"], signature = ""): number {
    const index = this.#takeIndex();
    this.#blocks.set(wireIndex, { index, kind, signature });
    return index;
  }

  #delta({ index: wireIndex, delta }: Extract<WireEvent, { type: "content_block_delta" }>, out: ProviderEvent[]) {
    const block = this.#blocks.get(wireIndex);
    if (block === undefined) return;
    const { index } = block;
    if (block.work !== undefined) {
      block.work.add(delta, out);
    } else if (delta.type === "text_delta" && block.kind === "text") {
      if (delta.text) addDelta(out, { type: "text_delta", index, delta: delta.text });
    } else if (delta.type === "thinking_delta" && block.kind === "thinking") {
      if (delta.thinking) addDelta(out, { type: "thinking_delta", index, delta: delta.thinking });
    } else if (delta.type === "signature_delta") {
      block.signature += delta.signature ?? "";
    } else if (delta.type === "input_json_delta" && block.kind === "toolcall") {
      if (delta.partial_json) addDelta(out, { type: "toolcall_delta", index, delta: delta.partial_json });
    }
  }

  #stop(wireIndex: number, out: ProviderEvent[]): void {
    const block = this.#blocks.get(wireIndex);
    if (block === undefined) return;
    this.#blocks.delete(wireIndex);
    if (block.work !== undefined) {
      block.work.end(out);
    } else if (block.kind === "thinking") {
      out.push({ type: "thinking_end", index: block.index, signature: block.signature || undefined });
    } else {
      out.push({ type: block.kind === "text" ? "text_end" : "toolcall_end", index: block.index });
    }
  }

  #messageDelta(delta: Extract<WireEvent, { type: "message_delta" }>["delta"]): void {
    if (!delta.stop_reason) return;
    if (delta.stop_reason === "refusal") this.#failure = refusalFailure(delta.stop_details?.explanation ?? undefined);
    else this.#stopReason = STOP_REASONS[delta.stop_reason] ?? "stop";
    this.#isPaused = delta.stop_reason === "pause_turn";
  }

  #count(usage: WireUsage, out: ProviderEvent[]): void {
    const tokens = this.#tokens;
    tokens.input = usage.input_tokens ?? tokens.input;
    tokens.output = usage.output_tokens ?? tokens.output;
    tokens.cacheRead = usage.cache_read_input_tokens ?? tokens.cacheRead;
    tokens.cacheWrite = usage.cache_creation_input_tokens ?? tokens.cacheWrite;
    tokens.cacheWriteHour = usage.cache_creation?.ephemeral_1h_input_tokens ?? tokens.cacheWriteHour;
    tokens.reasoning = usage.output_tokens_details?.thinking_tokens ?? tokens.reasoning;
    tokens.webSearches = usage.server_tool_use?.web_search_requests ?? tokens.webSearches;
    out.push({ type: "usage", tokens: { ...tokens } });
  }

  #end(out: ProviderEvent[]): void {
    this.#hasEnded = true;
    this.#work.finish(out);
    const pause = this.#isPartial ? "partial" : "whole";
    out.push({ type: "end", stopReason: this.#stopReason ?? "stop", ...(this.#isPaused ? { pause } : {}) });
  }
}

/** The event in `data`, or undefined when it is of a kind that carries nothing for us. */
function readEvent(data: string): WireEvent | undefined {
  const json = parseEvent(data);
  const delta = readTextDelta(json);
  if (delta !== undefined) return delta;
  const parsed = WireEvent.safeParse(json);
  if (parsed.success) return parsed.data;
  const type: unknown = typeof json === "object" && json !== null ? Reflect.get(json, "type") : undefined;
  if (typeof type === "string" && !wireEventTypes().has(type)) return undefined;
  throw wrongShape(data, parsed.error);
}

/** The commonest event, read by hand: of tens of thousands the schema would cost as much as parsing them. */
function readTextDelta(json: unknown): WireEvent | undefined {
  if (typeof json !== "object" || json === null || !("type" in json) || json.type !== "content_block_delta")
    return undefined;
  if (!("index" in json && typeof json.index === "number" && "delta" in json)) return undefined;
  const { index, delta } = json;
  if (typeof delta !== "object" || delta === null || !("type" in delta && "text" in delta)) return undefined;
  const { type, text } = delta;
  if (type !== "text_delta" || typeof text !== "string") return undefined;
  return { type: "content_block_delta", index, delta: { type, text } };
}
