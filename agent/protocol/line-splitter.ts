/**
 * LF framing: chunks of bytes in, whole lines out. Only 0x0A separates; a CR directly before it is dropped, so is a BOM at the
 * very start. Bytes are decoded a whole line at a time, so a character cut by a chunk border stays whole; invalid
 * sequences become U+FFFD. A line over the limit is discarded up to its LF and reported, and memory stays bounded by
 * the limit. The cost is linear: no byte is scanned or copied more than a fixed number of times.
 */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;

export interface LineSink {
  line(text: string): void;
  /** A line was longer than the limit and was discarded. */
  overflow(maxBytes: number): void;
}

export class LineSplitter {
  readonly #sink: LineSink;
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #parts: Uint8Array[] = [];
  #length = 0;
  #isDiscarding = false;
  #isFirstLine = true;

  constructor(sink: LineSink, maxBytes = MAX_LINE_BYTES) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
  }

  /** Takes the next bytes; complete lines reach the sink before this returns. */
  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#finishLine();
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** The stream is over: a last line without LF counts as a line. */
  end(): void {
    if (this.#length > 0 || this.#isDiscarding) this.#finishLine();
  }

  #keep(bytes: Uint8Array): void {
    if (this.#isDiscarding || bytes.length === 0) return;
    this.#length += bytes.length;
    if (this.#length > this.#maxBytes) {
      this.#isDiscarding = true;
      this.#parts = [];
      return;
    }
    this.#parts.push(bytes);
  }

  #finishLine(): void {
    const parts = this.#parts;
    const length = this.#length;
    const wasDiscarding = this.#isDiscarding;
    const wasFirst = this.#isFirstLine;
    this.#parts = [];
    this.#length = 0;
    this.#isDiscarding = false;
    this.#isFirstLine = false;
    if (wasDiscarding) {
      this.#sink.overflow(this.#maxBytes);
      return;
    }
    let bytes = join(parts, length);
    if (bytes[bytes.length - 1] === CR) bytes = bytes.subarray(0, -1);
    const text = this.#decoder.decode(bytes);
    this.#sink.line(wasFirst && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  }
}

function join(parts: Uint8Array[], length: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
