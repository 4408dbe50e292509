import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { RequestError } from "@agentclientprotocol/sdk";
import * as z from "zod";
import type { FrameSink, HostWire } from "../rpc/wire/host-wire.ts";

/** The SDK checks the rest of a message itself. */
const Message: z.ZodType<AnyMessage> = z.custom<AnyMessage>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

/** Messages of the protocol over standard input and output. */
export interface AcpStream {
  readonly stream: Stream;
  readonly sink: FrameSink;
}

/**
 * Opens the connection to the client. A line that is no message is answered with an error, and reading goes on.
 * @param onClosed called once when nothing more can be written: the client is gone, or `failure` says why.
 */
export function openStream(wire: HostWire, onClosed: (failure: Error | undefined) => void): AcpStream {
  const sink = wire.open(onClosed);
  const refuse = (error: RequestError) => sink.write({ jsonrpc: "2.0", id: null, error: error.toErrorResponse() });
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      const next = oneByOne();
      wire.listen({
        receive(value) {
          const message = Message.safeParse(value);
          if (message.success) next(() => controller.enqueue(message.data));
          else
            refuse(RequestError.invalidRequest(undefined, "A message is one JSON object; batches are not supported"));
        },
        refuse: (reason) => refuse(RequestError.parseError(undefined, reason)),
        end: () => next(() => controller.close()),
      });
    },
  });
  const writable = new WritableStream<AnyMessage>({ write: (message) => sink.write(message) });
  return { stream: { readable, writable }, sink };
}

/**
 * Does one thing in each turn of the event loop. The SDK asks its handlers one after the other whose a message is, so that a message could
 * overtake one that came in the same chunk.
 */
function oneByOne(): (step: () => void) => void {
  const waiting: (() => void)[] = [];
  const go = () => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(go);
  };
  return (step) => {
    waiting.push(step);
    if (waiting.length === 1) setImmediate(go);
  };
}
