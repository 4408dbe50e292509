import type { InputContent } from "../protocol/content.ts";
import type { AssistantMessage, ToolResultMessage, UserMessage } from "../protocol/messages.ts";
import { thinkingSettings, wantsThinking } from "./anthropic-thinking.ts";
import type {
  WireAssistantBlock,
  WireImage,
  WireMessage,
  WireRequest,
  WireText,
  WireTool,
  WireUserBlock,
} from "./anthropic-wire.ts";
import { CallIds } from "./call-ids.ts";
import { IMAGE_OMITTED } from "./prepare-context.ts";
import type { ProviderRequest, ToolSpec } from "./provider.ts";
import type { ToolNames } from "./tool-names.ts";
import { wellFormed } from "./well-formed.ts";

const NO_OUTPUT = "(no output)";
const EARLIER_OMITTED = "(Earlier messages are left out.)";
const GO_ON = "Continue.";
const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const BREAKPOINT = { type: "ephemeral" } as const;
const CACHED_USER_TURNS = 2;

/** The body of the request for one reply. `names` gives the tools' names on the wire. */
export function toWireRequest(request: ProviderRequest, names: ToolNames): WireRequest {
  const { model } = request;
  const maxTokens = Math.max(1, Math.min(request.maxTokens ?? model.maxTokens, model.maxTokens));
  const messages = toWireMessages(request, names);
  const settings = thinkingSettings(request, maxTokens, messages);
  markUserTurns(messages);
  return {
    model: model.id,
    max_tokens: maxTokens,
    stream: true,
    ...(request.systemPrompt.trim() === ""
      ? {}
      : { system: [{ type: "text", text: request.systemPrompt, cache_control: BREAKPOINT }] }),
    messages,
    ...(request.tools.length === 0 ? {} : { tools: toWireTools(request.tools, names) }),
    ...settings,
  };
}

function toWireTools(tools: readonly ToolSpec[], names: ToolNames): WireTool[] {
  return tools.map((tool, index) => ({
    name: names.toWire(tool.name),
    description: tool.description,
    input_schema: toInputSchema(tool.parameters),
    ...(index === tools.length - 1 ? { cache_control: BREAKPOINT } : {}),
  }));
}

/** The service takes only objects at the top, and no choice between schemas there. */
function toInputSchema(parameters: Record<string, unknown>): Record<string, unknown> {
  const { oneOf, anyOf, allOf, ...schema } = parameters;
  return { ...schema, type: "object" };
}

function toWireMessages(request: ProviderRequest, names: ToolNames): WireMessage[] {
  const builder = new TurnBuilder();
  const ids = new CallIds();
  for (const message of request.messages) {
    switch (message.role) {
      case "user":
        // Copies, because a block at the top may get a mark of this request's own.
        builder.addUser(toInputBlocks(contentOf(message), request).map((block) => ({ ...block })));
        break;
      case "toolResult":
        builder.addUser([toToolResult(message, request, ids)]);
        break;
      case "assistant":
        builder.addAssistant(toAssistantBlocks(message, request, names, ids));
        break;
      default:
        // prepareContext has turned every other role into a user message.
        break;
    }
  }
  return builder.finish();
}

function contentOf(message: UserMessage): readonly InputContent[] {
  return typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
}

/** The converted form of each block: conversations are sent again and again, and their blocks never change. */
const wireBlocks = new WeakMap<InputContent, readonly (WireText | WireImage)[]>();

function toInputBlocks(content: readonly InputContent[], { model }: ProviderRequest): (WireText | WireImage)[] {
  const seesImages = model.input.includes("image");
  return content.flatMap((block) => {
    if (block.type === "image" && !seesImages) return toText(IMAGE_OMITTED);
    const known = wireBlocks.get(block) ?? toInputBlock(block);
    wireBlocks.set(block, known);
    return known;
  });
}

function toInputBlock(block: InputContent): readonly (WireText | WireImage)[] {
  if (block.type === "text") return toText(block.text);
  if (!IMAGE_TYPES.has(block.mimeType)) return toText(`[image omitted: ${block.mimeType} is not supported]`);
  return [{ type: "image", source: { type: "base64", media_type: block.mimeType, data: block.data } }];
}

/** Returns nothing for blank text, which the service rejects. */
function toText(text: string): WireText[] {
  return text.trim() === "" ? [] : [{ type: "text", text: wellFormed(text) }];
}

function toToolResult(message: ToolResultMessage, request: ProviderRequest, ids: CallIds): WireUserBlock {
  const content = toInputBlocks(message.content, request);
  return {
    type: "tool_result",
    tool_use_id: ids.ofResult(message.toolCallId),
    content: content.length > 0 ? content : [{ type: "text", text: NO_OUTPUT }],
    ...(message.isError ? { is_error: true } : {}),
  };
}

function toAssistantBlocks(
  message: AssistantMessage,
  request: ProviderRequest,
  names: ToolNames,
  ids: CallIds,
): WireAssistantBlock[] {
  return message.content.flatMap((block): WireAssistantBlock[] => {
    if (block.type === "text") return toText(block.text);
    if (block.type === "toolCall") {
      return [{ type: "tool_use", id: ids.ofCall(block.id), name: names.toWire(block.name), input: block.arguments }];
    }
    const signature = block.thinkingSignature;
    if (!signature || !wantsThinking(request)) return [];
    if (block.redacted) return [{ type: "redacted_thinking", data: signature }];
    return [{ type: "thinking", thinking: block.thinking, signature }];
  });
}

/** Joins neighbours of one role into turns; within a user turn tool results come first, as the service wants it. */
class TurnBuilder {
  readonly #turns: WireMessage[] = [];

  addUser(blocks: readonly WireUserBlock[]): void {
    if (blocks.length === 0) return;
    const last = this.#turns.at(-1);
    if (last?.role !== "user") {
      this.#turns.push({ role: "user", content: [...blocks] });
      return;
    }
    const results = last.content.findIndex((block) => block.type !== "tool_result");
    for (const block of blocks) {
      if (block.type === "tool_result" && results !== -1) last.content.splice(results, 0, block);
      else last.content.push(block);
    }
  }

  addAssistant(blocks: readonly WireAssistantBlock[]): void {
    if (blocks.length === 0) return;
    const last = this.#turns.at(-1);
    if (last?.role === "assistant") last.content.push(...blocks);
    else this.#turns.push({ role: "assistant", content: [...blocks] });
  }

  /** A conversation that begins and ends with the user. */
  finish(): WireMessage[] {
    if (this.#turns[0]?.role === "assistant") {
      this.#turns.unshift({ role: "user", content: [{ type: "text", text: EARLIER_OMITTED }] });
    }
    if (this.#turns.at(-1)?.role !== "user") this.addUser([{ type: "text", text: GO_ON }]);
    return this.#turns;
  }
}

/** Marks the newest user turns: the last for the next request, the one before to find what the last request stored. */
function markUserTurns(messages: readonly WireMessage[]): void {
  const turns = messages.filter((message) => message.role === "user").slice(-CACHED_USER_TURNS);
  for (const turn of turns) {
    const last = turn.content.at(-1);
    if (last !== undefined) last.cache_control = BREAKPOINT;
  }
}
