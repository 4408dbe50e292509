import { SSEClientTransport, SseError } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Channel } from "./channel.ts";
import type { ServerConfig } from "./server-config.ts";

type HttpConfig = Extract<ServerConfig, { kind: "http" }>;

/** Ends with its stream. A new stream would be another session, which hasn't been initialized. */
class SseTransport extends SSEClientTransport {
  #isStarted = false;

  override async start(): Promise<void> {
    await super.start();
    const report = this.onerror;
    this.onerror = (error) => {
      report?.(error);
      if (this.#isStarted && error instanceof SseError) void this.close();
    };
    this.#isStarted = true;
  }
}

/** Creates a channel to a server with the transport that preceded "http": an event stream, and a request for each message. */
export function sseChannel({ url, headers }: HttpConfig, fetch: FetchLike): Channel {
  let thrown: unknown;
  // The stream reports errors of fetch, such as a required sign-in, as an event without their details.
  const keepingReason: FetchLike = async (address, init) => {
    try {
      return await fetch(address, init);
    } catch (error) {
      thrown = error;
      throw error;
    }
  };
  const transport = new SseTransport(new URL(url), { requestInit: { headers }, fetch: keepingReason });
  return {
    transport,
    ending: () => "closed the connection",
    close: () => transport.close(),
    reason(error) {
      if (!(error instanceof SseError)) return error;
      return thrown ?? new StreamableHTTPError(error.code, error.message);
    },
  };
}
