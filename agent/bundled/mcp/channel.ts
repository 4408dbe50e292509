import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

/** A transport, and how it ends. */
export interface Channel {
  transport: Transport;
  /** Describes the end, for a sentence that begins with the server's name. */
  ending(): string;
  /** Resolves once everything that it started has ended. */
  close(): Promise<void>;
  /** Returns the reason for a failed start if the transport's own error doesn't include it. */
  reason?(error: unknown): unknown;
}
