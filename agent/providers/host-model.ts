import type { InputContent } from "../protocol/content.ts";
import {
  HOST_MODEL_API,
  type HostModelDefinition,
  type HostModelMessage,
  type HostModelRequest,
} from "../protocol/host-models.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { Model } from "../protocol/model.ts";
import { IMAGE_OMITTED } from "./prepare-context.ts";
import type { ProviderRequest } from "./provider.ts";
import type { ToolNames } from "./tool-names.ts";

const DEFAULT_CONTEXT_WINDOW = 128_000;
const DEFAULT_MAX_TOKENS = 16_384;

/** A host model in the form of all others. Its cost is unknown, so it has no price. */
export function hostModel(provider: string, definition: HostModelDefinition): Model {
  const { id, name, contextWindow = DEFAULT_CONTEXT_WINDOW, input = [], reasoning = false, tools = true } = definition;
  return {
    id,
    name: name?.trim() || id,
    api: HOST_MODEL_API,
    provider,
    baseUrl: "",
    reasoning,
    input: input.includes("image") ? ["text", "image"] : ["text"],
    contextWindow,
    maxTokens: Math.min(definition.maxTokens ?? DEFAULT_MAX_TOKENS, contextWindow),
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ...(tools ? {} : { compat: { tools: false } }),
  };
}

/** Returns the request to the host. Tool names are valid for every model. */
export function hostRequest(id: string, request: ProviderRequest, names: ToolNames): HostModelRequest {
  const { model, systemPrompt, messages, thinkingLevel, maxTokens } = request;
  const tools = model.compat?.tools === false ? [] : request.tools;
  return {
    type: "host_model_request",
    id,
    modelId: model.id,
    systemPrompt,
    messages: messages.flatMap((message) => toHostMessage(message, model, names)),
    tools: tools.map(({ name, description, parameters }) => ({ name: names.toWire(name), description, parameters })),
    thinkingLevel,
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

/** Roles that providers do not get to see have become others before. */
function toHostMessage(message: AgentMessage, model: Model, names: ToolNames): HostModelMessage[] {
  switch (message.role) {
    case "user": {
      const { content } = message;
      const blocks: readonly InputContent[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
      return [{ role: "user", content: readable(blocks, model) }];
    }
    case "assistant":
      return [
        {
          role: "assistant",
          content: message.content.map((block) =>
            block.type === "toolCall" ? { ...block, name: names.toWire(block.name) } : block,
          ),
        },
      ];
    case "toolResult": {
      const { toolCallId, toolName, content, isError } = message;
      const name = names.toWire(toolName);
      return [{ role: "toolResult", toolCallId, toolName: name, content: readable(content, model), isError }];
    }
    default:
      return [];
  }
}

function readable(content: readonly InputContent[], { input }: Model): InputContent[] {
  if (input.includes("image")) return [...content];
  return content.map((block) => (block.type === "image" ? { type: "text", text: IMAGE_OMITTED } : block));
}
