import { applyOp, finished, type ItemTarget, withText } from "./protocol/apply-op.ts";
import type { TranscriptItem } from "./protocol/items.ts";
import type { ToPanel } from "./protocol/to-panel.ts";
import type { PanelUi } from "./protocol/ui.ts";

/** The state of the page: a copy of the host's transcript at one revision. */
export interface PageState {
  readonly revision: number;
  readonly items: readonly TranscriptItem[];
  readonly ui: PanelUi;
}

/** The state that a snapshot stands for. */
export function fromSnapshot(snapshot: Extract<ToPanel, { type: "snapshot" }>): PageState {
  return { revision: snapshot.revision, items: snapshot.items, ui: snapshot.ui };
}

/**
 * Applies one patch. Changes to items that are not there are skipped.
 * @returns the next state, or `gap` when a patch between is missing and a snapshot is needed.
 */
export function applyPatch(state: PageState, patch: Extract<ToPanel, { type: "patch" }>): PageState | "gap" {
  if (patch.revision !== state.revision + 1) return "gap";
  const list = new ItemList(state.items);
  for (const op of patch.ops) applyOp(list, op);
  return { revision: patch.revision, items: list.items, ui: patch.ui ?? state.ui };
}

/** A copy of a list of items, to be changed. What changes stands near the end, so it is searched from there. */
class ItemList implements ItemTarget {
  items: TranscriptItem[];

  constructor(items: readonly TranscriptItem[]) {
    this.items = [...items];
  }

  upsert(item: TranscriptItem): void {
    const at = this.#indexOf(item.id);
    if (at === -1) this.items.push(item);
    else this.items[at] = item;
  }

  append(id: string, text: string): void {
    this.#change(id, (item) => withText(item, text));
  }

  finish(id: string, durationMs: number | undefined): void {
    this.#change(id, (item) => finished(item, durationMs));
  }

  remove(ids: readonly string[]): void {
    const gone = new Set(ids);
    this.items = this.items.filter((item) => !gone.has(item.id));
  }

  #change(id: string, change: (item: TranscriptItem) => TranscriptItem): void {
    const at = this.#indexOf(id);
    const item = this.items[at];
    if (item !== undefined) this.items[at] = change(item);
  }

  #indexOf(id: string): number {
    return this.items.findLastIndex((item) => item.id === id);
  }
}
