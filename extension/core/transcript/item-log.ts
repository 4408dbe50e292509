import { applyOp, finished, type ItemTarget, withText } from "../../../webview/protocol/apply-op.ts";
import type { TranscriptItem } from "../../../webview/protocol/items.ts";
import type { PatchOp } from "../../../webview/protocol/to-panel.ts";

/** Maximum number of items; older ones are dropped, here and in the page. */
export const MAX_ITEMS = 3_000;

/** An item, and the text that was appended since it was last stored whole. */
interface StoredItem {
  item: TranscriptItem;
  pieces: string[];
}

/** The items of one conversation, the only copy in the extension. The cost of appending text does not depend on the text before it. */
export class ItemLog {
  readonly #items = new Map<string, StoredItem>();
  #hasTrimmed = false;

  /** Applies changes. @returns the ones that had an effect, and the removal of items beyond the maximum. */
  apply(ops: readonly PatchOp[]): PatchOp[] {
    const applied: PatchOp[] = [];
    const target = this.#recordIn(applied);
    for (const op of ops) applyOp(target, op);
    const tooOld: string[] = [];
    for (const id of this.#items.keys()) {
      if (this.#items.size - tooOld.length <= MAX_ITEMS) break;
      tooOld.push(id);
    }
    if (tooOld.length > 0) this.#hasTrimmed = true;
    target.remove(tooOld, true);
    return applied;
  }

  /** Replaces the conversation by another one. */
  reset(items: readonly TranscriptItem[]): void {
    this.#items.clear();
    this.#hasTrimmed = items.length > MAX_ITEMS;
    for (const item of items.slice(-MAX_ITEMS)) this.#items.set(item.id, { item, pieces: [] });
  }

  /** Returns all items in order, with their whole text. */
  snapshot(): TranscriptItem[] {
    return [...this.#items.values()].map(joined);
  }

  /** Returns one item with its whole text. */
  get(id: string): TranscriptItem | undefined {
    const stored = this.#items.get(id);
    return stored && joined(stored);
  }

  get isEmpty(): boolean {
    return this.#items.size === 0;
  }

  /** True when items before the first one were dropped. */
  get hasTrimmed(): boolean {
    return this.#hasTrimmed;
  }

  #recordIn(applied: PatchOp[]): ItemTarget {
    const items = this.#items;
    return {
      upsert(item) {
        items.set(item.id, { item, pieces: [] });
        applied.push({ op: "upsert", item });
      },
      append(id, text) {
        const stored = items.get(id);
        if (stored === undefined || text === "") return;
        stored.pieces.push(text);
        applied.push({ op: "append", id, text });
      },
      finish(id, durationMs) {
        const stored = items.get(id);
        if (stored === undefined) return;
        stored.item = finished(joined(stored), durationMs);
        applied.push({ op: "finish", id, ...(durationMs === undefined ? {} : { durationMs }) });
      },
      remove(ids, isTooOld) {
        const gone = ids.filter((id) => items.delete(id));
        if (gone.length > 0) applied.push({ op: "remove", ids: gone, ...(isTooOld ? { isTooOld } : {}) });
      },
    };
  }
}

function joined(stored: StoredItem): TranscriptItem {
  if (stored.pieces.length > 0) {
    stored.item = withText(stored.item, stored.pieces.join(""));
    stored.pieces = [];
  }
  return stored.item;
}
