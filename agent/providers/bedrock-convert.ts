import type { Model } from "../protocol/model.ts";
import { betasOf } from "./anthropic-beta.ts";
import type { CacheControl, WireAssistantBlock, WireRequest, WireThinking, WireUserBlock } from "./anthropic-wire.ts";
import type {
  CachePoint,
  ConverseBlock,
  ConverseInput,
  ConverseMessage,
  ConverseRequest,
  ConverseTool,
} from "./bedrock-wire.ts";
import { effortOf } from "./completions-settings.ts";
import type { ProviderRequest } from "./provider.ts";
import { isClaude } from "./takes-pdf.ts";

const WITH_DOCUMENT = "(document)";
const DOCUMENT_OMITTED = "[PDF omitted: newer ones take its place]";
/** @see https://docs.aws.amazon.com/bedrock/latest/userguide/inference-api-restrictions.html */
const MAX_DOCUMENTS = 5;
const GONE_TOOL = "A tool from earlier messages that is no longer available.";

/**
 * The body of the request for one reply.
 * @param body the same request for Anthropic's Messages API.
 * @param region government regions support fewer thinking settings.
 */
export function toConverseRequest(request: ProviderRequest, body: WireRequest, region: string): ConverseRequest {
  const { model, maxTokens } = request;
  const caches = isClaude(model);
  const documents = new Documents(body);
  const messages = body.messages.map(({ role, content }): ConverseMessage => {
    const blocks = content.flatMap((block) => withPoint(toBlock(block, documents), markOf(block), caches));
    return { role, content: withText(blocks) };
  });
  const system = (body.system ?? []).flatMap((block) => withPoint({ text: block.text }, block.cache_control, caches));
  const tools = [...toTools(body, caches), ...missingTools(body)];
  const fields = modelFields(request, body, region);
  return {
    messages,
    ...(system.length === 0 ? {} : { system }),
    ...(caches || maxTokens !== undefined ? { inferenceConfig: { maxTokens: body.max_tokens } } : {}),
    ...(tools.length === 0 ? {} : { toolConfig: { tools } }),
    ...(Object.keys(fields).length === 0 ? {} : { additionalModelRequestFields: fields }),
  };
}

/** Gives documents unique names that don't change as the conversation grows. The service limits their number, so the oldest are left out. */
class Documents {
  readonly #total: number;
  #count = 0;

  constructor({ messages }: WireRequest) {
    const blocks = messages.flatMap(({ content }): WireBlock[] => [...content]);
    const parts = blocks.flatMap((block) => (block.type === "tool_result" ? block.content : [block]));
    this.#total = parts.filter(({ type }) => type === "document").length;
  }

  toInput(bytes: string): ConverseInput {
    this.#count += 1;
    if (this.#count <= this.#total - MAX_DOCUMENTS) return { text: DOCUMENT_OMITTED };
    return { document: { format: "pdf", name: `document-${this.#count}`, source: { bytes } } };
  }
}

type WireBlock = WireUserBlock | WireAssistantBlock;

function markOf(block: WireBlock): CacheControl | undefined {
  return "cache_control" in block ? block.cache_control : undefined;
}

function withPoint<Block>(block: Block, mark: CacheControl | undefined, caches: boolean): (Block | CachePoint)[] {
  if (mark === undefined || !caches) return [block];
  return [block, { cachePoint: { type: "default", ...(mark.ttl === undefined ? {} : { ttl: mark.ttl }) } }];
}

function toBlock(block: WireBlock, documents: Documents): ConverseBlock {
  switch (block.type) {
    case "thinking":
      return { reasoningContent: { reasoningText: { text: block.thinking, signature: block.signature } } };
    case "redacted_thinking":
      return { reasoningContent: { redactedContent: block.data } };
    case "tool_use":
      return { toolUse: { toolUseId: block.id, name: block.name, input: block.input } };
    case "tool_result": {
      const content = withText(block.content.map((part) => toInput(part, documents)));
      // Failed results may contain only text.
      const isError = block.is_error === true && block.content.every((part) => part.type === "text");
      return { toolResult: { toolUseId: block.tool_use_id, content, ...(isError ? { status: "error" } : {}) } };
    }
    case "server_tool_use":
    case "web_search_tool_result":
    case "web_fetch_tool_result":
      throw new Error("Amazon Bedrock runs no tools itself.");
    default:
      return toInput(block, documents);
  }
}

function toInput(
  block: Extract<WireUserBlock, { type: "text" | "image" | "document" }>,
  documents: Documents,
): ConverseInput {
  if (block.type === "text") return { text: block.text };
  const source = { bytes: block.source.data };
  if (block.type === "document") return documents.toInput(source.bytes);
  return { image: { format: block.source.media_type.replace("image/", ""), source } };
}

/** Arranges content as the service requires: tool results first, and documents only together with text. */
function withText<Block extends ConverseBlock>(blocks: Block[]): (Block | { text: string })[] {
  const at = blocks.findIndex((block) => "document" in block);
  if (at === -1 || blocks.some((block) => "text" in block)) return blocks;
  return [...blocks.slice(0, at), { text: WITH_DOCUMENT }, ...blocks.slice(at)];
}

function toTools({ tools = [] }: WireRequest, caches: boolean): (ConverseTool | CachePoint)[] {
  return tools.flatMap((tool) => {
    if (!("input_schema" in tool)) return [];
    const { name, description, input_schema: json, cache_control: mark } = tool;
    return withPoint(toolOf(name, description || name, json), mark, caches);
  });
}

function toolOf(name: string, description: string, json: Record<string, unknown>): ConverseTool {
  return { toolSpec: { name, description, inputSchema: { json } } };
}

/** Returns declarations of the tools that were called. The service refuses calls in a request without tools, such as one for a summary. */
function missingTools({ tools = [], messages }: WireRequest): ConverseTool[] {
  if (tools.length > 0) return [];
  const names = messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === "tool_use" ? block.name : [])),
  );
  return [...new Set(names)].map((name) => toolOf(name, GONE_TOOL, { type: "object" }));
}

/** Returns the settings that only one family of models has. */
function modelFields(request: ProviderRequest, body: WireRequest, region: string): Record<string, unknown> {
  const { model, thinkingLevel } = request;
  if (!isClaude(model)) return gptFields(model, effortOf(model, thinkingLevel));
  const { output_config: output } = body;
  const thinking = body.thinking && inRegion(body.thinking, region);
  const betas = betasOf(model, thinking);
  return {
    ...(thinking === undefined ? {} : { thinking }),
    ...(output === undefined ? {} : { output_config: output }),
    ...(betas.length === 0 ? {} : { anthropic_beta: betas }),
  };
}

function inRegion(thinking: WireThinking, region: string): WireThinking {
  if (!region.startsWith("us-gov-")) return thinking;
  if (thinking.type === "adaptive") return { type: "adaptive" };
  return thinking.type === "enabled" ? { type: "enabled", budget_tokens: thinking.budget_tokens } : thinking;
}

function gptFields({ id, reasoning }: Model, effort: string | undefined): Record<string, unknown> {
  if (!reasoning || effort === undefined) return {};
  if (id.includes("gpt-oss")) return { reasoning_effort: effort };
  return id.includes("openai.gpt-") ? { reasoning: { effort } } : {};
}
