import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CancelledNotificationSchema,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from "@modelcontextprotocol/sdk/types.js";
import { atMost } from "../../util/at-most.ts";
import type { Channel } from "./channel.ts";
import { MAX_RETRIES, PendingAnswers } from "./pending-answers.ts";
import type { ServerConfig } from "./server-config.ts";

/** The time limit for a remote server to end its session. */
const GOODBYE_LIMIT_MS = 500;
const RECONNECTION = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: MAX_RETRIES,
};

type HttpConfig = Extract<ServerConfig, { kind: "http" }>;

/** Makes sure that each request gets an answer: an error if the connection ends without one. */
class HttpTransport extends StreamableHTTPClientTransport {
  readonly #pending: PendingAnswers;

  constructor({ url, headers }: HttpConfig, fetch: FetchLike) {
    const pending = new PendingAnswers((error) => this.onmessage?.(error));
    // The transport doesn't follow redirects to other origins, so only the intended server gets the headers.
    super(new URL(url), {
      requestInit: { headers },
      fetch: pending.watch(fetch),
      reconnectionOptions: RECONNECTION,
    });
    this.#pending = pending;
  }

  override async start(): Promise<void> {
    const deliver: Transport["onmessage"] = this.onmessage;
    this.onmessage = (message: JSONRPCMessage) => {
      if (isJSONRPCResultResponse(message)) this.#pending.delete(message.id);
      if (isJSONRPCErrorResponse(message) && message.id !== undefined) this.#pending.delete(message.id);
      deliver?.(message);
    };
    await super.start();
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    const cancelled = CancelledNotificationSchema.safeParse(message).data?.params.requestId;
    if (cancelled !== undefined) this.#pending.delete(cancelled);
    if (!isJSONRPCRequest(message)) return super.send(message);
    const { id } = message;
    this.#pending.add(id);
    try {
      await super.send(message, { onresumptiontoken: (lastEvent) => this.#pending.noteEvent(id, lastEvent) });
    } catch (error) {
      this.#pending.delete(id);
      throw error;
    }
  }
}

/** Creates a channel to a server over HTTP. */
export function httpChannel(config: HttpConfig, fetch: FetchLike): Channel {
  const transport = new HttpTransport(config, fetch);
  return {
    transport,
    ending: () => "closed the connection",
    async close() {
      await atMost(transport.terminateSession(), GOODBYE_LIMIT_MS);
      await transport.close();
    },
  };
}
