/** Holds the frames of a start back until the session has been read, and drops those of a process that is not current. */
export class FrameGate {
  readonly #isCurrent: () => boolean;
  #held: (() => void)[] | undefined = [];

  constructor(isCurrent: () => boolean) {
    this.#isCurrent = isCurrent;
  }

  get isOpen(): boolean {
    return this.#held === undefined;
  }

  take(deliver: () => void): void {
    if (this.#held !== undefined) this.#held.push(deliver);
    else this.pass(deliver);
  }

  pass(deliver: () => void): void {
    if (this.#isCurrent()) deliver();
  }

  open(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const deliver of held) this.pass(deliver);
  }
}
