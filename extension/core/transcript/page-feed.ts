import { applyOp, type ItemTarget } from "../../../webview/protocol/apply-op.ts";
import type { DraftCopy } from "../../../webview/protocol/draft.ts";
import type { PatchOp, ToPanel } from "../../../webview/protocol/to-panel.ts";
import { PANEL_PROTOCOL_VERSION } from "../../../webview/protocol/to-panel.ts";
import type { PanelUi } from "../../../webview/protocol/ui.ts";
import type { ItemLog } from "./item-log.ts";

/** Time between two batches. */
const FRAME_MS = 16;

/** The environment of a feed. */
export interface PageFeedOptions {
  /** The conversation that the page shows. */
  log: ItemLog;
  ui: PanelUi;
  /** Sends a message to the page. */
  send(message: ToPanel): void;
  /** Calls back once after `delayMs`; the returned function cancels that. */
  schedule(callback: () => void, delayMs: number): () => void;
  /** Unix time in ms. */
  now(): number;
  /** Returns the draft in the composer, for snapshots. */
  draft(): DraftCopy;
}

type Finish = Extract<PatchOp, { op: "finish" }>;
type Pending = { op: "upsert" } | { op: "append"; pieces: string[]; finish?: Finish };

/**
 * Holds what one page still needs of a conversation, and sends it, at most one batch a frame, with consecutive revisions. While hidden,
 * nothing is sent or kept.
 */
export class PageFeed {
  readonly #options: PageFeedOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #target: ItemTarget = this.#createTarget();
  #removed: string[] = [];
  /** Ids of items removed because there are too many. */
  #trimmed: string[] = [];
  #ui: PanelUi;
  #isUiPending = false;
  #revision = 0;
  #isVisible = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: PageFeedOptions) {
    this.#options = options;
    this.#ui = options.ui;
  }

  /** Takes changes that were applied to the log; the page gets them with the next batch. */
  push(applied: readonly PatchOp[], ui: PanelUi): void {
    for (const op of applied) applyOp(this.#target, op);
    if (ui !== this.#ui) {
      this.#ui = ui;
      this.#isUiPending = true;
    }
    this.#scheduleFlush();
  }

  /** Sends everything, because the log has another conversation. */
  reset(ui: PanelUi): void {
    this.#ui = ui;
    if (this.#isVisible) this.sendSnapshot();
  }

  /** Sends a page that becomes visible one snapshot. */
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
    const { log, send, draft, now } = this.#options;
    send({
      type: "snapshot",
      version: PANEL_PROTOCOL_VERSION,
      revision: this.#revision,
      items: log.snapshot(),
      ui: this.#ui,
      draft: draft(),
      now: now(),
    });
  }

  /** Stops the timer; nothing is sent any more. */
  dispose(): void {
    this.#isVisible = false;
    this.#forgetPending();
  }

  #flush(): void {
    if (!this.#isVisible || !this.#hasPending()) return;
    const ops = this.#pendingOps();
    this.#revision += 1;
    const ui = this.#isUiPending ? { ui: this.#ui } : {};
    this.#forgetPending();
    this.#options.send({ type: "patch", revision: this.#revision, ops, ...ui });
  }

  #pendingOps(): PatchOp[] {
    const ops: PatchOp[] = [];
    if (this.#removed.length > 0) ops.push({ op: "remove", ids: this.#removed });
    if (this.#trimmed.length > 0) ops.push({ op: "remove", ids: this.#trimmed, isTooOld: true });
    for (const [id, pending] of this.#pending) {
      if (pending.op === "upsert") {
        const item = this.#options.log.get(id);
        if (item !== undefined) ops.push({ op: "upsert", item });
        continue;
      }
      if (pending.pieces.length > 0) ops.push({ op: "append", id, text: pending.pieces.join("") });
      if (pending.finish) ops.push(pending.finish);
    }
    return ops;
  }

  #createTarget(): ItemTarget {
    const pending = this.#pending;
    /** Returns the changes of an item's text that the page still needs; undefined if it gets the whole item. */
    const textOf = (id: string) => {
      const known = pending.get(id);
      if (known !== undefined) return known.op === "append" ? known : undefined;
      const made: Pending = { op: "append", pieces: [] };
      pending.set(id, made);
      return made;
    };
    return {
      upsert: ({ id }) => void pending.set(id, { op: "upsert" }),
      append: (id, text) => void textOf(id)?.pieces.push(text),
      finish(id, durationMs) {
        const text = textOf(id);
        if (text !== undefined) text.finish = { op: "finish", id, ...(durationMs === undefined ? {} : { durationMs }) };
      },
      remove: (ids, isTooOld) => {
        for (const id of ids) pending.delete(id);
        (isTooOld ? this.#trimmed : this.#removed).push(...ids);
      },
    };
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
      this.#flush();
    }, FRAME_MS);
  }
}
