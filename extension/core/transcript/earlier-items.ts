import type { TranscriptItem } from "../../../webview/protocol/items.ts";

/** Pages that are remembered; those nearest to the conversation are forgotten first. */
const MAX_PAGES = 25;

/** What pages were given from before the items that are kept, so that what is done to an item finds it. */
export class EarlierItems {
  /** By cursor, each page older than the one before it. */
  readonly #pages = new Map<string, readonly TranscriptItem[]>();

  /** @param cursor what the page was asked for by. */
  add(cursor: string, items: readonly TranscriptItem[]): void {
    this.#pages.set(cursor, items);
    for (const key of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES) return;
      this.#pages.delete(key);
    }
  }

  get(id: string): TranscriptItem | undefined {
    for (const page of this.#pages.values()) {
      const item = page.find((one) => one.id === id);
      if (item !== undefined) return item;
    }
    return undefined;
  }

  /** All of them, the oldest first. */
  all(): TranscriptItem[] {
    return [...this.#pages.values()].toReversed().flat();
  }

  clear(): void {
    this.#pages.clear();
  }
}
