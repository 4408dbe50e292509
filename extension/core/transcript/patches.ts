import type { DraftCopy } from "../../../webview/protocol/draft.ts";
import type { TranscriptItem } from "../../../webview/protocol/items.ts";
import type { PatchOp, ToPanel } from "../../../webview/protocol/to-panel.ts";
import { PANEL_PROTOCOL_VERSION } from "../../../webview/protocol/to-panel.ts";
import type { PanelUi } from "../../../webview/protocol/ui.ts";

/** Maximum number of items; older ones are dropped, here and in the page. */
export const MAX_ITEMS = 3_000;
/** Time between two batches. */
export const FRAME_MS = 16;

/** The environment of the queue. */
export interface PatchQueueOptions {
  ui: PanelUi;
  /** Sends a message to every page. */
  send(message: ToPanel): void;
  /** Calls back once after `delayMs`; the returned function cancels that. */
  schedule(callback: () => void, delayMs: number): () => void;
  /** Unix time in ms. */
  now(): number;
  /** Returns the draft in the composer, for snapshots. */
  draft(): DraftCopy;
}

/** An item, and the text that was appended since it was last stored whole. */
interface StoredItem {
  item: TranscriptItem;
  pieces: string[];
}

type Finish = Extract<PatchOp, { op: "finish" }>;
type Pending = { op: "upsert" } | { op: "append"; pieces: string[]; finish?: Finish };

/**
 * Holds the one copy of the transcript and sends pages the changes, at most one batch a frame, with consecutive revisions.
 * The cost of appending text does not depend on the text before it. While hidden, nothing is sent.
 */
