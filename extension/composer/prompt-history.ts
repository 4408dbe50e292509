import { z } from "zod";
import type { Store } from "../panel/draft.ts";

const KEY = "tiller.promptHistory";
/** Most messages that are kept; the oldest go first. */
const MAX_ENTRIES = 100;
/** Longer messages are not kept, in UTF-16 units. */
const MAX_ENTRY_CHARS = 10_000;

const Kept = z.array(z.string()).catch([]);

/** What was sent in this workspace, each text once. */
export class PromptHistory {
  readonly #store: Store;
  #entries: readonly string[];

  constructor(store: Store) {
    this.#store = store;
    this.#entries = Kept.parse(store.get(KEY) ?? []).slice(0, MAX_ENTRIES);
  }

  /** The texts, the latest first. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  /** Remembers a text as the latest. Blank and very long ones are not kept. */
  add(text: string): void {
    if (text.trim() === "" || text.length > MAX_ENTRY_CHARS) return;
    this.#entries = [text, ...this.#entries.filter((entry) => entry !== text)].slice(0, MAX_ENTRIES);
    void this.#store.update(KEY, this.#entries);
  }
}
