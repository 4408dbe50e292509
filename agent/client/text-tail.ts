/** Keeps the end of a text that arrives in pieces, in memory bounded by twice `maxChars` (UTF-16 units). */
export class TextTail {
  readonly #maxChars: number;
  #text = "";

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  push(piece: string): void {
    this.#text += piece.length > this.#maxChars ? piece.slice(-this.#maxChars) : piece;
    if (this.#text.length > this.#maxChars * 2) this.#text = this.#text.slice(-this.#maxChars);
  }

  /** The last `maxChars` units of everything pushed. */
  toString(): string {
    return this.#text.slice(-this.#maxChars);
  }
}
