import { TerminalText, withoutColors } from "./terminal-text.ts";

const MAX_BYTES = 8_000;

/** Keeps the end of an output in bounded memory, with the sequences that set colors and no others. */
export class ColoredTail {
  readonly #terminal = new TerminalText(true);
  /** Bytes as Latin-1. */
  #tail = "";
  #isCut = false;

  /** Takes the next bytes, which may begin or end inside a character. */
  push(chunk: Buffer): void {
    this.#add(this.#terminal.write(chunk));
  }

  /** Takes what was held back. */
  end(): void {
    this.#add(this.#terminal.end());
  }

  /** The last whole lines; undefined if they have no colors. */
  get text(): string | undefined {
    const all = this.#tail + this.#terminal.pending.toString("latin1");
    const start = this.#isCut ? all.indexOf("\n") + 1 : 0;
    if (this.#isCut && start === 0) return undefined;
    const shown = all.slice(start);
    return withoutColors(shown) === shown ? undefined : Buffer.from(shown, "latin1").toString();
  }

  #add(bytes: Buffer): void {
    const all = this.#tail + bytes.toString("latin1", Math.max(0, bytes.length - MAX_BYTES));
    this.#isCut ||= all.length > MAX_BYTES || bytes.length > MAX_BYTES;
    this.#tail = all.slice(-MAX_BYTES);
  }
}
