import type { LoggingLevel, LoggingMessageNotification } from "@modelcontextprotocol/sdk/types.js";

/** The levels of log messages, from the lowest to the highest. */
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

/** Returns a server's message as one line; undefined if its level is below `least`. */
export function logLine(
  { level, logger, data }: LoggingMessageNotification["params"],
  least: LoggingLevel,
): string | undefined {
  if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return undefined;
  const text = (typeof data === "string" ? data : JSON.stringify(data)) ?? "";
  return `${level}: ${logger === undefined ? "" : `${logger}: `}${text}`.replace(/\s+/g, " ");
}
