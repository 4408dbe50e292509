import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { withTimeLimit } from "../../../util/with-time-limit.ts";
import { SignInFailed } from "../sign-in-needed.ts";

/** The time that a sign-in service has to answer. */
const LIMIT_MS = 30_000;
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Creates the fetch for the requests of a sign-in, which carry secrets: they go out encrypted, or to this machine, or where the
 * server itself is. The headers of the server's entry don't go with them.
 */
export function createAuthFetch(serverUrl: string, signal: AbortSignal): FetchLike {
  return async (url, init) => {
    assertSafe(url, serverUrl);
    return fetch(url, { ...init, signal: withTimeLimit(signal, LIMIT_MS).signal });
  };
}

/** @throws SignInFailed when a secret must not be sent to this address, or the browser must not open it. */
export function assertSafe(url: string | URL, serverUrl: string): void {
  const { protocol, hostname, origin, host } = new URL(url);
  if (protocol === "https:") return;
  if (protocol === "http:" && (LOOPBACK.includes(hostname) || origin === new URL(serverUrl).origin)) return;
  throw new SignInFailed(`its sign-in service isn't safe: ${protocol}//${host} doesn't use https.`);
}