export class PatchQueue {
  readonly #options: PatchQueueOptions;
  readonly #items = new Map<string, StoredItem>();
  readonly #pending = new Map<string, Pending>();
  #removed: string[] = [];
  /** Ids of items removed because there are too many. */
  #trimmed: string[] = [];
  #hasTrimmed = false;
  #ui: PanelUi;
  #isUiPending = false;
  #revision = 0;
  #isVisible = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: PatchQueueOptions) {
    this.#options = options;
    this.#ui = options.ui;
  }

  /** Applies the changes of a reduction; pages get them with the next batch. */
  push(ops: readonly PatchOp[], ui: PanelUi): void {
    for (const op of ops) this.#apply(op);
    this.#trim();
    if (ui !== this.#ui) {
      this.#ui = ui;
      this.#isUiPending = true;
    }
    this.#scheduleFlush();
  }

  /** Replaces the conversation by another one, and sends it whole. */
  reset(items: readonly TranscriptItem[], ui: PanelUi): void {
    this.#items.clear();
    this.#hasTrimmed = items.length > MAX_ITEMS;
    for (const item of items.slice(-MAX_ITEMS)) this.#items.set(item.id, { item, pieces: [] });
    this.#ui = ui;
    if (this.#isVisible) this.sendSnapshot();
  }

  /** Sends pages that become visible one snapshot; for hidden ones changes are only stored. */
  setVisible(isVisible: boolean): void {
    if (this.#isVisible === isVisible) return;
    this.#isVisible = isVisible;
    if (isVisible) this.sendSnapshot();
    else this.#forgetPending();
  }

  /** Sends everything, to a page that has just loaded or has missed a batch. */
  sendSnapshot(): void {
    this.#forgetPending();
    this.#revision += 1;
    this.#options.send({
      type: "snapshot",
      version: PANEL_PROTOCOL_VERSION,
      revision: this.#revision,
      items: this.snapshot(),
      ui: this.#ui,
      draft: this.#options.draft(),
      now: this.#options.now(),
    });
  }

  /** Returns all items in order, with their whole text. */
  snapshot(): TranscriptItem[] {
    return [...this.#items.values()].map(joined);
  }

  get isEmpty(): boolean {
    return this.#items.size === 0;
  }

  /** True when items before the first one were dropped. */
  get hasTrimmed(): boolean {
    return this.#hasTrimmed;
  }

  /** Returns one item with its whole text. */
  get(id: string): TranscriptItem | undefined {
    const stored = this.#items.get(id);
    return stored && joined(stored);
  }

  /** Sends the pending batch at once. */
  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (!this.#isVisible || !this.#hasPending()) return;
    const ops: PatchOp[] = [];
    if (this.#removed.length > 0) ops.push({ op: "remove", ids: this.#removed });
    if (this.#trimmed.length > 0) ops.push({ op: "remove", ids: this.#trimmed, isTooOld: true });
    for (const [id, pending] of this.#pending) {
      const stored = this.#items.get(id);
      if (!stored) continue;
      if (pending.op === "upsert") {
        ops.push({ op: "upsert", item: joined(stored) });
        continue;
      }
      if (pending.pieces.length > 0) ops.push({ op: "append", id, text: pending.pieces.join("") });
      if (pending.finish) ops.push(pending.finish);
    }
    this.#revision += 1;
    const ui = this.#isUiPending ? { ui: this.#ui } : {};
    this.#forgetPending();
    this.#options.send({ type: "patch", revision: this.#revision, ops, ...ui });
  }

  /** Stops the timer; nothing is sent any more. */
  dispose(): void {
    this.#isVisible = false;
    this.#forgetPending();
  }

  #apply(op: PatchOp): void {
    switch (op.op) {
      case "upsert":
        this.#items.set(op.item.id, { item: op.item, pieces: [] });
        this.#pending.set(op.item.id, { op: "upsert" });
        return;
      case "append":
        this.#append(op.id, op.text);
        return;
      case "finish":
        this.#finish(op);
        return;
      case "remove":
        for (const id of op.ids) if (this.#remove(id)) this.#removed.push(id);
    }
  }

  #append(id: string, text: string): void {
    const stored = this.#items.get(id);
    if (!stored || text === "") return;
    stored.pieces.push(text);
    const pending = this.#pending.get(id);
    if (pending === undefined) this.#pending.set(id, { op: "append", pieces: [text] });
    else if (pending.op === "append") pending.pieces.push(text);
  }

  #finish(op: Finish): void {
    const stored = this.#items.get(op.id);
    if (!stored) return;
    stored.item = withoutStreaming(joined(stored), op.durationMs);
    const pending = this.#pending.get(op.id);
    if (pending === undefined) this.#pending.set(op.id, { op: "append", pieces: [], finish: op });
    else if (pending.op === "append") pending.finish = op;
  }

  #remove(id: string): boolean {
    this.#pending.delete(id);
    return this.#items.delete(id);
  }

  #trim(): void {
    for (const id of this.#items.keys()) {
      if (this.#items.size <= MAX_ITEMS) return;
      if (this.#remove(id)) this.#trimmed.push(id);
      this.#hasTrimmed = true;
    }
  }

  #hasPending(): boolean {
    return this.#isUiPending || this.#removed.length + this.#trimmed.length > 0 || this.#pending.size > 0;
  }

  #forgetPending(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#pending.clear();
    this.#removed = [];
    this.#trimmed = [];
    this.#isUiPending = false;
  }

  #scheduleFlush(): void {
    if (!this.#isVisible) {
      this.#forgetPending();
      return;
    }
    if (this.#cancelTimer || !this.#hasPending()) return;
    this.#cancelTimer = this.#options.schedule(() => {
      this.#cancelTimer = undefined;
      this.flush();
    }, FRAME_MS);
  }
}

function joined(stored: StoredItem): TranscriptItem {
  if (stored.pieces.length > 0) {
    stored.item = withText(stored.item, stored.pieces.join(""));
    stored.pieces = [];
  }
  return stored.item;
}

function withText(item: TranscriptItem, text: string): TranscriptItem {
  if (item.kind === "text" || item.kind === "thinking") return { ...item, text: item.text + text };
  return item.kind === "tool" ? { ...item, input: item.input + text } : item;
}

function withoutStreaming(item: TranscriptItem, durationMs: number | undefined): TranscriptItem {
  if (item.kind === "text") return { ...item, isStreaming: false };
  if (item.kind !== "thinking") return item;
  return { ...item, isStreaming: false, ...(durationMs === undefined ? {} : { durationMs }) };
}
