/**
 * Loaded before anything else. Standard output carries the protocol and nothing but the protocol: from here on whatever prints the usual way
 * goes to standard error, and the real writer is a handle that only the frame writer gets.
 */
const realWrite = process.stdout.write.bind(process.stdout);

process.stdout.write = process.stderr.write.bind(process.stderr);
for (const method of ["log", "info", "debug", "dir", "table"] as const) console[method] = console.error;

/** The real standard output, for the one frame writer. */
export const realStdout = {
  /** @returns false when the stream's buffer is full. */
  write: (text: string): boolean => realWrite(text),
  /** Bytes that the reader has not taken yet. */
  get pendingBytes(): number {
    return process.stdout.writableLength;
  },
  onDrain: (listener: () => void): void => void process.stdout.on("drain", listener),
  onError: (listener: (error: Error) => void): void => void process.stdout.on("error", listener),
};

export type RealStdout = typeof realStdout;
