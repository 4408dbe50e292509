import { Writable } from "node:stream";

/**
 * Loaded before anything else. Standard output carries the protocol and nothing but the protocol: from here on whatever prints the usual way
 * goes to standard error, and the real writer is a handle that only the frame writer gets.
 */
const stream = process.stdout;

/** The `process.stdout` of all other code. It can't be ended, and child processes that inherit it get standard error. */
const standIn = new Writable({
  decodeStrings: false,
  write(chunk: string | Uint8Array, _encoding, done) {
    process.stderr.write(chunk);
    done();
  },
});
const end = (chunk?: unknown) => {
  if (typeof chunk === "string" || chunk instanceof Uint8Array) standIn.write(chunk);
  return standIn;
};
Object.defineProperties(standIn, { fd: { value: process.stderr.fd }, end: { value: end }, isTTY: { value: false } });
Object.defineProperty(process, "stdout", { configurable: true, enumerable: true, get: () => standIn });

// The reader of this output may exit; that is no reason to end.
process.stderr.on("error", () => undefined);

for (const method of ["log", "info", "debug", "dir", "table"] as const) console[method] = console.error;

/** The real standard output, for the one frame writer. */
export const realStdout = {
  /** @returns false when the stream's buffer is full. */
  write: (text: string): boolean => stream.write(text),
  /** Bytes that the reader has not taken yet. */
  get pendingBytes(): number {
    return stream.writableLength;
  },
  onDrain: (listener: () => void): void => void stream.on("drain", listener),
  onError: (listener: (error: Error) => void): void => void stream.on("error", listener),
};

/** True when a write failed only because the reader is gone. */
export function isReaderGone({ code }: NodeJS.ErrnoException): boolean {
  return code === "EPIPE" || code === "ECONNRESET" || code === "ERR_STREAM_DESTROYED";
}

/** Returns a sentence for people about a write that failed for another reason. */
export function writeFailure(error: Error): string {
  return `Error: Couldn't write to standard output: ${error.message}`;
}

export type RealStdout = typeof realStdout;
