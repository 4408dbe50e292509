import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import * as z from "zod";

const Sent = z.object({
  id: z.unknown().optional(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
});
const Address = z.object({ port: z.number() });

type Sent = z.infer<typeof Sent>;

/** A request to the server: the message in it, if it has one, and what answers it. */
export interface OddRequest {
  request: IncomingMessage;
  response: ServerResponse;
  message: Sent;
}

/** Answers a message with a JSON document. @param headers more of them. */
export function answer(
  { response, message }: Pick<OddRequest, "response" | "message">,
  result: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(200, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
}

/** Begins to answer with a stream of events. */
export function beginStream({ response }: Pick<OddRequest, "response">, start = ": hello\n\n"): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(start);
}

/**
 * Starts a server on HTTP that answers what every client asks first, with the sessions "s1", "s2" and so on, and gives the rest, and each request without a message, to `handle`.
 * @returns its address. It ends with the test.
 */
export async function oddHttpServer(handle: (request: OddRequest) => unknown): Promise<string> {
  let sessions = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const message = Sent.parse(body === "" ? { method: request.method ?? "" } : JSON.parse(body));
    const got = { request, response, message };
    if (message.method === "initialize") {
      const { protocolVersion } = message.params;
      const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "odd", version: "1" } };
      answer(got, result, { "mcp-session-id": `s${++sessions}` });
    } else if (message.method === "notifications/initialized") response.writeHead(202).end();
    else if (message.method === "DELETE") response.end();
    else await handle(got);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${Address.parse(server.address()).port}/mcp`;
}
