import type { TranscriptItem } from "./items.ts";
import type { PatchOp } from "./to-panel.ts";

/** The items of a conversation in order, in whatever form: the model of the extension, the state of a page, or its elements. */
export interface ItemTarget {
  /** Replaces the item with the same id, or adds the item at the end. */
  upsert(item: TranscriptItem): void;
  append(id: string, text: string): void;
  finish(id: string, durationMs: number | undefined): void;
  /** @param isTooOld true if the items only leave the latest ones, which alone are kept. */
  remove(ids: readonly string[], isTooOld: boolean): void;
}

/** Applies one change. Targets ignore items that they don't have. */
export function applyOp(target: ItemTarget, op: PatchOp): void {
  switch (op.op) {
    case "upsert":
      target.upsert(op.item);
      return;
    case "append":
      target.append(op.id, op.text);
      return;
    case "finish":
      target.finish(op.id, op.durationMs);
      return;
    case "remove":
      target.remove(op.ids, op.isTooOld === true);
  }
}

/** Returns the item with text added at its end; items of other kinds are returned unchanged. */
export function withText(item: TranscriptItem, text: string): TranscriptItem {
  if (item.kind === "text" || item.kind === "thinking") return { ...item, text: item.text + text };
  return item.kind === "tool" ? { ...item, input: item.input + text } : item;
}

/** Returns the item as it is when it has all its text; items of other kinds are returned unchanged. */
export function finished(item: TranscriptItem, durationMs: number | undefined): TranscriptItem {
  if (item.kind === "text") return { ...item, isStreaming: false };
  if (item.kind !== "thinking") return item;
  return { ...item, isStreaming: false, ...(durationMs === undefined ? {} : { durationMs }) };
}
