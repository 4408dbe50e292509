import * as z from "zod";
import { UsageRow, UsageSums, UsageTool } from "../../agent/protocol/usage.ts";

/** The ranges that the page offers, in days. */
export const USAGE_RANGES = [7, 30, 90, 365] as const;

const sums = UsageSums.unwrap().shape;

/** The usage of sessions, as the page shows it. */
export const ShownUsage = z.object({
  days: z.int(),
  /** The days of the range in order, such as `2026-05-01`. */
  calendar: z.array(z.string()),
  rows: z.array(UsageRow),
  tools: z.array(UsageTool),
  sessions: z.array(z.object({ path: z.string(), title: z.string(), project: z.string(), ...sums })),
  sessionCount: z.int(),
  unreadableCount: z.int(),
});
export type ShownUsage = z.infer<typeof ShownUsage>;

/** Host → page. The page says `ready` and gets `usage`, or `failed` with the reason. */
export const ToUsage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("loading"), days: z.int() }),
  z.object({ type: z.literal("usage"), usage: ShownUsage }),
  z.object({ type: z.literal("failed"), message: z.string() }),
]);
export type ToUsage = z.infer<typeof ToUsage>;

/** Page → host. */
export const FromUsage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("load"), days: z.literal(USAGE_RANGES) }),
  /** Opens one of the sessions that the page shows. */
  z.object({ type: z.literal("open"), path: z.string() }),
  z.object({ type: z.literal("export") }),
  z.object({ type: z.literal("pageError"), message: z.string() }),
]);
export type FromUsage = z.infer<typeof FromUsage>;
