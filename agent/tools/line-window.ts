import { open } from "node:fs/promises";

const CHUNK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

/** Which lines of a file are wanted. */
export interface LineWindowOptions {
  /** 1-based. */
  firstLine: number;
  /** Lines, or Infinity for all that follow. */
  lineCount: number;
  /** Bytes that are kept of the window; what follows is only counted. */
  maxBytes: number;
  signal: AbortSignal;
}

/** A stretch of lines of a file. */
export interface LineWindow {
  /** The first bytes of the window, at most one chunk more than `maxBytes`. */
  bytes: Buffer;
  /** True if `bytes` is all of the window. */
  isComplete: boolean;
  /** Bytes of the window's first line without its line feed. */
  firstLineBytes: number;
  /** Lines and bytes of the window. */
  windowLines: number;
  windowBytes: number;
  /** Lines of the file. A line feed at the very end closes the last line. */
  totalLines: number;
}

/** Reads a stretch of lines in bounded memory, however large the file is; the file is read to its end to count its lines. */
export async function readLineWindow(path: string, options: LineWindowOptions): Promise<LineWindow> {
  const counter = new WindowCounter(options);
  const file = await open(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      if (options.signal.aborted) throw new Error("Operation aborted");
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return counter.finish();
      counter.add(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** The same of a text that is there already. */
export function lineWindowOf(bytes: Buffer, options: LineWindowOptions): LineWindow {
  const counter = new WindowCounter(options);
  counter.add(bytes);
  return counter.finish();
}

class WindowCounter {
  readonly #first: number;
  readonly #end: number;
  readonly #maxBytes: number;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  /** 1-based number of the line that the next byte belongs to. */
  #line = 1;
  #isLineEmpty = true;
  #windowBytes = 0;
  #firstLineBytes = 0;

  constructor({ firstLine, lineCount, maxBytes }: LineWindowOptions) {
    this.#first = firstLine;
    this.#end = firstLine + lineCount;
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): void {
    let windowStart = this.#isInside() ? 0 : -1;
    let lineStart = 0;
    for (let feed = chunk.indexOf(LINE_FEED); feed !== -1; feed = chunk.indexOf(LINE_FEED, lineStart)) {
      if (this.#line === this.#first) this.#firstLineBytes += feed - lineStart;
      lineStart = feed + 1;
      this.#line++;
      if (this.#line === this.#first) windowStart = lineStart;
      if (this.#line === this.#end) {
        this.#take(chunk.subarray(windowStart, lineStart));
        windowStart = -1;
      }
    }
    if (this.#line === this.#first) this.#firstLineBytes += chunk.length - lineStart;
    if (windowStart !== -1) this.#take(chunk.subarray(windowStart));
    this.#isLineEmpty = lineStart === chunk.length;
  }

  finish(): LineWindow {
    const totalLines = this.#isLineEmpty ? this.#line - 1 : this.#line;
    return {
      bytes: Buffer.concat(this.#kept),
      isComplete: this.#keptBytes === this.#windowBytes,
      firstLineBytes: this.#firstLineBytes,
      windowLines: Math.max(0, Math.min(totalLines, this.#end - 1) - this.#first + 1),
      windowBytes: this.#windowBytes,
      totalLines,
    };
  }

  #isInside(): boolean {
    return this.#line >= this.#first && this.#line < this.#end;
  }

  #take(bytes: Buffer): void {
    this.#windowBytes += bytes.length;
    if (bytes.length === 0 || this.#keptBytes > this.#maxBytes) return;
    this.#keptBytes += bytes.length;
    this.#kept.push(Buffer.from(bytes)); // a copy: the chunk is read into again
  }
}
