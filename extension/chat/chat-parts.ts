/** State that features keep for one chat: one part of each class, created on first use. */
export class ChatParts {
  readonly #parts = new Map<unknown, unknown>();

  /** Returns the part of this class. */
  of<Part extends object>(kind: new () => Part): Part {
    const known = this.#parts.get(kind);
    if (known instanceof kind) return known;
    const made = new kind();
    this.#parts.set(kind, made);
    return made;
  }
}
