import type { SessionSummary } from "../../agent/protocol/history.ts";
import type { ChatState } from "../chats/chat-hub.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Sessions of about the same age. */
export interface SessionGroup<T> {
  readonly title: string;
  readonly sessions: readonly T[];
}

/** Groups sessions by when they were last changed, in the order in which they come. @param now Unix ms; days are those of the local time. */
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
  if (modifiedAt >= midnight) return "Today";
  if (modifiedAt >= midnight - DAY_MS) return "Yesterday";
  return modifiedAt >= midnight - 7 * DAY_MS ? "Last 7 Days" : "Older";
}

/** How long ago something was, in few characters. Both are Unix ms. */
export function shortAge(at: number, now: number): string {
  const elapsedMs = Math.max(0, now - at);
  if (elapsedMs < MINUTE_MS) return "now";
  if (elapsedMs < HOUR_MS) return `${Math.floor(elapsedMs / MINUTE_MS)} min`;
  if (elapsedMs < DAY_MS) return `${Math.floor(elapsedMs / HOUR_MS)} h`;
  const days = Math.floor(elapsedMs / DAY_MS);
  return days < 30 ? `${days} d` : new Date(at).toLocaleDateString();
}

/** What a session is called. */
export function sessionTitle({ name, firstMessage, path }: SessionSummary): string {
  return name || firstMessage || (path.split(/[\\/]/).at(-1) ?? path);
}

/** How an open conversation stands, for people. */
export const STATE_WORDS: { readonly [S in ChatState]: string } = {
  asking: "waits for you",
  running: "works",
  failed: "agent is down",
  done: "has ended",
  idle: "open",
  stopped: "open",
};

/** Most sessions that are asked for at once. */
export const PAGE_SIZE = 50;
