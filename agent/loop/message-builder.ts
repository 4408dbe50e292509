import type { AssistantContent, NoteKind, TextContent, ToolCall } from "../protocol/content.ts";
import type { AssistantMessageEvent } from "../protocol/events.ts";
import type { AssistantMessage, StopReason } from "../protocol/messages.ts";
import type { Model, ThinkingLevel, Usage } from "../protocol/model.ts";
import { toUsage, ZERO_USAGE } from "../providers/cost.ts";
import type { Pause, ProviderEvent } from "../providers/provider.ts";
import { isNestedDeeper, MAX_NESTING } from "../util/nesting.ts";
import { parseObject, parsePartialObject } from "../util/partial-json.ts";

/** A streamed step as hosts see it, without the snapshot. */
export type StreamStep = Exclude<AssistantMessageEvent, { type: "start" | "done" | "error" }>;

/** Arguments of a call that cannot be used: why, and the text that came. */
export interface BrokenCall {
  problem: string;
  received: string;
}

interface TextBlock {
  kind: "text";
  text: string;
  signature: string | undefined;
  note: NoteKind | undefined;
}
interface ThinkingBlock {
  kind: "thinking";
  text: string;
  isRedacted: boolean;
  signature: string | undefined;
}
interface ToolBlock {
  kind: "tool";
  id: string;
  name: string;
  json: string;
  /** The finished call; unfinished blocks have none. */
  call: ToolCall | undefined;
}
type Block = TextBlock | ThinkingBlock | ToolBlock;

/**
 * Builds one assistant message from a provider's stream. Adding a delta costs as much as the delta; the message is put together
 * only when somebody asks for a snapshot.
 */
export class MessageBuilder {
  readonly #model: Model;
  readonly #thinkingLevel: ThinkingLevel;
  readonly #startedAt: number;
  #blocks: Block[] = [];
  #usage: Usage = ZERO_USAGE;
  #responseId: string | undefined;
  #responseModel: string | undefined;
  #stopReason: StopReason | undefined;
  #pause: Pause | undefined;
  readonly #brokenCalls = new Map<string, BrokenCall>();

  constructor(model: Model, thinkingLevel: ThinkingLevel, now = Date.now()) {
    this.#model = model;
    this.#thinkingLevel = thinkingLevel;
    this.#startedAt = now;
  }

  /** Calls whose arguments cannot be used, by id. */
  get brokenCalls(): ReadonlyMap<string, BrokenCall> {
    return this.#brokenCalls;
  }

  /** True if the provider said how the message ended. */
  get isComplete(): boolean {
    return this.#stopReason !== undefined;
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** Set if the model goes on with this message when it is asked again. An empty message has nothing to go on with. */
  get pause(): Pause | undefined {
    return this.#blocks.length === 0 ? undefined : this.#pause;
  }

  /** Takes one event. @returns the step to show, if the event has one. */
  apply(event: ProviderEvent): StreamStep | undefined {
    switch (event.type) {
      case "start":
        this.#responseId = event.responseId;
        this.#responseModel = event.responseModel;
        return undefined;
      case "usage":
        this.#usage = toUsage(event.tokens, this.#model);
        return undefined;
      case "end":
        this.#stopReason = event.stopReason;
        this.#pause = event.pause;
        return undefined;
      default:
        return this.#applyToBlock(event);
    }
  }

  #applyToBlock(event: Exclude<ProviderEvent, { type: "start" | "usage" | "end" }>): StreamStep | undefined {
    const contentIndex = event.index;
    const block = this.#blocks[contentIndex];
    switch (event.type) {
      case "text_start":
        this.#blocks[contentIndex] = { kind: "text", text: "", signature: undefined, note: event.note };
        return { type: "text_start", contentIndex };
      case "thinking_start":
        this.#blocks[contentIndex] = {
          kind: "thinking",
          text: "",
          isRedacted: event.redacted === true,
          signature: undefined,
        };
        return { type: "thinking_start", contentIndex };
      case "toolcall_start":
        this.#blocks[contentIndex] = { kind: "tool", id: event.id, name: event.name, json: "", call: undefined };
        return { type: "toolcall_start", contentIndex, id: event.id, toolName: event.name };
      case "text_delta":
        if (block?.kind !== "text") return undefined;
        block.text += event.delta;
        return { type: "text_delta", contentIndex, delta: event.delta };
      case "thinking_delta":
        if (block?.kind !== "thinking") return undefined;
        block.text += event.delta;
        return { type: "thinking_delta", contentIndex, delta: event.delta };
      case "toolcall_delta":
        if (block?.kind !== "tool") return undefined;
        block.json += event.delta;
        return { type: "toolcall_delta", contentIndex, delta: event.delta };
      case "text_end":
        if (block?.kind !== "text") return undefined;
        block.text = event.content ?? block.text;
        block.signature = event.signature;
        return { type: "text_end", contentIndex, content: block.text };
      case "thinking_end":
        if (block?.kind !== "thinking") return undefined;
        block.text = event.content ?? block.text;
        block.signature = event.signature;
        return { type: "thinking_end", contentIndex, content: block.text };
      case "toolcall_end":
        if (block?.kind !== "tool") return undefined;
        return { type: "toolcall_end", contentIndex, toolCall: this.#finishCall(block, event) };
    }
  }

