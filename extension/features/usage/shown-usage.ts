import type { CommandResult } from "../../../agent/protocol/commands.ts";
import { t } from "../../../webview/l10n.ts";
import type { ShownUsage } from "../../../webview/protocol/usage.ts";
import { titleOfSummary } from "../../chat/fork-title.ts";

/** Returns what the page shows: sessions with their titles, and every day of the range. @param now Unix ms. */
export function shownUsage(usage: CommandResult<"get_usage">, days: number, now: number): ShownUsage {
  return {
    ...usage,
    days,
    calendar: calendarOf(days, now),
    sessions: usage.sessions.map(({ id: _id, name, firstMessage, modifiedAt: _at, ...session }) => ({
      ...session,
      title: titleOfSummary({ name, firstMessage }) ?? t("Untitled"),
    })),
  };
}

/** Writes the rows as CSV, for spreadsheets: one line for each day, project and model. */
export function usageCsv({ rows }: Pick<ShownUsage, "rows">): string {
  const head = ["day", "project", "model", "requests", "input", "output", "cache_read", "cache_write", "cost_usd"];
  const lines = [...rows]
    .sort((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0))
    .map((row) => [
      ...[row.day, row.project, row.model].map(csvText),
      ...[row.requests, row.input, row.output, row.cacheRead, row.cacheWrite, Number(row.costUsd.toFixed(6))],
    ]);
  return [head, ...lines].map((line) => `${line.join(",")}\r\n`).join("");
}

/** Quotes a text; one that a spreadsheet would run as a formula is kept as text. */
function csvText(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function calendarOf(days: number, now: number): string[] {
  const today = new Date(now);
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - days + 1 + index);
    return [day.getFullYear(), day.getMonth() + 1, day.getDate()]
      .map((part) => String(part).padStart(2, "0"))
      .join("-");
  });
}
