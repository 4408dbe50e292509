import { type BlockDelta, type BlockStart, ConverseEvent, type ConverseUsage, readException } from "./bedrock-wire.ts";
import { parseEvent, wrongShape } from "./parse-event.ts";
import type { ProviderError, ProviderEvent, TokenCounts } from "./provider.ts";
import { addDelta, type WireEvents } from "./reply-stream.ts";
import { eventFailure, refusalFailure } from "./request-errors.ts";
import type { ToolNames } from "./tool-names.ts";

type StopReason = Extract<ProviderEvent, { type: "end" }>["stopReason"];

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "toolUse",
};

/** The maximum length of a guardrail's explanation, which is the text that replaces the answer. */
const MAX_EXPLANATION_CHARS = 1000;

interface OpenBlock {
  readonly kind: "text" | "thinking" | "redacted" | "toolcall";
  readonly index: number;
  signature: string;
}

/** Converts the events of one streamed response into ours. */
export class ConverseEvents implements WireEvents {
  readonly #names: ToolNames;
  /** Open blocks by their index in the response. */
  readonly #blocks = new Map<number, OpenBlock>();
  #nextIndex = 0;
  #text = "";
  #stopReason: StopReason | undefined;
  failure: ProviderError | undefined;
  hasBegun = false;
  hasEnded = false;

  constructor(names: ToolNames) {
    this.#names = names;
  }

  read(data: string, out: ProviderEvent[]): void {
    if (this.hasEnded || this.failure !== undefined) return;
    const json = parseEvent(data);
    this.hasBegun = true;
    const exception = readException(json);
    if (exception !== undefined) {
      this.failure = eventFailure(exception);
      return;
    }
    const event = ConverseEvent.safeParse(json);
    if (!event.success) throw wrongShape(data, event.error);
    this.#apply(event.data, out);
  }

  /** Completes a response whose stop reason is known. Its token counts follow the stop reason. */
  close(out: ProviderEvent[]): void {
    if (this.#stopReason !== undefined) this.#end(out);
  }

  #apply(event: ConverseEvent, out: ProviderEvent[]): void {
    const { messageStart, contentBlockStart, contentBlockDelta, contentBlockStop, messageStop, metadata } = event;
    if (messageStart !== undefined) out.push({ type: "start" });
    if (contentBlockStart !== undefined) this.#start(contentBlockStart, out);
    if (contentBlockDelta !== undefined) this.#delta(contentBlockDelta, out);
    if (contentBlockStop !== undefined) this.#stop(contentBlockStop.contentBlockIndex, out);
    if (messageStop !== undefined) this.#messageStop(messageStop.stopReason);
    if (metadata === undefined) return;
    if (metadata.usage) out.push({ type: "usage", tokens: countTokens(metadata.usage) });
    this.close(out);
  }

  #start({ contentBlockIndex: at, start }: BlockStart, out: ProviderEvent[]): void {
    const call = start?.toolUse;
    if (!call) return;
    const { index } = this.#open(at, "toolcall");
    const name = this.#names.fromWire(call.name ?? "");
    out.push({ type: "toolcall_start", index, id: call.toolUseId || `tooluse_${index}`, name });
  }

  #delta({ contentBlockIndex: at, delta }: BlockDelta, out: ProviderEvent[]): void {
    const { text, toolUse, reasoningContent: thought } = delta;
    if (text) this.#grow(at, "text", text, out);
    if (toolUse?.input) this.#grow(at, "toolcall", toolUse.input, out);
    if (thought?.text) this.#grow(at, "thinking", thought.text, out);
    if (thought?.signature) this.#blockOf(at, "thinking", out).signature += thought.signature;
    if (thought?.redactedContent) {
      const block = this.#blockOf(at, "redacted", out);
      block.signature = joinBase64(block.signature, thought.redactedContent);
    }
  }

  #grow(at: number, kind: "text" | "thinking" | "toolcall", delta: string, out: ProviderEvent[]): void {
    if (kind === "toolcall" && this.#blocks.get(at)?.kind !== kind) return;
    if (kind === "text") this.#text = (this.#text + delta).slice(0, MAX_EXPLANATION_CHARS);
    addDelta(out, { type: `${kind}_delta`, index: this.#blockOf(at, kind, out).index, delta });
  }

  /** Returns the open block of this kind, or opens one, because the service announces only calls. */
  #blockOf(at: number, kind: OpenBlock["kind"], out: ProviderEvent[]): OpenBlock {
    const open = this.#blocks.get(at);
    if (open?.kind === kind) return open;
    this.#stop(at, out);
    const block = this.#open(at, kind);
    const { index } = block;
    if (kind === "redacted") out.push({ type: "thinking_start", index, redacted: true });
    else if (kind !== "toolcall") out.push({ type: `${kind}_start`, index });
    return block;
  }

  #open(at: number, kind: OpenBlock["kind"]): OpenBlock {
    const block = { kind, index: this.#nextIndex, signature: "" };
    this.#nextIndex += 1;
    this.#blocks.set(at, block);
    return block;
  }

  #stop(at: number, out: ProviderEvent[]): void {
    const block = this.#blocks.get(at);
    if (block === undefined) return;
    this.#blocks.delete(at);
    const { kind, index, signature } = block;
    if (kind === "text" || kind === "toolcall") out.push({ type: `${kind}_end`, index });
    else out.push({ type: "thinking_end", index, signature: signature || undefined });
  }

  #messageStop(reason: string): void {
    if (reason === "guardrail_intervened") this.failure = refusalFailure(this.#text);
    else if (reason === "content_filtered" || reason === "refusal") this.failure = refusalFailure(undefined);
    else if (reason.startsWith("malformed_")) {
      this.failure = eventFailure({ type: reason, message: "The service could not read the model's response." });
    } else this.#stopReason = STOP_REASONS[reason] ?? "stop";
  }

  #end(out: ProviderEvent[]): void {
    for (const at of [...this.#blocks.keys()]) this.#stop(at, out);
    this.hasEnded = true;
    out.push({ type: "end", stopReason: this.#stopReason ?? "stop" });
  }
}

function joinBase64(first: string, second: string): string {
  if (first === "") return second;
  return Buffer.concat([first, second].map((part) => Buffer.from(part, "base64"))).toString("base64");
}

function countTokens(usage: ConverseUsage): TokenCounts {
  const hour = (usage.cacheDetails ?? []).reduce(
    (sum, { ttl, inputTokens }) => sum + (ttl === "1h" ? (inputTokens ?? 0) : 0),
    0,
  );
  return {
    input: usage.inputTokens ?? 0,
    output: usage.outputTokens ?? 0,
    cacheRead: usage.cacheReadInputTokens ?? 0,
    cacheWrite: usage.cacheWriteInputTokens ?? 0,
    ...(hour === 0 ? {} : { cacheWriteHour: hour }),
  };
}
