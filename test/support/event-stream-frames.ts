import { crc32 } from "node:zlib";

const STRING = 7;
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;

/** Returns a frame of an event stream of AWS. @see https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html */
export function frame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload);
  const bytes = Buffer.alloc(PRELUDE_BYTES + head.length + body.length + CHECKSUM_BYTES);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(head.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  head.copy(bytes, PRELUDE_BYTES);
  body.copy(bytes, PRELUDE_BYTES + head.length);
  const end = bytes.length - CHECKSUM_BYTES;
  bytes.writeUInt32BE(crc32(bytes.subarray(0, end)), end);
  return bytes;
}

function header(name: string, value: string): Buffer {
  const [key, text] = [Buffer.from(name), Buffer.from(value)];
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([Buffer.from([key.length]), key, Buffer.from([STRING]), length, text]);
}

/** Returns the frame of an event with this name. */
export function eventFrame(name: string, payload: object): Buffer {
  const headers = { ":event-type": name, ":content-type": "application/json", ":message-type": "event" };
  return frame(headers, JSON.stringify(payload));
}

/** Returns the frame of an exception with this name. */
export function exceptionFrame(name: string, message: string): Buffer {
  const headers = { ":exception-type": name, ":content-type": "application/json", ":message-type": "exception" };
  return frame(headers, JSON.stringify({ message }));
}
