import http from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";

/** Where no such service is, nothing answers. */
const LIMIT_MS = 1500;

interface MachineRequest {
  method?: "GET" | "PUT";
  headers: Record<string, string>;
}

/**
 * Asks a service that a cloud offers within a machine or container. No proxy is used, since none of them reaches it.
 * @returns undefined when nothing answers, or with a failure.
 */
export async function askMachine(
  url: string,
  { method = "GET", headers }: MachineRequest,
  signal: AbortSignal,
): Promise<string | undefined> {
  const late = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  try {
    const response = await send(url, { method, headers, signal: late });
    const body = await text(response);
    return response.statusCode === 200 ? body : undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

function send(url: string, options: http.RequestOptions): Promise<http.IncomingMessage> {
  const { protocol } = new URL(url);
  const client = protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    const request = client.request(url, { ...options, agent: new client.Agent() }, resolve);
    request.on("error", reject);
    request.end();
  });
}
