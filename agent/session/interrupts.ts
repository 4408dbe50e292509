/** Lets a queued message interrupt the tools that run. */
export class Interrupts {
  readonly #open = new Set<AbortController>();

  /** A signal for one batch of tools; to be disposed of at its end. */
  signal(): { signal: AbortSignal; dispose(): void } {
    const controller = new AbortController();
    this.#open.add(controller);
    return { signal: controller.signal, dispose: () => void this.#open.delete(controller) };
  }

  interrupt(): void {
    for (const controller of this.#open) controller.abort();
  }
}
