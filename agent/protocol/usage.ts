import * as z from "zod";
import { row } from "./late-schema.ts";
import { optional } from "./optional.ts";

/** The most days that one report covers. */
const MAX_USAGE_DAYS = 366;

/** Sums of the tokens and list prices of requests. */
const sums = {
  requests: z.int(),
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  costUsd: z.number(),
};
export const UsageSums = z.lazy(() => z.object(sums));
export type UsageSums = z.infer<typeof UsageSums>;

/** The sums of one model in one working directory on one day of the agent's local time, such as `2026-05-01`. */
export const UsageRow = z.lazy(() => z.object({ day: z.string(), project: z.string(), model: z.string(), ...sums }));
export type UsageRow = z.infer<typeof UsageRow>;

/** The share of a tool: an answer's tokens and cost are divided among the calls that it makes. */
export const UsageTool = z.lazy(() =>
  z.object({ tool: z.string(), calls: z.int(), tokens: z.number(), costUsd: z.number() }),
);
export type UsageTool = z.infer<typeof UsageTool>;

/** The sums of one session. */
export const UsageSession = z.lazy(() =>
  z.object({
    path: z.string(),
    id: z.string().optional(),
    name: z.string().optional(),
    firstMessage: z.string().optional(),
    project: z.string(),
    modifiedAt: z.int(),
    ...sums,
  }),
);
export type UsageSession = z.infer<typeof UsageSession>;

/** The command about what sessions have used, as a row of the table of commands. */
export const usageCommands = {
  get_usage: row(() => ({
    params: z.object({ days: optional(z.int().min(1).max(MAX_USAGE_DAYS)) }),
    result: z.object({
      rows: z.array(UsageRow),
      tools: z.array(UsageTool),
      /** The dearest ones. */
      sessions: z.array(UsageSession),
      sessionCount: z.int(),
      unreadableCount: z.int(),
    }),
  })),
} as const;
