import type { AssistantContent, InputContent } from "../protocol/content.ts";
import type { AssistantMessage } from "../protocol/messages.ts";
import { CallIds, plainIds } from "./call-ids.ts";
import { effortOf } from "./completions-settings.ts";
import { IMAGE_OMITTED } from "./prepare-context.ts";
import type { ProviderRequest, ToolSpec } from "./provider.ts";
import type { RefusedParts } from "./responses-refused.ts";
import {
  type InputPart,
  MessageMark,
  ReasoningItem,
  type ResponsesRequest,
  type ResponsesTool,
  SearchCall,
  type SentItem,
} from "./responses-wire.ts";
import { declaresServerTool } from "./server-tools.ts";
import type { ToolNames } from "./tool-names.ts";
import { wellFormed } from "./well-formed.ts";

const NO_OUTPUT = "(no output)";
const MAX_ID_LENGTH = 64;
/** The service refuses a lower limit. */
const MIN_OUTPUT_TOKENS = 16;

/**
 * The body of the request for one reply.
 * @param names the tools' names on the wire.
 * @param refused what to leave out.
 */
export function toResponsesRequest(
  request: ProviderRequest,
  names: ToolNames,
  refused: RefusedParts,
): ResponsesRequest {
  const { model, maxTokens, systemPrompt, conversationId } = request;
  return {
    model: model.id,
    ...(systemPrompt.trim() === "" ? {} : { instructions: wellFormed(systemPrompt) }),
    input: toInput(request, names, refused),
    stream: true,
    // Nothing of the conversation stays with the service; what it needs again is sent again.
    store: false,
    ...toTools(request, names),
    ...reasoningFields(request, refused),
    ...(maxTokens === undefined
      ? {}
      : { max_output_tokens: Math.max(MIN_OUTPUT_TOKENS, Math.min(maxTokens, model.maxTokens)) }),
    ...(conversationId === undefined ? {} : { prompt_cache_key: conversationId.slice(0, MAX_ID_LENGTH) }),
  };
}

function toTools(request: ProviderRequest, names: ToolNames): Pick<ResponsesRequest, "tools"> {
  const tools = request.tools.filter(({ serverTool }) => serverTool === undefined || searches(request));
  return tools.length === 0 ? {} : { tools: tools.map((tool) => toTool(tool, names)) };
}

/** The service refuses its search with the lowest effort. */
function searches(request: ProviderRequest): boolean {
  const { model, thinkingLevel } = request;
  const effort = model.reasoning ? effortOf(model, thinkingLevel) : undefined;
  return declaresServerTool(request, "search") && effort !== "minimal";
}

function toTool({ name, description, parameters, serverTool }: ToolSpec, names: ToolNames): ResponsesTool {
  if (serverTool !== undefined) return { type: "web_search" };
  return { type: "function", name: names.toWire(name), description, parameters, strict: false };
}

function reasoningFields(
  { model, thinkingLevel }: ProviderRequest,
  refused: RefusedParts,
): Pick<ResponsesRequest, "include" | "reasoning"> {
  if (!model.reasoning) return {};
  const effort = effortOf(model, thinkingLevel);
  const summary = refused.hasSummaries(model) ? {} : { summary: "auto" as const };
  return {
    // A model may think even if it is not asked to.
    include: ["reasoning.encrypted_content"],
    ...(effort === undefined ? {} : { reasoning: { effort, ...summary } }),
  };
}

interface Sending {
  names: ToolNames;
  ids: CallIds;
  refused: RefusedParts;
  /** True if the request declares the search of the service. */
  searches: boolean;
}

function toInput(request: ProviderRequest, names: ToolNames, refused: RefusedParts): SentItem[] {
  const sending = { names, ids: new CallIds(plainIds(MAX_ID_LENGTH)), refused, searches: searches(request) };
  return request.messages.flatMap((message): SentItem[] => {
    if (message.role === "assistant") return toItems(message, sending);
    if (message.role === "toolResult") {
      const output = toOutput(toParts(message.content, request));
      return [{ type: "function_call_output", call_id: sending.ids.ofResult(message.toolCallId), output }];
    }
    if (message.role !== "user") return [];
    const { content } = message;
    const parts = toParts(typeof content === "string" ? [{ type: "text", text: content }] : content, request);
    return parts.length === 0 ? [] : [{ role: "user", content: parts }];
  });
}

function toParts(content: readonly InputContent[], { model }: ProviderRequest): InputPart[] {
  const seesImages = model.input.includes("image");
  return content.flatMap((block): InputPart[] => {
    if (block.type === "text") return toText(block.text);
    if (!seesImages) return toText(IMAGE_OMITTED);
    return [{ type: "input_image", detail: "auto", image_url: `data:${block.mimeType};base64,${block.data}` }];
  });
}

function toText(text: string): InputPart[] {
  return text.trim() === "" ? [] : [{ type: "input_text", text: wellFormed(text) }];
}

function toOutput(parts: InputPart[]): string | InputPart[] {
  const texts = parts.flatMap((part) => (part.type === "input_text" ? [part.text] : []));
  return texts.length < parts.length ? parts : texts.join("\n") || NO_OUTPUT;
}

/**
 * The items of one answer. The service takes what the model thought only together with the item that followed, and that item,
 * under its own id, only together with what the model thought. An answer that was cut lacks one of them: what is left of it
 * goes back without thinking and ids.
 */
function toItems({ content }: AssistantMessage, { names, ids, refused, searches }: Sending): SentItem[] {
  const items: SentItem[] = [];
  let thoughts: ReasoningItem[] = [];
  let isWhole = true;
  for (const block of content) {
    if (block.type === "thinking") {
      const thought = readMark(ReasoningItem, block.thinkingSignature);
      if (thought === undefined || refused.hasThought(thought.id)) isWhole = false;
      else thoughts.push(thought);
      continue;
    }
    if (block.type === "text" && block.note !== undefined) {
      const search = searches && isWhole ? readMark(SearchCall, block.textSignature) : undefined;
      if (search === undefined) isWhole = false;
      else items.push(...thoughts, search);
      thoughts = [];
      continue;
    }
    const hasId = isWhole && signatureOf(block) !== undefined;
    if (hasId) items.push(...thoughts);
    else if (thoughts.length > 0) isWhole = false;
    thoughts = [];
    items.push(toItem(block, { names, ids, hasId }));
  }
  return items;
}

type Said = Exclude<AssistantContent, { type: "thinking" }>;

function signatureOf(block: Said): string | undefined {
  return block.type === "text" ? block.textSignature : block.thoughtSignature;
}

function toItem(block: Said, { names, ids, hasId }: { names: ToolNames; ids: CallIds; hasId: boolean }): SentItem {
  if (block.type === "text") return toMessage(wellFormed(block.text), hasId ? block.textSignature : undefined);
  return {
    type: "function_call",
    call_id: ids.ofCall(block.id),
    name: names.toWire(block.name),
    arguments: JSON.stringify(block.arguments),
    ...(hasId && block.thoughtSignature !== undefined ? { id: block.thoughtSignature } : {}),
  };
}

function toMessage(text: string, signature: string | undefined): SentItem {
  const mark = readMark(MessageMark, signature);
  if (mark === undefined) return { role: "assistant", content: text };
  return {
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
    ...mark,
  };
}

/** Reads a signature that is JSON; undefined when it is missing or another service's. */
function readMark<Mark>(
  schema: { safeParse(value: unknown): { data?: Mark | undefined } },
  signature: string | undefined,
): Mark | undefined {
  if (signature === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(signature)).data;
  } catch {
    return undefined;
  }
}
