import type { Cost, Model } from "../protocol/model.ts";

/** The default address of requests. */
export const ANTHROPIC_URL = "https://api.anthropic.com";

type Thinking = Pick<Model, "thinking" | "thinkingLevelMap">;

/** The value of `off` in requests; null if the model can't stop thinking. */
type Off = "disabled" | "between_tools" | null;

function adaptive(off: Off, highest: "xhigh" | "max" = "xhigh"): Thinking {
  return {
    thinking: { minLevel: off === null ? "low" : "off", maxLevel: "xhigh", mode: "adaptive" },
    thinkingLevelMap: {
      off,
      minimal: null,
      low: "low",
      medium: "medium",
      high: "high",
      xhigh: highest,
      max: highest === "max" ? null : "max",
    },
  };
}

const BUDGETED: Thinking = {
  thinking: { minLevel: "off", maxLevel: "xhigh", mode: "budget" },
  thinkingLevelMap: { off: "off", minimal: 1024, low: 4096, medium: 10_240, high: 20_480, xhigh: 32_768 },
};

interface Entry {
  id: string;
  name: string;
  cost: Cost;
  thinking: Thinking;
  contextWindow?: number;
  maxTokens?: number;
  compat?: Record<string, unknown>;
}

function claude({ id, name, cost, thinking, contextWindow, maxTokens, compat }: Entry): Model {
  return {
    id,
    name,
    api: "anthropic-messages",
    provider: "anthropic",
    baseUrl: ANTHROPIC_URL,
    reasoning: true,
    input: ["text", "image"],
    contextWindow: contextWindow ?? 1_000_000,
    maxTokens: maxTokens ?? 128_000,
    cost,
    ...thinking,
    ...(compat === undefined ? {} : { compat }),
  };
}

/** Cache writes, for five minutes, cost a quarter more than input at every model. */
function price(input: number, output: number, cacheRead: number): Cost {
  return { input, output, cacheRead, cacheWrite: input * 1.25 };
}

/** Thinking that the service ties to the conversation before it; a request must say what happens when that has changed. */
const BINDS_THINKING = { bindsThinking: true };

const HAIKU_5_5_LONG_PROMPT = { aboveTokens: 100_000, cost: price(0.5, 2.5, 0.05) };

const MODELS: readonly Model[] = [
  claude({
    id: "claude-opus-5-5",
    name: "Claude Opus 5.5",
    cost: price(4, 20, 0.2),
    thinking: adaptive(null),
    compat: BINDS_THINKING,
  }),
  claude({
    id: "claude-sonnet-5-5",
    name: "Claude Sonnet 5.5",
    cost: price(2, 10, 0.1),
    thinking: adaptive("between_tools"),
    compat: BINDS_THINKING,
  }),
  claude({
    id: "claude-haiku-5-5",
    name: "Claude Haiku 5.5",
    cost: price(0.1, 0.5, 0.01),
    thinking: adaptive("disabled"),
    compat: { ...BINDS_THINKING, longPrompt: HAIKU_5_5_LONG_PROMPT },
  }),
  claude({
    id: "claude-fable-5-2",
    name: "Claude Fable 5.2",
    cost: price(8, 40, 0.2),
    thinking: adaptive(null),
    compat: BINDS_THINKING,
  }),
  claude({
    id: "claude-fable-5-1",
    name: "Claude Fable 5.1",
    cost: price(10, 50, 0.25),
    thinking: adaptive(null),
    compat: BINDS_THINKING,
  }),
  claude({ id: "claude-opus-5", name: "Claude Opus 5", cost: price(5, 25, 0.5), thinking: adaptive("disabled") }),
  claude({ id: "claude-sonnet-5", name: "Claude Sonnet 5", cost: price(2, 10, 0.2), thinking: adaptive("disabled") }),
  claude({ id: "claude-fable-5", name: "Claude Fable 5", cost: price(10, 50, 1), thinking: adaptive(null) }),
  claude({ id: "claude-opus-4-8", name: "Claude Opus 4.8", cost: price(5, 25, 0.5), thinking: adaptive("disabled") }),
  claude({ id: "claude-opus-4-7", name: "Claude Opus 4.7", cost: price(5, 25, 0.5), thinking: adaptive("disabled") }),
  claude({
    id: "claude-opus-4-6",
    name: "Claude Opus 4.6",
    cost: price(5, 25, 0.5),
    thinking: adaptive("disabled", "max"),
  }),
  claude({
    id: "claude-sonnet-4-6",
    name: "Claude Sonnet 4.6",
    cost: price(3, 15, 0.3),
    thinking: adaptive("disabled", "max"),
  }),
  claude({
    id: "claude-opus-4-5",
    name: "Claude Opus 4.5",
    cost: price(5, 25, 0.5),
    thinking: BUDGETED,
    contextWindow: 200_000,
    maxTokens: 64_000,
  }),
  claude({
    id: "claude-haiku-4-5",
    name: "Claude Haiku 4.5",
    cost: price(1, 5, 0.1),
    thinking: BUDGETED,
    contextWindow: 200_000,
    maxTokens: 64_000,
  }),
  claude({
    id: "claude-sonnet-4-5",
    name: "Claude Sonnet 4.5",
    cost: price(3, 15, 0.3),
    thinking: BUDGETED,
    contextWindow: 200_000,
    maxTokens: 64_000,
  }),
];

/** Ids with a date, and the model that each means. */
const DATED_IDS: readonly (readonly [dated: string, id: string])[] = [
  ["claude-opus-4-5-20251101", "claude-opus-4-5"],
  ["claude-haiku-4-5-20251001", "claude-haiku-4-5"],
  ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5"],
];

/**
 * The models of Anthropic that can be asked today, newest generation first, and behind them the same by their dated ids. The first is the
 * default.
 * @see https://platform.claude.com/docs/en/models/overview
 */
export const CATALOGUE: readonly Model[] = [
  ...MODELS,
  ...DATED_IDS.flatMap(([dated, id]) =>
    MODELS.filter((model) => model.id === id).map((model) => ({
      ...model,
      id: dated,
      name: `${model.name} (${dated.slice(-8)})`,
    })),
  ),
];

/** The scripted stand-in that needs neither key nor network. */
export const DEMO_MODEL: Model = {
  id: "scripted",
  name: "Demo (scripted, not a language model)",
  api: "demo",
  provider: "demo",
  baseUrl: "",
  reasoning: true,
  input: ["text"],
  contextWindow: 200_000,
  maxTokens: 8192,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  thinking: { minLevel: "off", maxLevel: "high", mode: "demo" },
  thinkingLevelMap: { off: "off", minimal: null, low: "low", medium: "medium", high: "high", xhigh: null },
};
