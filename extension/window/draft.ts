import * as z from "zod";
import { type Attachment, DraftCopy, type DraftPlace } from "../../webview/protocol/draft.ts";

/** A store that outlives the window, such as the editor's workspace state. */
export interface Store {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const KEY = "tiller.drafts";
/** Maximum number of drafts; those changed longest ago are dropped first. */
const MAX_DRAFTS = 50;
/** Maximum length of a draft that survives a reload, and of its attachments, in UTF-16 units. */
const MAX_KEPT_CHARS = 200_000;
const MAX_KEPT_ATTACHMENT_CHARS = 8_000_000;

const Kept = z.array(DraftCopy).catch([]);

/** The drafts in the composers, kept when the window is reloaded. */
export class Drafts {
  readonly #store: Store;
  /** By the chat's key, the least recently changed first. */
  readonly #drafts: Map<string, DraftCopy>;

  constructor(store: Store) {
    this.#store = store;
    this.#drafts = new Map(Kept.parse(store.get(KEY) ?? []).map((draft) => [draft.chat, draft]));
  }

  /** @returns the draft of a chat; an empty one has the time 0. */
  of(chat: string): DraftCopy {
    return this.#drafts.get(chat) ?? { chat, text: "", at: 0 };
  }

  /** @param place the caret; default the end of the text. @returns true when the text has changed. */
  set(chat: string, text: string, place?: DraftPlace): boolean {
    const { place: _before, ...draft } = this.of(chat);
    const isNews = text !== draft.text;
    const next = { ...draft, text, ...(place === undefined ? {} : { place }) };
    // A moved caret does not make a draft newer.
    if (isNews) this.#put(next);
    else if (draft.at > 0) this.#put(next, draft.at);
    return isNews;
  }

  /** Changes the attachments of a draft. */
  setAttachments(chat: string, attachments: readonly Attachment[]): void {
    this.#put({ ...this.of(chat), attachments: [...attachments] });
  }

  /** Appends `text` on a line of its own. */
  append(chat: string, text: string): void {
    const before = this.of(chat).text;
    this.set(chat, before === "" ? text : `${before}\n${text}`);
  }

  /** Moves a draft to the new key of its chat, which has another session. */
  move(from: string, to: string): void {
    const draft = this.#drafts.get(from);
    if (draft === undefined || from === to) return;
    if (draft.text === "" && (draft.attachments ?? []).length === 0) return;
    this.#drafts.delete(from);
    this.#drafts.set(to, { ...draft, chat: to });
    this.#keep();
  }

  #put(draft: DraftCopy, at: number = Date.now()): void {
    this.#drafts.delete(draft.chat);
    this.#drafts.set(draft.chat, { ...draft, at });
    this.#keep();
  }

  #keep(): void {
    for (const key of this.#drafts.keys()) {
      if (this.#drafts.size <= MAX_DRAFTS) break;
      this.#drafts.delete(key);
    }
    const kept = [...this.#drafts.values()].filter(({ text }) => text.length <= MAX_KEPT_CHARS).map(withoutLargeParts);
    void this.#store.update(KEY, kept);
  }
}

function charsOf(one: Attachment): number {
  if (one.kind === "context") return one.fixed?.content.length ?? 0;
  return (one.kind === "image" ? one.data : one.text).length;
}

function withoutLargeParts({ attachments = [], ...draft }: DraftCopy): DraftCopy {
  const chars = attachments.reduce((sum, one) => sum + charsOf(one), 0);
  return attachments.length === 0 || chars > MAX_KEPT_ATTACHMENT_CHARS ? draft : { ...draft, attachments };
}
