import { randomUUID } from "node:crypto";
import type { UiRequest } from "../../agent/protocol/dialogs.ts";
import type { AgentEvent } from "../../agent/protocol/events.ts";
import type { AgentMessage } from "../../agent/protocol/messages.ts";
import type { DraftCopy } from "../../webview/protocol/draft.ts";
import type { TranscriptItem } from "../../webview/protocol/items.ts";
import type { ToPanel } from "../../webview/protocol/to-panel.ts";
import type { PanelUi } from "../../webview/protocol/ui.ts";
import { writeNote } from "../core/trace/notes.ts";
import { WireTrace } from "../core/trace/wire-trace.ts";
import { EarlierItems } from "../core/transcript/earlier-items.ts";
import { ItemLog, MAX_ITEMS } from "../core/transcript/item-log.ts";
import { PageFeed } from "../core/transcript/page-feed.ts";
import { isHostAction, rebuild, reduce } from "../core/transcript/reduce.ts";
import {
  type HostAction,
  initialTranscript,
  type TranscriptState,
  type WaitingTexts,
} from "../core/transcript/transcript-state.ts";

interface TranscriptStoreOptions {
  readonly cwd: string;
  /** Called after a change of the UI state. */
  readonly uiChanged: (ui: PanelUi) => void;
  /** Distinguishes the ids of this conversation from those of any other; default a random word. */
  readonly idPrefix?: string;
}

/** The source of the messages of a conversation, and the time when they were shown (Unix ms, default now). */
interface ResetOptions {
  /** True when they are the last answer to `get_messages`, which is in the trace already. */
  readonly isOnWire?: boolean;
  readonly at?: number;
}

/** The connection to a page. */
export interface TranscriptReader {
  readonly send: (message: ToPanel) => void;
  /** Returns the draft in the composer, for snapshots. */
  readonly draft: () => DraftCopy;
}

/** A page that shows the conversation, with revisions of its own. */
export interface TranscriptFeed {
  /** A hidden page is sent nothing; when it becomes visible it gets everything. */
  setVisible(isVisible: boolean): void;
  /** Ends the feed; nothing is sent any more. */
  dispose(): void;
}

/** One conversation as people see it: takes events, and produces patches for any number of pages. */
export class TranscriptStore {
  /** The frames that the conversation is made of, within limits. */
  readonly trace = new WireTrace();
  /** Pages of items from before the kept ones, for readers who scrolled back that far. */
  readonly earlier = new EarlierItems();
  readonly #items = new ItemLog();
  /** One for each visible page. */
  readonly #feeds = new Set<PageFeed>();
  readonly #uiChanged: (ui: PanelUi) => void;
  #state: TranscriptState;

  constructor(options: TranscriptStoreOptions) {
    const idPrefix = options.idPrefix ?? randomUUID().slice(0, 8);
    this.#state = initialTranscript({ idPrefix, cwd: options.cwd });
    this.#uiChanged = options.uiChanged;
  }

  get ui(): PanelUi {
    return this.#state.ui;
  }

  /** The values that determine the items, besides the events and their times. */
  get seed(): { readonly idPrefix: string; readonly cwd: string } {
    const { idPrefix, cwd } = this.#state;
    return { idPrefix, cwd };
  }

  /** The queued messages, as the agent lists them. */
  get waiting(): WaitingTexts {
    return this.#state.waiting;
  }

  get isEmpty(): boolean {
    return this.#items.isEmpty;
  }

  /** @param at Unix ms; default now for actions of the host, and the time of the frame for events of the agent. */
  dispatch(event: AgentEvent | UiRequest | HostAction, at: number = this.#timeOf(event)): void {
    const { state: next, ops } = reduce(this.#state, event, at);
    const applied = this.#items.apply(ops);
    const isFirstTrim = this.#items.hasTrimmed && !next.ui.hasEarlier;
    const state = isFirstTrim ? { ...next, ui: { ...next.ui, hasEarlier: true } } : next;
    const hasNewUi = state.ui !== this.#state.ui;
    this.#state = state;
    for (const feed of this.#feeds) feed.push(applied, state.ui);
    if (hasNewUi) this.#uiChanged(state.ui);
  }

  /** Replaces the conversation by another one. */
  reset(messages: readonly AgentMessage[], { isOnWire = false, at }: ResetOptions = {}): void {
    const note = () => writeNote({ type: "host_reset", ...(isOnWire ? {} : { messages: [...messages] }) });
    const { state: next, items } = rebuild(this.#state, messages, at ?? this.trace.note(note));
    // Before a conversation that begins with a summary there are earlier messages.
    const hasEarlier = items.length > MAX_ITEMS || messages[0]?.role === "compactionSummary";
    const state = { ...next, ui: { ...next.ui, hasEarlier } };
    this.#state = state;
    this.earlier.clear();
    this.#items.reset(items);
    for (const feed of this.#feeds) feed.reset(state.ui);
  }

  item(id: string): TranscriptItem | undefined {
    return this.#items.get(id) ?? this.earlier.get(id);
  }

  /** Returns all items in order, with their whole text. */
  items(): readonly TranscriptItem[] {
    return this.#items.snapshot();
  }

  /** Returns the same, preceded by the earlier items that were read. */
  allItems(): readonly TranscriptItem[] {
    return [...this.earlier.all(), ...this.items()];
  }

  /** Starts to feed a page, which is hidden at first. */
  feed(reader: TranscriptReader): TranscriptFeed {
    let feed: PageFeed | undefined;
    const end = () => {
      if (feed === undefined) return;
      feed.dispose();
      this.#feeds.delete(feed);
      feed = undefined;
    };
    return {
      setVisible: (isVisible) => {
        if (!isVisible) end();
        if (!isVisible || feed !== undefined) return;
        feed = this.#createFeed(reader);
        this.#feeds.add(feed);
        feed.setVisible(true);
      },
      dispose: end,
    };
  }

  dispose(): void {
    for (const feed of this.#feeds) feed.dispose();
    this.#feeds.clear();
  }

  #timeOf(event: AgentEvent | UiRequest | HostAction): number {
    return isHostAction(event) ? this.trace.note(() => writeNote(event)) : this.trace.frameAt;
  }

  #createFeed(reader: TranscriptReader): PageFeed {
    return new PageFeed({
      log: this.#items,
      ui: this.#state.ui,
      send: reader.send,
      draft: reader.draft,
      now: Date.now,
      schedule: (callback, delayMs) => {
        const timer = setTimeout(callback, delayMs);
        return () => clearTimeout(timer);
      },
    });
  }
}
