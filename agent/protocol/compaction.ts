import * as z from "zod";
import { Usage } from "./model.ts";

/** The result of a compaction. Token counts are integers; `estimatedTokensAfter` is an estimate. */
export const CompactionResult = z.lazy(() =>
  z.object({
    summary: z.string(),
    firstKeptEntryId: z.string(),
    tokensBefore: z.int(),
    estimatedTokensAfter: z.int().optional(),
    details: z.unknown().optional(),
    usage: Usage.optional(),
    shortSummary: z.string().optional(),
    preserveData: z.unknown().optional(),
  }),
);
export type CompactionResult = z.infer<typeof CompactionResult>;

/** The part of a compaction's `details` that counts the facts behind the summary, by kind. */
export const KeptFactCounts = z.object({ kept: z.record(z.string(), z.int()) });

/** Why a compaction happens. */
export const CompactionReason = z.enum(["manual", "threshold", "overflow"]);
export type CompactionReason = z.infer<typeof CompactionReason>;
