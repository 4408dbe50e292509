import * as z from "zod";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import type { ChatRequest } from "./completions-wire.ts";
import type { ProviderRequest } from "./provider.ts";

const THINKING_FORMATS = ["openai", "openrouter", "deepseek", "zai", "qwen", "together"] as const;
type ThinkingFormat = (typeof THINKING_FORMATS)[number];

const Compat = z
  .object({
    supportsDeveloperRole: z.boolean().catch(false),
    supportsReasoningEffort: z.boolean().catch(true),
    supportsUsageInStreaming: z.boolean().catch(true),
    requiresToolResultName: z.boolean().catch(false),
    requiresReasoningContentOnAssistantMessages: z.boolean().optional().catch(undefined),
    maxTokensField: z.enum(["max_tokens", "max_completion_tokens"]).optional().catch(undefined),
    thinkingFormat: z.enum(THINKING_FORMATS).optional().catch(undefined),
    requiresAssistantAfterToolResult: z.boolean().optional().catch(undefined),
    requiresMistralToolIds: z.boolean().optional().catch(undefined),
    cacheControlFormat: z.enum(["anthropic"]).optional().catch(undefined),
  })
  .catch({
    supportsDeveloperRole: false,
    supportsReasoningEffort: true,
    supportsUsageInStreaming: true,
    requiresToolResultName: false,
  });

/** In what servers that speak this wire differ, as far as it matters here. */
export interface ServerTraits {
  supportsDeveloperRole: boolean;
  supportsReasoningEffort: boolean;
  supportsUsageInStreaming: boolean;
  requiresToolResultName: boolean;
  /** True if a model that thinks wants the field `reasoning_content` in all its messages, empty where it said nothing in it. */
  requiresReasoningContentOnAssistantMessages: boolean;
  maxTokensField: "max_tokens" | "max_completion_tokens";
  thinkingFormat: ThinkingFormat;
  /** True if the user may not speak right behind the results of tools. */
  requiresAssistantAfterToolResult: boolean;
  /** True if the first call of a message has to have a signature. */
  signsCalls: boolean;
  /** True if ids of calls have to be nine letters and digits. */
  requiresMistralToolIds: boolean;
  /** True if the service caches only marked content, as Anthropic does. */
  marksCache: boolean;
}

/** Returns the settings of the model's `compat`, and defaults by the server's address. */
export function traitsOf({ id, compat, baseUrl }: Pick<Model, "id" | "compat" | "baseUrl">): ServerTraits {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "";
  const { maxTokensField, thinkingFormat, cacheControlFormat, ...rest } = Compat.parse(compat ?? {});
  const isMistral = isAt(host, "mistral.ai");
  return {
    ...rest,
    requiresReasoningContentOnAssistantMessages:
      rest.requiresReasoningContentOnAssistantMessages ?? isAt(host, "deepseek.com"),
    requiresAssistantAfterToolResult: rest.requiresAssistantAfterToolResult ?? isMistral,
    requiresMistralToolIds: rest.requiresMistralToolIds ?? isMistral,
    signsCalls: isAt(host, "googleapis.com"),
    marksCache: cacheControlFormat === "anthropic" || (isAt(host, "openrouter.ai") && id.startsWith("anthropic/")),
    maxTokensField: maxTokensField ?? (isAt(host, "openai.com", "azure.com") ? "max_completion_tokens" : "max_tokens"),
    thinkingFormat: thinkingFormat ?? formatAt(host),
  };
}

/** Returns the thinking fields of a request. */
export function thinkingFields(
  { model, thinkingLevel }: Pick<ProviderRequest, "model" | "thinkingLevel">,
  { thinkingFormat, supportsReasoningEffort }: ServerTraits,
): Pick<ChatRequest, "reasoning_effort" | "reasoning" | "thinking" | "enable_thinking"> {
  if (!model.reasoning) return {};
  const thinks = thinkingLevel !== "off";
  const effort = effortOf(model, thinkingLevel);
  const ownEffort = supportsReasoningEffort && thinks ? model.thinkingLevelMap?.[thinkingLevel] : undefined;
  const withEffort = typeof ownEffort === "string" ? { reasoning_effort: ownEffort } : {};
  switch (thinkingFormat) {
    case "openrouter":
      return { reasoning: { effort: effort ?? "none" } };
    case "deepseek":
    case "zai":
      return { thinking: { type: thinks ? "enabled" : "disabled" }, ...withEffort };
    case "together":
      return { reasoning: { enabled: thinks }, ...withEffort };
    case "qwen":
      return { enable_thinking: thinks };
    default:
      return supportsReasoningEffort && effort !== undefined ? { reasoning_effort: effort } : {};
  }
}

/** The model's own word for a level; else its name, and nothing for `off`. */
export function effortOf({ thinkingLevelMap }: Model, level: ThinkingLevel): string | undefined {
  const own = thinkingLevelMap?.[level];
  if (typeof own === "string") return own;
  return level === "off" ? undefined : level;
}

function formatAt(host: string): ThinkingFormat {
  if (isAt(host, "openrouter.ai")) return "openrouter";
  if (isAt(host, "deepseek.com")) return "deepseek";
  if (isAt(host, "together.ai", "together.xyz")) return "together";
  return isAt(host, "z.ai", "bigmodel.cn") ? "zai" : "openai";
}

function isAt(host: string, ...domains: readonly string[]): boolean {
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
}
