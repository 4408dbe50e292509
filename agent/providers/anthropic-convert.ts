import type { ImageContent, InputContent, TextContent, ThinkingContent, ToolCall } from "../protocol/content.ts";
import type { AssistantMessage, ToolResultMessage, UserMessage } from "../protocol/messages.ts";
import { isPdf } from "../util/pdf.ts";
import { isServerBlock, ServerBlocks, storedBlocks, toServerTool } from "./anthropic-server-tools.ts";
import { thinkingSettings, wantsThinking } from "./anthropic-thinking.ts";
import type {
  CacheControl,
  WireAssistantBlock,
  WireDocument,
  WireImage,
  WireMessage,
  WireRequest,
  WireText,
  WireTool,
  WireToolResult,
  WireToolUse,
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
const FIVE_MINUTES: CacheControl = { type: "ephemeral" };
const ONE_HOUR: CacheControl = { type: "ephemeral", ttl: "1h" };
const CACHED_USER_TURNS = 2;

/**
 * The body of the request for one reply. `names` gives the tools' names on the wire.
 * @param ids maps the IDs of calls to those on the wire.
 */
export function toWireRequest(request: ProviderRequest, names: ToolNames, ids = new CallIds()): WireRequest {
  const { model } = request;
  const maxTokens = Math.max(1, Math.min(request.maxTokens ?? model.maxTokens, model.maxTokens));
  const messages = toWireMessages(request, names, ids);
  const settings = thinkingSettings(request, maxTokens, messages);
  const mark = request.cacheTtl === "1h" ? ONE_HOUR : FIVE_MINUTES;
  markUserTurns(messages, mark);
  return {
    model: model.id,
    max_tokens: maxTokens,
    stream: true,
    ...(request.systemPrompt.trim() === ""
      ? {}
      : { system: [{ type: "text", text: request.systemPrompt, cache_control: mark }] }),
    messages,
    ...(request.tools.length === 0 ? {} : { tools: toWireTools(request.tools, names, mark) }),
    ...settings,
  };
}

function toWireTools(tools: readonly ToolSpec[], names: ToolNames, mark: CacheControl): WireTool[] {
  return tools.map((tool, index) => ({
    ...toWireTool(tool, names),
    ...(index === tools.length - 1 ? { cache_control: mark } : {}),
  }));
}

function toWireTool({ name, description, parameters, serverTool }: ToolSpec, names: ToolNames): WireTool {
  if (serverTool !== undefined) return toServerTool(serverTool);
  return { name: names.toWire(name), description, input_schema: toInputSchema(parameters) };
}

/** The service takes only objects at the top, and no choice between schemas there. */
function toInputSchema(parameters: Record<string, unknown>): Record<string, unknown> {
  const { oneOf, anyOf, allOf, ...schema } = parameters;
  return { ...schema, type: "object" };
}

function toWireMessages(request: ProviderRequest, names: ToolNames, ids: CallIds): WireMessage[] {
  const builder = new TurnBuilder();
  const serverBlocks = new ServerBlocks(request.messages, request.tools, request.isResumed === true);
  for (const message of request.messages) {
    switch (message.role) {
      case "user":
        builder.addUser(toInputBlocks(contentOf(message), request));
        break;
      case "toolResult":
        builder.addUser([toToolResult(message, request, ids)]);
        break;
      case "assistant":
        builder.addAssistant(toAssistantBlocks(message, request, { names, ids, serverBlocks }));
        break;
      default:
        // prepareContext has turned every other role into a user message.
        break;
    }
  }
  return request.isResumed === true ? builder.finishResumed() : builder.finish();
}

function contentOf(message: UserMessage): readonly InputContent[] {
  return typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
}

/**
 * The converted form of what is sent again and again and never changes. The same objects come out each time, so that the encoder can keep
 * their text.
 */
const wireTexts = new WeakMap<TextContent, readonly WireText[]>();
const wireImages = new WeakMap<ImageContent, readonly (WireText | WireImage | WireDocument)[]>();
const wireResults = new WeakMap<ToolResultMessage, { seesImages: boolean; block: WireToolResult }>();
const wireCalls = new WeakMap<ToolCall, WireToolUse>();
const wireThinking = new WeakMap<ThinkingContent, WireAssistantBlock>();

function toInputBlocks(
  content: readonly InputContent[],
  { model }: ProviderRequest,
): (WireText | WireImage | WireDocument)[] {
  const seesImages = model.input.includes("image");
  return content.flatMap((block) => {
    if (block.type === "image" && !seesImages) return toText(IMAGE_OMITTED);
    if (block.type === "text") return toTextBlocks(block);
    const known = wireImages.get(block) ?? toImageBlocks(block);
    wireImages.set(block, known);
    return known;
  });
}

function toTextBlocks(content: TextContent): readonly WireText[] {
  const known = wireTexts.get(content) ?? toText(content.text);
  wireTexts.set(content, known);
  return known;
}

function toImageBlocks(block: ImageContent): readonly (WireText | WireImage | WireDocument)[] {
  if (isPdf(block)) {
    return [{ type: "document", source: { type: "base64", media_type: block.mimeType, data: block.data } }];
  }
  if (!IMAGE_TYPES.has(block.mimeType)) return toText(`[image omitted: ${block.mimeType} is not supported]`);
  return [{ type: "image", source: { type: "base64", media_type: block.mimeType, data: block.data } }];
}

/** Returns nothing for blank text, which the service rejects. */
function toText(text: string): WireText[] {
  return text.trim() === "" ? [] : [{ type: "text", text: wellFormed(text) }];
}

function toToolResult(message: ToolResultMessage, request: ProviderRequest, ids: CallIds): WireToolResult {
  const id = ids.ofResult(message.toolCallId);
  const seesImages = request.model.input.includes("image");
  const known = wireResults.get(message);
  if (known?.block.tool_use_id === id && known.seesImages === seesImages) return known.block;
  const content = toInputBlocks(message.content, request);
  const block: WireToolResult = {
    type: "tool_result",
    tool_use_id: id,
    content: content.length > 0 ? content : [{ type: "text", text: NO_OUTPUT }],
    ...(message.isError ? { is_error: true } : {}),
  };
  wireResults.set(message, { seesImages, block });
  return block;
}

function toAssistantBlocks(
  message: AssistantMessage,
  request: ProviderRequest,
  { names, ids, serverBlocks }: { names: ToolNames; ids: CallIds; serverBlocks: ServerBlocks },
): WireAssistantBlock[] {
  return message.content.flatMap((block): readonly WireAssistantBlock[] => {
    if (block.type === "text") return toSaid(block, serverBlocks);
    if (block.type === "toolCall") return [toToolUse(block, ids.ofCall(block.id), names.toWire(block.name))];
    return wantsThinking(request) ? toThinking(block) : [];
  });
}

/** A note stands for the blocks in its signature, and its words are for people. */
function toSaid(block: TextContent, serverBlocks: ServerBlocks): readonly WireAssistantBlock[] {
  const stored = storedBlocks(block);
  if (block.note === undefined) return stored ?? toTextBlocks(block);
  return stored?.filter((one) => serverBlocks.keeps(one)) ?? [];
}

function toToolUse(call: ToolCall, id: string, name: string): WireToolUse {
  const known = wireCalls.get(call);
  if (known?.id === id && known.name === name) return known;
  const use: WireToolUse = { type: "tool_use", id, name, input: call.arguments };
  wireCalls.set(call, use);
  return use;
}

function toThinking(content: ThinkingContent): WireAssistantBlock[] {
  const signature = content.thinkingSignature;
  if (!signature) return [];
  const block: WireAssistantBlock =
    wireThinking.get(content) ??
    (content.redacted
      ? { type: "redacted_thinking", data: signature }
      : { type: "thinking", thinking: content.thinking, signature });
  wireThinking.set(content, block);
  return [block];
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

  /** A conversation that ends with a paused response. The service takes no white space at its end, and only text and the work of its tools there. */
  finishResumed(): WireMessage[] {
    const last = this.#turns.at(-1);
    const block = last?.content.at(-1);
    if (last?.role !== "assistant" || this.#turns.length < 2 || block === undefined) return this.finish();
    if (block.type === "text") last.content[last.content.length - 1] = { ...block, text: block.text.trimEnd() };
    else if (!isServerBlock(block)) return this.finish();
    return this.#turns;
  }
}

/** Marks the newest user turns: the last for the next request, the one before to find what the last request stored. */
function markUserTurns(messages: readonly WireMessage[], mark: CacheControl): void {
  const turns = messages.filter((message) => message.role === "user").slice(-CACHED_USER_TURNS);
  for (const turn of turns) {
    const last = turn.content.pop();
    if (last !== undefined) turn.content.push({ ...last, cache_control: mark });
  }
}
