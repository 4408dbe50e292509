import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isIPv6 } from "node:net";

/** A server on this machine that answers as a test wants. */
export interface LocalServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Method and path of each request, in order. */
  readonly requests: string[];
  stop(): Promise<void>;
}

/** Starts a server that answers every request with `answer`. @param host the address that it listens on. */
export async function startServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  host = "127.0.0.1",
): Promise<LocalServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.on("error", () => undefined); // whoever asks may go away in the middle
    answer(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${address.port}`,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Sends as much as is taken, up to `size` bytes. @returns how many bytes were taken. */
export function pour(response: ServerResponse, size: number): { readonly sent: number } {
  const chunk = Buffer.alloc(64 * 1024, "x");
  const count = { sent: 0 };
  const more = () => {
    while (count.sent < size && !response.destroyed) {
      count.sent += chunk.length;
      if (!response.write(chunk)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
  return count;
}
