/** Holds back the frames of a starting agent until its session has been read, and drops those of an outdated process. */
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
