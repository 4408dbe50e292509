import type { SessionSummary } from "../../../agent/protocol/history.ts";
import { formatDay, t } from "../../../webview/l10n.ts";
import type { ChatStatus } from "../../../webview/protocol/ui.ts";
import { titleOfSummary } from "../../chat/fork-title.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Sessions of about the same age. */
export interface SessionGroup<T> {
  readonly title: string;
  readonly sessions: readonly T[];
}

/** Groups sessions by age, in the given order. @param now Unix ms; days are those of the local time. */
export function groupByAge<T extends { readonly modifiedAt: number }>(
  sessions: readonly T[],
  now: number,
): SessionGroup<T>[] {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const groups: { title: string; sessions: T[] }[] = [];
  for (const session of sessions) {
    const title = ageGroup(session.modifiedAt, midnight);
    const group = groups.find((candidate) => candidate.title === title);
    if (group === undefined) groups.push({ title, sessions: [session] });
    else group.sessions.push(session);
  }
  return groups;
}

function ageGroup(modifiedAt: number, midnight: number): string {
  if (modifiedAt >= midnight) return t("Today");
  if (modifiedAt >= midnight - DAY_MS) return t("Yesterday");
  return modifiedAt >= midnight - 7 * DAY_MS ? t("Last 7 Days") : t("Older");
}

/** Formats an age in a few characters. Both times are Unix ms. */
export function shortAge(at: number, now: number): string {
  const elapsedMs = Math.max(0, now - at);
  if (elapsedMs < MINUTE_MS) return t("now");
  if (elapsedMs < HOUR_MS) return t("{0}m", Math.floor(elapsedMs / MINUTE_MS));
  if (elapsedMs < DAY_MS) return t("{0}h", Math.floor(elapsedMs / HOUR_MS));
  const days = Math.floor(elapsedMs / DAY_MS);
  return days < 30 ? t("{0}d", days) : formatDay(at);
}

/** Returns the first message without its attachments. */
export function firstWords({ firstMessage }: Pick<SessionSummary, "firstMessage">): string | undefined {
  // A single line that may be cut anywhere.
  return firstMessage?.replace(/\s*<attached key="[0-9a-f]{16}">.*$/s, "");
}

/** Returns the title of a session. */
export function sessionTitle(summary: SessionSummary): string {
  const { path } = summary;
  return titleOfSummary(summary) ?? path.split(/[\\/]/).at(-1) ?? path;
}

/** Describes the state of an open chat for people. */
export function wordState(state: ChatStatus): string {
  const words: { readonly [S in ChatStatus]: string } = {
    asking: t("needs your answer"),
    starting: t("running"),
    running: t("running"),
    stopping: t("running"),
    crashed: t("crashed"),
    done: t("done"),
    idle: t("open"),
    stopped: t("open"),
    untrusted: t("open"),
    noFolder: t("open"),
  };
  return words[state];
}

/** Maximum number of sessions requested at once. */
export const PAGE_SIZE = 50;
