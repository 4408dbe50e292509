import type { TranscriptItem } from "../../../webview/protocol/items.ts";

/** Maximum number of pages kept; those nearest to the conversation are dropped first. */
const MAX_PAGES = 25;

/** Items from before the kept ones that were sent to pages, so that actions on them can find them. */
export class EarlierItems {
  /** By cursor, each page older than the previous one. */
  readonly #pages = new Map<string, readonly TranscriptItem[]>();

  /** @param cursor the cursor that the page was requested with. */
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

  /** Returns all items, the oldest first. */
  all(): TranscriptItem[] {
    return [...this.#pages.values()].toReversed().flat();
  }

  clear(): void {
    this.#pages.clear();
  }
}
