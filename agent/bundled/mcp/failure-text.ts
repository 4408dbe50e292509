import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { errorMessage } from "../../protocol/errors.ts";
import type { ServerEntry } from "./server-config.ts";

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const MAX_CHARACTERS = 500;

/** True if a remote server has forgotten the session, so that the call was not made. */
export function isSessionLost(error: unknown): boolean {
  return error instanceof StreamableHTTPError && error.code === NOT_FOUND;
}

/** True if the connection ended before the answer came. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof McpError && error.code === ErrorCode.ConnectionClosed;
}

/**
 * Returns why a server can't be used, in one line without its name.
 * @param timeoutMs the time limit, if there was one.
 */
export function failureText(error: unknown, entry: ServerEntry, timeoutMs?: number): string {
  return reasonOf(error, entry, timeoutMs).replace(/\s+/g, " ").slice(0, MAX_CHARACTERS);
}

function reasonOf(error: unknown, { file }: ServerEntry, timeoutMs: number | undefined): string {
  if (error instanceof StreamableHTTPError && (error.code === UNAUTHORIZED || error.code === FORBIDDEN)) {
    return `it refuses access (HTTP ${error.code}). Check the "headers" and "oauth" of its entry in ${file.path}.`;
  }
  if (error instanceof StreamableHTTPError) return `it doesn't respond like an MCP server: ${error.message}`;
  if (timeoutMs !== undefined && error instanceof McpError && error.code === ErrorCode.RequestTimeout) {
    return `it didn't respond within ${timeoutMs / 1000} seconds.`;
  }
  return withCause(error);
}

/** `fetch failed` alone says nothing about the reason. */
function withCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  const text = errorMessage(error);
  if (cause instanceof McpError) return text;
  return cause === undefined || text.includes(cause.message) ? text : `${text}: ${cause.message || cause.name}`;
}
