import * as z from "zod";

/** The thinking levels, weakest first. */
export const ThinkingLevel = z.enum(["off", "minimal", "low", "medium", "high", "xhigh", "max"]);
export type ThinkingLevel = z.infer<typeof ThinkingLevel>;

/** Dollars per million tokens in a model, dollars in a message's usage. */
export const Cost = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});
export type Cost = z.infer<typeof Cost>;

/** A model that a provider offers. `contextWindow` and `maxTokens` count tokens. */
export const Model = z.lazy(() =>
  z.object({
    id: z.string(),
    modelId: z.string().optional(),
    name: z.string(),
    api: z.string(),
    provider: z.string(),
    baseUrl: z.string(),
    reasoning: z.boolean(),
    input: z.array(z.enum(["text", "image"])),
    contextWindow: z.int(),
    maxTokens: z.int(),
    cost: Cost,
    thinkingLevelMap: z.record(z.string(), z.union([z.string(), z.number(), z.null()])).optional(),
    headers: z.record(z.string(), z.string()).optional(),
    compat: z.record(z.string(), z.unknown()).optional(),
    thinking: z.object({ minLevel: ThinkingLevel, maxLevel: ThinkingLevel, mode: z.string() }).optional(),
  }),
);
export type Model = z.infer<typeof Model>;

/** Token counts of one answer, all integers; `reasoning` is already inside `output`. `webSearches` of the provider are part of the total cost. */
export const Usage = z.object({
  input: z.int(),
  output: z.int(),
  cacheRead: z.int(),
  cacheWrite: z.int(),
  totalTokens: z.int(),
  reasoning: z.int().optional(),
  webSearches: z.int().optional(),
  cost: Cost.extend({ total: z.number() }),
});
export type Usage = z.infer<typeof Usage>;

/** How long a provider keeps what it read in its cache. */
export const CacheTtl = z.enum(["5m", "1h"]);
export type CacheTtl = z.infer<typeof CacheTtl>;

/** Why a model gave no answer. A request that failed for one of the last five is made again. */
export const ModelErrorKind = z.enum([
  "auth",
  "context_overflow",
  "invalid_request",
  "quota",
  "network",
  "overloaded",
  "rate_limit",
  "server",
  "timeout",
]);
export type ModelErrorKind = z.infer<typeof ModelErrorKind>;
