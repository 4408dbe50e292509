import type { CompactionResult } from "../../agent/protocol/compaction.ts";
import type { AgentEvent } from "../../agent/protocol/events.ts";
import { type ActivityItem, type Fold, remove, takeId, upsert } from "./transcript-state.ts";

type RetryStart = Extract<AgentEvent, { type: "auto_retry_start" }>;

/** Shows that the agent waits before it asks the model again. */
export function startRetry(fold: Fold, event: RetryStart): void {
  const seconds = Math.max(1, Math.round(event.delayMs / 1_000));
  showRetry(fold, {
    text: `Trying again in ${seconds} s (attempt ${event.attempt} of ${event.maxAttempts})`,
    isRunning: true,
    detail: event.errorMessage,
    until: fold.now + event.delayMs,
  });
}

/** Ends the row of a retry; without one nothing is shown. */
export function endRetry(fold: Fold, text: string): void {
  if (fold.state.retry) showRetry(fold, { text, isRunning: false });
  fold.state.retry = undefined;
}

/** Shows that room is being made in the context. The wire tells it twice, once per dialect: the second is skipped. */
export function startCompaction(fold: Fold, reason: string): void {
  if (fold.state.compaction) return;
  const why =
    reason === "manual" ? "" : reason === "overflow" ? ": the context is full" : ": the context is nearly full";
  fold.state.compaction = {
    id: takeId(fold),
    kind: "activity",
    activity: "compaction",
    text: `Summarising earlier messages${why}`,
    isRunning: true,
  };
  upsert(fold, fold.state.compaction);
}

/** Ends the compaction's row with what came of it. */
export function endCompaction(
  fold: Fold,
  end: {
    result?: CompactionResult | null | undefined;
    aborted: boolean;
    errorMessage?: string | undefined;
    skipped?: boolean | undefined;
  },
): void {
  const open = fold.state.compaction;
  if (!open) return;
  fold.state.compaction = undefined;
  if (end.skipped) {
    remove(fold, [open.id]);
    return;
  }
  upsert(fold, { ...open, isRunning: false, ...wordCompaction(end) });
}

function wordCompaction(end: Parameters<typeof endCompaction>[1]): { text: string; detail?: string } {
  if (end.aborted) return { text: "Summarising was stopped" };
  if (!end.result) return { text: end.errorMessage ?? "Nothing was summarised" };
  const { tokensBefore, estimatedTokensAfter, summary } = end.result;
  const after = estimatedTokensAfter === undefined ? "" : ` to about ${estimatedTokensAfter.toLocaleString("en")}`;
  return { text: `Earlier messages summarised: ${tokensBefore.toLocaleString("en")} tokens${after}`, detail: summary };
}

function showRetry(fold: Fold, row: Pick<ActivityItem, "text" | "isRunning" | "detail" | "until">): void {
  const before = fold.state.retry;
  const item: ActivityItem = {
    id: before?.id ?? takeId(fold),
    kind: "activity",
    activity: "retry",
    ...withDetail(before, row),
  };
  fold.state.retry = item;
  upsert(fold, item);
}

/** What went wrong stays there when the row says how it ended. */
function withDetail<Row extends Pick<ActivityItem, "detail">>(before: ActivityItem | undefined, row: Row): Row {
  return row.detail === undefined && before?.detail !== undefined ? { ...row, detail: before.detail } : row;
}
