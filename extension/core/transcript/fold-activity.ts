import { type CompactionResult, KeptFactCounts } from "../../../agent/protocol/compaction.ts";
import type { AgentEvent } from "../../../agent/protocol/events.ts";
import { type CustomEntry, PRUNING_ENTRY_TYPE, Pruning } from "../../../agent/protocol/session-entries.ts";
import { formatNumber, t } from "../../../webview/l10n.ts";
import { type ActivityItem, addNotice, type Fold, remove, takeId, upsert } from "./transcript-state.ts";

type RetryStart = Extract<AgentEvent, { type: "auto_retry_start" }>;

/** Shows that the agent waits before it asks the model again. */
export function startRetry(fold: Fold, event: RetryStart): void {
  const seconds = Math.max(1, Math.round(event.delayMs / 1_000));
  showRetry(fold, {
    // The page replaces the words for the time by a countdown.
    text: t("Retrying {0} ({1} of {2})", t("in {0}s", seconds), event.attempt, event.maxAttempts),
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

/** Shows that the context is being compacted. The wire reports it twice, once per dialect: the second is skipped. */
export function startCompaction(fold: Fold, reason: string): void {
  if (fold.state.compaction) return;
  fold.state.compaction = {
    id: takeId(fold),
    kind: "activity",
    activity: "compaction",
    text: wordStart(reason),
    isRunning: true,
  };
  upsert(fold, fold.state.compaction);
}

function wordStart(reason: string): string {
  if (reason === "manual") return t("Compacting chat…");
  return reason === "overflow"
    ? t("Compacting chat because the context is full…")
    : t("Compacting chat because the context is nearly full…");
}

/** Ends the row of the compaction with its result. */
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
  if (end.aborted) return { text: t("Compacting stopped") };
  if (!end.result) return { text: end.errorMessage ?? t("Nothing to compact") };
  const { tokensBefore, estimatedTokensAfter, summary, details } = end.result;
  const before = formatNumber(tokensBefore);
  const text =
    estimatedTokensAfter === undefined
      ? t("Chat compacted from {0} tokens", before)
      : t("Chat compacted from {0} to about {1} tokens", before, formatNumber(estimatedTokensAfter));
  return { text: [text, ...wordKept(details)].join(" · "), detail: summary };
}

function wordKept(details: unknown): string[] {
  const counts = Object.values(KeptFactCounts.safeParse(details).data?.kept ?? {});
  const kept = counts.reduce((sum, count) => sum + count, 0);
  if (kept === 0) return [];
  return [kept === 1 ? t("1 fact kept word for word") : t("{0} facts kept word for word", formatNumber(kept))];
}

/** Shows that old tool results are no longer sent; other entries of the session are not shown. */
export function tellOfPruning(fold: Fold, { customType, data }: CustomEntry): void {
  const results = customType === PRUNING_ENTRY_TYPE ? Pruning.safeParse(data).data?.results : undefined;
  if (results === undefined) return;
  const text =
    results.length === 1
      ? t("Removed 1 old tool result from the context to free up space")
      : t("Removed {0} old tool results from the context to free up space", formatNumber(results.length));
  addNotice(fold, { level: "info", text, detail: results.map(({ note }) => note).join("\n") });
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

/** Keeps the detail of the error in the row that tells the end. */
function withDetail<Row extends Pick<ActivityItem, "detail">>(before: ActivityItem | undefined, row: Row): Row {
  return row.detail === undefined && before?.detail !== undefined ? { ...row, detail: before.detail } : row;
}
