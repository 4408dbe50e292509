import type { InputContent } from "../protocol/content.ts";
import type { AssistantMessage, ToolResultMessage, UserMessage } from "../protocol/messages.ts";
import { CallIds, plainIds, shortIds } from "./call-ids.ts";
import { markCache } from "./completions-cache.ts";
import { type ServerTraits, thinkingFields, traitsOf } from "./completions-settings.ts";
import {
  type ChatAssistant,
  type ChatImage,
  type ChatMessage,
  type ChatRequest,
  type ChatText,
  type ChatTool,
  REASONING_FIELDS,
} from "./completions-wire.ts";
import { IMAGE_OMITTED } from "./prepare-context.ts";
import type { ProviderRequest, ToolSpec } from "./provider.ts";
import type { ToolNames } from "./tool-names.ts";
import { wellFormed } from "./well-formed.ts";

const NO_OUTPUT = "(no output)";
const SEE_IMAGE = "(see the image below)";
const IMAGES_OF_TOOL = "Images that the tool gave:";
const TOOLS_SEEN = "I have seen the results.";
/** Google's word for a call of another model. @see https://ai.google.dev/gemini-api/docs/thought-signatures */
const UNSIGNED = "skip_thought_signature_validator";
const MAX_ID_LENGTH = 40;

/** The body of the request for one reply. `names` gives the tools' names on the wire. */
export function toChatRequest(request: ProviderRequest, names: ToolNames): ChatRequest {
  const { model, maxTokens, tools } = request;
  const traits = traitsOf(model);
  const messages = toChatMessages(request, names, traits);
  return {
    model: model.id,
    messages: traits.marksCache ? markCache(messages, request.cacheTtl) : messages,
    stream: true,
    ...(traits.supportsUsageInStreaming ? { stream_options: { include_usage: true } } : {}),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => toChatTool(tool, names)) }),
    // Without a wish of ours the server's own limit holds: many count it against the window together with the prompt.
    ...(maxTokens === undefined ? {} : { [traits.maxTokensField]: Math.min(maxTokens, model.maxTokens) }),
    ...thinkingFields(request, traits),
  };
}

function toChatTool({ name, description, parameters }: ToolSpec, names: ToolNames): ChatTool {
  return { type: "function", function: { name: names.toWire(name), description, parameters } };
}

function toChatMessages(request: ProviderRequest, names: ToolNames, traits: ServerTraits): ChatMessage[] {
  const messages: ChatMessage[] = [];
  const ids = new CallIds(traits.requiresMistralToolIds ? shortIds : plainIds(MAX_ID_LENGTH));
  if (request.systemPrompt.trim() !== "") {
    const role = traits.supportsDeveloperRole && request.model.reasoning ? "developer" : "system";
    messages.push({ role, content: wellFormed(request.systemPrompt) });
  }
  /** Images of tool results. Tool messages cannot contain images, and no other message may come between the tool messages of a turn. */
  let images: ChatImage[] = [];
  const showImages = () => {
    if (images.length > 0)
      messages.push({ role: "user", content: [{ type: "text", text: IMAGES_OF_TOOL }, ...images] });
    images = [];
  };
  for (const message of request.messages) {
    if (message.role !== "toolResult") showImages();
    if (message.role === "user") messages.push(...toUser(message, request));
    else if (message.role === "assistant") messages.push(...toAssistant(message, request, { names, ids, traits }));
    else if (message.role === "toolResult") {
      const parts = toParts(message.content, request);
      images.push(...parts.filter((part) => part.type === "image_url"));
      messages.push(toToolResult(message, parts, { names, ids, traits }));
    }
  }
  showImages();
  return traits.requiresAssistantAfterToolResult ? messages.flatMap(answerTools) : messages;
}

/** Puts a word of the model's between the results of tools and what the user says. */
function answerTools(message: ChatMessage, index: number, all: readonly ChatMessage[]): ChatMessage[] {
  const isBehindTools = message.role === "user" && all[index - 1]?.role === "tool";
  return isBehindTools ? [{ role: "assistant", content: TOOLS_SEEN }, message] : [message];
}

function toUser({ content }: UserMessage, request: ProviderRequest): ChatMessage[] {
  const parts = toParts(typeof content === "string" ? [{ type: "text", text: content }] : content, request);
  if (parts.length === 0) return [];
  const isText = parts.every((part) => part.type === "text");
  return [{ role: "user", content: isText ? joined(parts) : parts }];
}

function toParts(content: readonly InputContent[], { model }: ProviderRequest): (ChatText | ChatImage)[] {
  const seesImages = model.input.includes("image");
  return content.flatMap((block): (ChatText | ChatImage)[] => {
    if (block.type === "text") return toText(block.text);
    if (!seesImages) return toText(IMAGE_OMITTED);
    return [{ type: "image_url", image_url: { url: `data:${block.mimeType};base64,${block.data}` } }];
  });
}

function toText(text: string): ChatText[] {
  return text.trim() === "" ? [] : [{ type: "text", text: wellFormed(text) }];
}

function joined(parts: readonly (ChatText | ChatImage)[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

interface Translation {
  names: ToolNames;
  ids: CallIds;
  traits: ServerTraits;
}

function toAssistant(
  { content }: AssistantMessage,
  { model, thinkingLevel }: ProviderRequest,
  { names, ids, traits }: Translation,
): ChatMessage[] {
  const text = content.flatMap((block) => (block.type === "text" ? toText(block.text) : []));
  const calls = content.flatMap((block) => (block.type === "toolCall" ? [block] : []));
  if (text.length === 0 && calls.length === 0) return [];
  const message: ChatAssistant = { role: "assistant", content: text.length === 0 ? null : joined(text) };
  for (const block of content) {
    // Thinking is sent back in its own field: some servers reject a turn with tool calls without it.
    const field = REASONING_FIELDS.find((name) => block.type === "thinking" && block.thinkingSignature === name);
    if (block.type === "thinking" && field !== undefined) message[field] = (message[field] ?? "") + block.thinking;
  }
  if (traits.requiresReasoningContentOnAssistantMessages && model.reasoning && thinkingLevel !== "off") {
    message.reasoning_content ??= "";
  }
  if (calls.length > 0) {
    message.tool_calls = calls.map(({ id, name, arguments: args, thoughtSignature: signature }) => ({
      id: ids.ofCall(id),
      type: "function",
      function: { name: names.toWire(name), arguments: JSON.stringify(args) },
      ...(signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }),
    }));
    const [first] = message.tool_calls;
    if (traits.signsCalls && first !== undefined) first.extra_content ??= { google: { thought_signature: UNSIGNED } };
  }
  return [message];
}

function toToolResult(
  { toolCallId, toolName }: ToolResultMessage,
  parts: readonly (ChatText | ChatImage)[],
  { names, ids, traits }: Translation,
): ChatMessage {
  return {
    role: "tool",
    tool_call_id: ids.ofResult(toolCallId),
    content: joined(parts) || (parts.length > 0 ? SEE_IMAGE : NO_OUTPUT),
    ...(traits.requiresToolResultName ? { name: names.toWire(toolName) } : {}),
  };
}
