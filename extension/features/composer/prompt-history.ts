import * as z from "zod";
import type { ContextAttachment } from "../../../webview/protocol/context.ts";
import { draftOfSent, expandMarks } from "../../../webview/protocol/draft.ts";
import { EarlierPrompt } from "../../../webview/protocol/to-panel.ts";
import type { Store } from "../../window/draft.ts";

const KEY = "tiller.promptHistory";
/** Maximum number of messages kept; the oldest are dropped first. */
const MAX_ENTRIES = 100;
/** Longer messages are not kept, in UTF-16 units. */
const MAX_ENTRY_CHARS = 10_000;

/** Entries without chips are stored as plain text. */
const Kept = z.array(z.union([z.string(), EarlierPrompt])).catch([]);

/** The messages sent in this workspace, each text once, as the user wrote them. */
export class PromptHistory {
  readonly #store: Store;
  #entries: readonly EarlierPrompt[];

  constructor(store: Store) {
    this.#store = store;
    const kept = Kept.parse(store.get(KEY) ?? []).slice(0, MAX_ENTRIES);
    this.#entries = kept.map((entry) => (typeof entry === "string" ? { text: entry, contexts: [] } : entry));
  }

  /** The messages, the latest first. */
  get entries(): readonly EarlierPrompt[] {
    return this.#entries;
  }

  /** Adds a message as the latest, with the chips that have a mark in its text. Blank and very long ones are not kept. */
  add(message: string, contexts: readonly ContextAttachment[] = []): void {
    // Pasted text is kept where it was pasted.
    const text = expandMarks(message, contexts.map(draftOfSent));
    if (text.trim() === "" || text.length > MAX_ENTRY_CHARS) return;
    // Fixed contents belong to that message only.
    const marked = contexts
      .filter(({ mark }) => mark !== "" && text.includes(mark))
      .map(({ fixed: _, ...chip }) => chip);
    const entry = { text, contexts: marked };
    this.#entries = [entry, ...this.#entries.filter((other) => other.text !== text)].slice(0, MAX_ENTRIES);
    const kept = this.#entries.map((one) => (one.contexts.length === 0 ? one.text : one));
    void this.#store.update(KEY, kept);
  }
}
