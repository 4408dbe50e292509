import type { ThinkingLevel } from "../protocol/model.ts";
import type { ThinkingConfig } from "./google-wire.ts";
import type { ProviderRequest } from "./provider.ts";

const EARLIER = /(?:^|\/)(?:gemini-[12]\b|gemma)/i;
const BUDGETED = /(?:^|\/)gemini-2\b/i;

/**
 * True for models before Gemini 3, and for Gemma. They need no signatures, and accept neither IDs of calls nor images in results. Unknown names count
 * as newer models.
 */
export function isEarlierModel(id: string): boolean {
  return EARLIER.test(id);
}

/** The default budgets for models with budgets. */
const BUDGET_TOKENS: Readonly<Record<ThinkingLevel, number>> = {
  off: 0,
  minimal: 512,
  low: 2048,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

/** The default levels for models with levels. */
const LEVEL: Readonly<Record<ThinkingLevel, string | undefined>> = {
  off: undefined,
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
};

/** Returns the thinking configuration; undefined leaves the decision to the model. */
export function thinkingConfig({
  model,
  thinkingLevel: level,
}: Pick<ProviderRequest, "model" | "thinkingLevel">): ThinkingConfig | undefined {
  if (!model.reasoning) return undefined;
  const own = model.thinkingLevelMap?.[level];
  const amount = own ?? (BUDGETED.test(model.id) ? BUDGET_TOKENS[level] : LEVEL[level]);
  if (amount === undefined) return undefined;
  return {
    ...(level === "off" ? {} : { includeThoughts: true }),
    ...(typeof amount === "number" ? { thinkingBudget: amount } : { thinkingLevel: amount.toUpperCase() }),
  };
}
