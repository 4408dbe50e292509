import type { Model, ThinkingLevel } from "../protocol/model.ts";
import type { WireMessage, WireThinking } from "./anthropic-wire.ts";
import type { ProviderRequest } from "./provider.ts";

const MIN_BUDGET_TOKENS = 1024;
/** Left for the answer itself when a budget has to be cut. */
const MIN_ANSWER_TOKENS = 1024;

/** Returns the thinking fields of a request. */
export interface ThinkingSettings {
  thinking?: WireThinking;
  output_config?: { effort: string };
}

/** For models that name no effort or budget of their own; `off` never gets here. */
const EFFORT: Readonly<Record<ThinkingLevel, string>> = {
  off: "low",
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};
const BUDGET_TOKENS: Readonly<Record<ThinkingLevel, number>> = {
  off: 0,
  minimal: 1024,
  low: 4096,
  medium: 10_240,
  high: 20_480,
  xhigh: 32_768,
  max: 32_768,
};

const BINDING_BETA = "thinking-binding-controls-2026-08-01";
const INTERLEAVED_BETA = "interleaved-thinking-2025-05-14";

/** True if the request asks the model to think, as far as level and model decide it. */
export function wantsThinking({ model, thinkingLevel }: Pick<ProviderRequest, "model" | "thinkingLevel">): boolean {
  return model.reasoning && thinkingLevel !== "off";
}

/**
 * Turns a level into what the model takes: an effort for models that think adaptively, a budget of tokens for older ones.
 * @param maxTokens the request's limit, which the thinking counts towards.
 */
export function thinkingSettings(
  request: Pick<ProviderRequest, "model" | "thinkingLevel">,
  maxTokens: number,
  messages: readonly WireMessage[],
): ThinkingSettings {
  const { model, thinkingLevel } = request;
  if (!model.reasoning) return {};
  const setting = model.thinkingLevelMap?.[thinkingLevel];
  if (!wantsThinking(request)) return whenOff(setting);
  if (model.thinking?.mode === "adaptive") {
    return {
      thinking: {
        type: "adaptive",
        display: "summarized",
        ...(bindsThinking(model) ? { block_binding: { prefix_mismatch_behavior: "drop_block" } } : {}),
      },
      output_config: { effort: typeof setting === "string" ? setting : EFFORT[thinkingLevel] },
    };
  }
  const budget = Math.min(
    typeof setting === "number" ? setting : BUDGET_TOKENS[thinkingLevel],
    maxTokens - MIN_ANSWER_TOKENS,
  );
  if (budget < MIN_BUDGET_TOKENS || !openLoopStartsWithThinking(messages)) return {};
  return { thinking: { type: "enabled", budget_tokens: budget, display: "summarized" } };
}

/** The value of the `anthropic-beta` header that `thinking` needs, or undefined. */
export function thinkingBeta(thinking: WireThinking | undefined): string | undefined {
  if (thinking?.type === "enabled") return INTERLEAVED_BETA;
  return thinking?.type === "adaptive" && thinking.block_binding !== undefined ? BINDING_BETA : undefined;
}

function bindsThinking(model: Model): boolean {
  return model.compat?.bindsThinking === true;
}

function whenOff(setting: string | number | null | undefined): ThinkingSettings {
  if (setting === "between_tools") return { thinking: { type: "between_tools" } };
  return setting === "disabled" ? { thinking: { type: "disabled" } } : {};
}

/**
 * With a budget the service wants the run of tool calls that is being answered to begin with thinking; it cannot when thinking
 * was switched on, or the model changed, in the middle of the run.
 */
function openLoopStartsWithThinking(messages: readonly WireMessage[]): boolean {
  let first: WireMessage | undefined;
  for (const [index, message] of messages.entries()) {
    if (message.role === "user") {
      if (!message.content.some((block) => block.type === "tool_result")) first = undefined;
    } else if (first === undefined && index < messages.length - 1) {
      first = message;
    }
  }
  const type = first?.content[0]?.type;
  return type === undefined || type === "thinking" || type === "redacted_thinking";
}
