const NOT_READY = "Extension runtime not initialized. Action methods cannot be called during extension loading.";
const ENDED = "This extension was loaded again: what belongs to the earlier one cannot act any more.";

/** The life of one loaded extension: it is loaded, acts, and ends together with everything that it set up. */
export class ExtensionLife {
  #state: "loading" | "active" | "ended" = "loading";
  #beginnings: (() => void)[] = [];
  #endings: (() => void)[] = [];

  get isActive(): boolean {
    return this.#state === "active";
  }

  /** @throws Error while the extension is being loaded, and after its end. */
  requireActive(): void {
    if (this.#state === "active") return;
    throw new Error(this.#state === "loading" ? NOT_READY : ENDED);
  }

  /** Does something that needs the agent: at once, or as soon as the extension may act. */
  whenActive(work: () => void): void {
    if (this.#state === "active") work();
    else if (this.#state === "loading") this.#beginnings.push(work);
  }

  /** Keeps what has to be undone at the end; the last is undone first. */
  atEnd(undo: () => void): void {
    this.#endings.push(undo);
  }

  /** From here on the extension may act. */
  activate(): void {
    if (this.#state !== "loading") return;
    this.#state = "active";
    for (const work of this.#beginnings.splice(0)) work();
  }

  /** Undoes everything; from here on the extension's objects refuse to act. */
  end(): void {
    this.#state = "ended";
    this.#beginnings = [];
    for (const undo of this.#endings.splice(0).reverse()) undo();
  }
}