  #finishCall(block: ToolBlock, end: Extract<ProviderEvent, { type: "toolcall_end" }>): ToolCall {
    const parsed = end.arguments ?? parseObject(block.json);
    const problem = problemOf(parsed);
    if (problem !== undefined) this.#brokenCalls.set(block.id, { problem, received: block.json });
    const signature = end.signature === undefined ? {} : { thoughtSignature: end.signature };
    const args = problem === undefined && parsed !== undefined ? parsed : {};
    block.call = { type: "toolCall", id: block.id, name: block.name, arguments: args, ...signature };
    return block.call;
  }

  /** The message so far. `stopReason` reads `stop` until the end is known. */
  snapshot(): AssistantMessage {
    return this.#message(this.#blocks.map(toContent), this.#stopReason ?? "stop");
  }

  /** The message as it ended: empty texts at the end are dropped. */
  finished(): AssistantMessage {
    const content = this.#blocks.map(toContent);
    dropEmptyTail(content);
    return this.#message(content, this.#stopReason ?? "stop");
  }

  /** The message as it failed or was aborted: tool calls that were not finished are dropped. */
  failed(stopReason: "error" | "aborted", errorMessage: string): AssistantMessage {
    const content = this.#blocks.filter((block) => block.kind !== "tool" || block.call !== undefined).map(toContent);
    dropEmptyTail(content);
    return { ...this.#message(content, stopReason), errorMessage };
  }

  #message(content: AssistantContent[], stopReason: StopReason): AssistantMessage {
    return {
      role: "assistant",
      content,
      api: this.#model.api,
      provider: this.#model.provider,
      model: this.#model.id,
      usage: this.#usage,
      stopReason,
      ...(this.#responseId === undefined ? {} : { responseId: this.#responseId }),
      ...(this.#responseModel === undefined ? {} : { responseModel: this.#responseModel }),
      ...(this.#model.reasoning ? { thinkingLevel: this.#thinkingLevel } : {}),
      timestamp: this.#startedAt,
    };
  }
}

/** Returns why arguments cannot be used; undefined when they can. */
function problemOf(args: Record<string, unknown> | undefined): string | undefined {
  if (args === undefined) return "not a JSON object";
  return isNestedDeeper(args) ? `nested more than ${MAX_NESTING} levels deep` : undefined;
}

function toContent(block: Block): AssistantContent {
  switch (block.kind) {
    case "text":
      return {
        type: "text",
        text: block.text,
        ...(block.signature === undefined ? {} : { textSignature: block.signature }),
        ...(block.note === undefined ? {} : { note: block.note }),
      };
    case "thinking":
      return {
        type: "thinking",
        thinking: block.text,
        ...(block.signature === undefined ? {} : { thinkingSignature: block.signature }),
        ...(block.isRedacted ? { redacted: true } : {}),
      };
    case "tool":
      return (
        block.call ?? { type: "toolCall", id: block.id, name: block.name, arguments: parsePartialObject(block.json) }
      );
  }
}

function dropEmptyTail(content: AssistantContent[]): void {
  for (let last = content.at(-1); last !== undefined; last = content.at(-1)) {
    const isEmpty = last.type === "text" ? isEmptyText(last) : isEmptyThinking(last);
    if (!isEmpty) return;
    content.pop();
  }
}

/** A note without words may stand for something that has to go back. */
function isEmptyText({ text, note, textSignature }: TextContent): boolean {
  return text === "" && (note === undefined || textSignature === undefined);
}

function isEmptyThinking(block: AssistantContent): boolean {
  return block.type === "thinking" && block.thinking === "" && block.thinkingSignature === undefined;
}
