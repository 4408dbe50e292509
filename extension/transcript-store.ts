import { randomUUID } from "node:crypto";
import type { UiRequest } from "../agent/protocol/dialogs.ts";
import type { AgentEvent } from "../agent/protocol/events.ts";
import type { AgentMessage } from "../agent/protocol/messages.ts";
import type { DraftCopy, PanelUi, ToPanel, TranscriptItem } from "../webview/protocol.ts";
import { PatchQueue } from "./transcript/patches.ts";
import { rebuild, reduce } from "./transcript/reduce.ts";
import { type HostAction, initialTranscript, type TranscriptState } from "./transcript/transcript-state.ts";

interface TranscriptStoreOptions {
  readonly cwd: string;
  readonly send: (message: ToPanel) => void;
  readonly draft: () => DraftCopy;
  /** Called after a change of what stands around the conversation. */
  readonly uiChanged: (ui: PanelUi) => void;
}

/** The conversation of this window as people see it: events go in, patches for the page come out. */
export class TranscriptStore {
  readonly #patches: PatchQueue;
  readonly #uiChanged: (ui: PanelUi) => void;
  #state: TranscriptState;

  constructor(options: TranscriptStoreOptions) {
    this.#state = initialTranscript({ idPrefix: randomUUID().slice(0, 8), cwd: options.cwd });
    this.#uiChanged = options.uiChanged;
    this.#patches = new PatchQueue({
      ui: this.#state.ui,
      send: options.send,
      draft: options.draft,
      schedule: (callback, delayMs) => {
        const timer = setTimeout(callback, delayMs);
        return () => clearTimeout(timer);
      },
    });
  }

  get ui(): PanelUi {
    return this.#state.ui;
  }

  dispatch(event: AgentEvent | UiRequest | HostAction): void {
    const { state, ops } = reduce(this.#state, event, Date.now());
    const hasNewUi = state.ui !== this.#state.ui;
    this.#state = state;
    this.#patches.push(ops, state.ui);
    if (hasNewUi) this.#uiChanged(state.ui);
  }

  /** Shows another conversation in place of this one. */
  reset(messages: readonly AgentMessage[]): void {
    const { state, items } = rebuild(this.#state, messages, Date.now());
    this.#state = state;
    this.#patches.reset(items, state.ui);
  }

  get isEmpty(): boolean {
    return this.#patches.isEmpty;
  }

  item(id: string): TranscriptItem | undefined {
    return this.#patches.get(id);
  }

  /** While the page is hidden, nothing is sent; when it comes back it gets everything. */
  setVisible(isVisible: boolean): void {
    this.#patches.setVisible(isVisible);
  }

  dispose(): void {
    this.#patches.dispose();
  }
}
