import type {
  AgentContext,
  ClientCapabilities,
  ClientRequestMethod,
  ClientRequestParamsByMethod,
  ClientRequestResponsesByMethod,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { FrameSink } from "../../rpc/wire/host-wire.ts";

/** The client at the other end of the connection. */
export class ClientLink {
  /** What the client said that it can do. */
  capabilities: ClientCapabilities = {};
  readonly #sink: FrameSink;
  readonly #context: AgentContext;

  constructor(sink: FrameSink, context: AgentContext) {
    this.#sink = sink;
    this.#context = context;
  }

  /** Sends an update. It goes past the SDK, whose queue takes longer for each message than everything else together. */
  update(sessionId: string, update: SessionUpdate): void {
    this.#sink.write({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update } });
  }

  /** Asks the client. Rejects with its error, when `signal` aborts, or when the connection ends. */
  request<Method extends ClientRequestMethod>(
    method: Method,
    params: ClientRequestParamsByMethod[Method],
    signal?: AbortSignal,
  ): Promise<ClientRequestResponsesByMethod[Method]> {
    const options = signal === undefined ? {} : { cancellationSignal: signal, stopWaitingOnCancel: true };
    return this.#context.request(method, params, options);
  }
}
