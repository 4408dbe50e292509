import { EventStreamCodec } from "@smithy/core/event-streams";
import { ProviderError } from "./provider.ts";
import type { Decoder } from "./reply-stream.ts";

/** The maximum length of a frame that the service sends, in bytes. */
const MAX_FRAME_BYTES = 24 * 1024 * 1024;
const LENGTH_BYTES = 4;
/** The bytes that frames use for lengths and checksums. */
const MIN_FRAME_BYTES = 16;
const NAME = /^\w+$/;

const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");
const codec = new EventStreamCodec(toText, (text) => Buffer.from(text));

/**
 * Cuts the bytes of an event stream of AWS into events. The data of each is a JSON object with one field, named for the event or the exception.
 * @see https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html
 */
export class FrameDecoder implements Decoder {
  #chunks: Uint8Array[] = [];
  #length = 0;
  #wanted = LENGTH_BYTES;

  push(bytes: Uint8Array): string[] {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
    if (this.#length < this.#wanted) return [];
    let rest = Buffer.concat(this.#chunks);
    const events: string[] = [];
    for (;;) {
      this.#wanted = rest.length < LENGTH_BYTES ? LENGTH_BYTES : frameLength(rest);
      if (rest.length < this.#wanted || rest.length < LENGTH_BYTES) break;
      events.push(...readFrame(rest.subarray(0, this.#wanted)));
      rest = rest.subarray(this.#wanted);
    }
    this.#chunks = [rest];
    this.#length = rest.length;
    return events;
  }
}

function frameLength(bytes: Buffer): number {
  const length = bytes.readUInt32BE(0);
  if (length > MAX_FRAME_BYTES) throw new RangeError(`An event of the stream is longer than ${MAX_FRAME_BYTES} bytes.`);
  if (length < MIN_FRAME_BYTES) throw damaged(new Error(`A frame of ${length} bytes`));
  return length;
}

function readFrame(frame: Uint8Array): string[] {
  const { headers, body } = decode(frame);
  const header = (name: string) => {
    const value = headers[name]?.value;
    return typeof value === "string" ? value : "";
  };
  if (header(":message-type") === "error") {
    const failure = { message: header(":error-message") };
    return [JSON.stringify({ [exceptionName(header(":error-code"))]: failure })];
  }
  const name = header(":exception-type") || header(":event-type");
  return NAME.test(name) ? [`{"${name}":${toText(body) || "{}"}}`] : [];
}

function exceptionName(code: string): string {
  return /Exception$/.test(code) ? code : `${code}Exception`;
}

function decode(frame: Uint8Array) {
  try {
    return codec.decode(frame);
  } catch (cause) {
    throw damaged(cause);
  }
}

function damaged(cause: unknown): ProviderError {
  return new ProviderError("server", "The model server sent a damaged event.", { cause });
}
