const FORBIDDEN = /[^a-zA-Z0-9_-]/g;

/** Ids of tool calls as services take them: letters, digits, `_` and `-`, each once in a conversation. */
export class CallIds {
  readonly #maxLength: number;
  readonly #used = new Set<string>();
  readonly #current = new Map<string, string>();

  /** @param maxLength of an id, in characters. */
  constructor(maxLength = Number.POSITIVE_INFINITY) {
    this.#maxLength = maxLength;
  }

  ofCall(id: string): string {
    const base = id.replace(FORBIDDEN, "_").slice(0, this.#maxLength) || "call";
    let free = base;
    for (let number = 2; this.#used.has(free); number += 1) {
      const suffix = `_${number}`;
      free = base.slice(0, this.#maxLength - suffix.length) + suffix;
    }
    this.#used.add(free);
    this.#current.set(id, free);
    return free;
  }

  ofResult(id: string): string {
    return this.#current.get(id) ?? id;
  }
}
