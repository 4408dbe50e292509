import type { LoggingLevel, LoggingMessageNotification } from "@modelcontextprotocol/sdk/types.js";

/** The levels of messages, the least important first. */
export const LOG_LEVELS: readonly LoggingLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** Returns a message of a server as one line; undefined if it is less important than `least`. */
export function logLine(
  { level, logger, data }: LoggingMessageNotification["params"],
  least: LoggingLevel,
): string | undefined {
  if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return undefined;
  const text = (typeof data === "string" ? data : JSON.stringify(data)) ?? "";
  return `${level}: ${logger === undefined ? "" : `${logger}: `}${text}`.replace(/\s+/g, " ");
}
