import http from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import { withTimeLimit } from "../util/with-time-limit.ts";
import { connectionFailure, passingFailure } from "./request-errors.ts";

/** The time limit for connecting. Where there is no such service, nothing connects. */
const CONNECT_MS = 1500;
const LIMIT_MS = 15_000;

interface MachineRequest {
  method?: "GET" | "PUT";
  headers: Record<string, string>;
  /** True for a service that must exist, because it answered before or the environment names it. */
  isKnown?: boolean;
}

/** The answer of such a service; status 0 if there was none. */
export interface MachineAnswer {
  status: number;
  body: string;
}

/**
 * Sends a request to a service that a cloud offers inside its machines or containers. It uses no proxy, because proxies can't reach such services.
 * @returns undefined if the connection fails.
 * @throws ProviderError when the service fails temporarily, or one that must exist doesn't answer.
 */
export async function askMachine(
  url: string,
  { method = "GET", headers, isKnown = false }: MachineRequest,
  signal: AbortSignal,
): Promise<MachineAnswer | undefined> {
  const limit = withTimeLimit(signal, LIMIT_MS);
  const late = limit.signal;
  const connection = { isMade: false };
  let answer: MachineAnswer;
  try {
    const response = await send(url, { method, headers, signal: late }, connection, isKnown ? LIMIT_MS : CONNECT_MS);
    answer = { status: response.statusCode ?? 0, body: await text(response) };
  } catch (error) {
    if (signal.aborted) throw error;
    if (!connection.isMade) return undefined;
    if (isKnown) throw connectionFailure(url, error);
    return { status: 0, body: "" };
  } finally {
    limit.end();
  }
  const passing = passingFailure(url, answer.status);
  if (passing !== undefined) throw passing;
  return answer;
}

function send(
  url: string,
  options: http.RequestOptions,
  connection: { isMade: boolean },
  connectMs: number,
): Promise<http.IncomingMessage> {
  const { protocol } = new URL(url);
  const client = protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    const request = client.request(url, { ...options, agent: new client.Agent() }, resolve);
    const timer = setTimeout(() => request.destroy(new Error("nothing connected")), connectMs);
    request.on("socket", (socket) =>
      socket.once("connect", () => {
        connection.isMade = true;
        clearTimeout(timer);
      }),
    );
    request.on("close", () => clearTimeout(timer));
    request.on("error", reject);
    request.end();
  });
}
