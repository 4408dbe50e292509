import * as z from "zod";
import { Cost, type Model, type Usage } from "../protocol/model.ts";
import type { TokenCounts } from "./provider.ts";

const TOKENS_PER_PRICE = 1_000_000;
/** The price of one search of the web, the same at Anthropic and OpenAI. */
const SEARCH_DOLLARS = 10 / 1000;

/** The price of cache writes that are kept for an hour, as a multiple of the price of input. */
const HOUR_OF_INPUT = 2;

/** Prices that hold for a whole request once its prompt is longer than `aboveTokens`. */
const LongPrompt = z.object({ aboveTokens: z.number(), cost: Cost });

/** The usage of a response before it is known. */
export const ZERO_USAGE: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Token counts with their total and their price in dollars. */
export function toUsage(tokens: TokenCounts, model: Pick<Model, "cost" | "compat">): Usage {
  const price = pricesFor(tokens, model);
  const input = dollars(tokens.input, price.input);
  const output = dollars(tokens.output, price.output);
  const cacheRead = dollars(tokens.cacheRead, price.cacheRead);
  const hour = Math.min(tokens.cacheWriteHour ?? 0, tokens.cacheWrite);
  const hourPrice = price.input * HOUR_OF_INPUT;
  const cacheWrite = dollars(tokens.cacheWrite - hour, price.cacheWrite) + dollars(hour, hourPrice);
  const searches = tokens.webSearches ?? 0;
  return {
    input: tokens.input,
    output: tokens.output,
    cacheRead: tokens.cacheRead,
    cacheWrite: tokens.cacheWrite,
    totalTokens: tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite,
    ...(tokens.reasoning === undefined ? {} : { reasoning: tokens.reasoning }),
    ...(searches === 0 ? {} : { webSearches: searches }),
    cost: {
      input,
      output,
      cacheRead,
      cacheWrite,
      total: input + output + cacheRead + cacheWrite + searches * SEARCH_DOLLARS,
    },
  };
}

/** Returns the sum of two usages. */
export function addUsage(one: Usage, other: Usage): Usage {
  const isReasoningKnown = one.reasoning !== undefined || other.reasoning !== undefined;
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    totalTokens: one.totalTokens + other.totalTokens,
    ...(isReasoningKnown ? { reasoning: (one.reasoning ?? 0) + (other.reasoning ?? 0) } : {}),
    cost: {
      input: one.cost.input + other.cost.input,
      output: one.cost.output + other.cost.output,
      cacheRead: one.cost.cacheRead + other.cost.cacheRead,
      cacheWrite: one.cost.cacheWrite + other.cost.cacheWrite,
      total: one.cost.total + other.cost.total,
    },
  };
}

function dollars(tokens: number, pricePerMillion: number): number {
  return (tokens * pricePerMillion) / TOKENS_PER_PRICE;
}

function pricesFor(tokens: TokenCounts, model: Pick<Model, "cost" | "compat">): Cost {
  const longPrompt = LongPrompt.safeParse(model.compat?.longPrompt);
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite;
  return longPrompt.success && prompt > longPrompt.data.aboveTokens ? longPrompt.data.cost : model.cost;
}
