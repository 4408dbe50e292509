import type { TranscriptItem } from "./protocol/items.ts";
import type { PatchOp, ToPanel } from "./protocol/to-panel.ts";
import type { PanelUi } from "./protocol/ui.ts";

/** What the page knows: a copy of the host's transcript at one revision. */
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
  const items = [...state.items];
  let kept = items;
  for (const op of patch.ops) kept = applyOp(kept, op);
  return { revision: patch.revision, items: kept, ui: patch.ui ?? state.ui };
}

/** Changes `items` in place, or returns another list. What changes stands near the end, so it is searched from there. */
function applyOp(items: TranscriptItem[], op: PatchOp): TranscriptItem[] {
  if (op.op === "remove") {
    const gone = new Set(op.ids);
    return items.filter((item) => !gone.has(item.id));
  }
  const id = op.op === "upsert" ? op.item.id : op.id;
  const at = items.findLastIndex((item) => item.id === id);
  const before = items[at];
  if (op.op === "upsert") {
    if (before === undefined) items.push(op.item);
    else items[at] = op.item;
  } else if (before !== undefined) {
    items[at] = op.op === "append" ? appended(before, op.text) : finished(before, op.durationMs);
  }
  return items;
}

function appended(item: TranscriptItem, text: string): TranscriptItem {
  if (item.kind === "text" || item.kind === "thinking") return { ...item, text: item.text + text };
  return item.kind === "tool" ? { ...item, input: item.input + text } : item;
}

function finished(item: TranscriptItem, durationMs: number | undefined): TranscriptItem {
  if (item.kind === "text") return { ...item, isStreaming: false };
  if (item.kind !== "thinking") return item;
  return { ...item, isStreaming: false, ...(durationMs === undefined ? {} : { durationMs }) };
}
