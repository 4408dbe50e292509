import { LineSplitter } from "../../protocol/line-splitter.ts";

const MAX_LINE_CHARACTERS = 500;
const MAX_LINE_BYTES = 64 * 1024;
const WINDOW_MS = 10_000;
const MAX_LINES_A_WINDOW = 50;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const CONTROLS = /\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]/g;

/** Passes on a server's output outside the protocol: each line with a prefix, and a limited number of lines. */
export class BoundedLines {
  readonly #prefix: string;
  readonly #write: (line: string) => void;
  readonly #splitter: LineSplitter;
  #windowStart = Number.NEGATIVE_INFINITY;
  #written = 0;
  #dropped = 0;

  constructor(prefix: string, write: (line: string) => void) {
    this.#prefix = prefix;
    this.#write = write;
    this.#splitter = new LineSplitter(
      { line: (text) => this.line(text), overflow: () => this.line("(a very long line)") },
      MAX_LINE_BYTES,
    );
  }

  /** Adds the next bytes of a stream. */
  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk);
  }

  line(text: string): void {
    const now = performance.now();
    if (now - this.#windowStart > WINDOW_MS) {
      this.end();
      this.#windowStart = now;
      this.#written = 0;
    }
    if (this.#written >= MAX_LINES_A_WINDOW) {
      this.#dropped++;
      return;
    }
    this.#written++;
    const plain = text.replace(CONTROLS, "").trimEnd();
    const cut = plain.length > MAX_LINE_CHARACTERS ? `${plain.slice(0, MAX_LINE_CHARACTERS)}…` : plain;
    if (cut !== "") this.#write(`${this.#prefix} ${cut}`);
  }

  /** Reports how much was left out. */
  end(): void {
    if (this.#dropped > 0) this.#write(`${this.#prefix} (${this.#dropped} more lines left out)`);
    this.#dropped = 0;
  }
}
