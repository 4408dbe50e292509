const NOT_READY = "Extension runtime not initialized. Action methods cannot be called during extension loading.";
const ENDED =
  "This extension has been loaded anew: the objects of the earlier one cannot act any more. Nothing of it can be used after ctx.reload() or in another session.";

/** The life of one loaded extension: it is loaded, acts, perhaps leaves, and ends together with everything that it set up. */
export class ExtensionLife {
  #state: "loading" | "active" | "leaving" | "ended" = "loading";
  #beginnings: (() => void)[] = [];
  readonly #endings = new Set<() => void>();
  readonly #end = new AbortController();

  get isActive(): boolean {
    return this.#state === "active";
  }

  /** True if others take its place. */
  get hasLeft(): boolean {
    return this.#state === "leaving" || this.#state === "ended";
  }

  /** Aborts at the end. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** @throws Error while the extension is being loaded, and after its end. */
  requireActive(): void {
    if (this.#state === "loading") throw new Error(NOT_READY);
    this.requireAlive();
  }

  /** @throws Error after the extension's end. */
  requireAlive(): void {
    if (this.#state === "ended") throw new Error(ENDED);
  }

  /** Does something that needs the agent: at once, or as soon as the extension may act. */
  whenActive(work: () => void): void {
    if (this.#state === "active") work();
    else if (this.#state === "loading") this.#beginnings.push(work);
  }

  /** Registers work for the end; the last one runs first. @returns a function that runs it now. */
  atEnd(undo: () => void): () => void {
    this.#endings.add(undo);
    return () => {
      if (this.#endings.delete(undo)) undo();
    };
  }

  /** From here on the extension may act. */
  activate(): void {
    if (this.#state !== "loading") return;
    this.#state = "active";
    for (const work of this.#beginnings.splice(0)) work();
  }

  /** Undoes all registrations. Running code of the extension may act until it ends. */
  leave(): void {
    this.#state = "leaving";
    this.#undo();
  }

  /** Undoes everything; from here on the extension's objects refuse to act. */
  end(): void {
    this.#state = "ended";
    this.#undo();
    this.#end.abort();
  }

  #undo(): void {
    this.#beginnings = [];
    for (const undo of [...this.#endings].reverse()) undo();
    this.#endings.clear();
  }
}
