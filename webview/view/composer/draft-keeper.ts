import type { Host } from "../../host.ts";
import type { DraftPlace } from "../../protocol/draft.ts";
import type { TextBox } from "../common/controls.ts";

/** The draft is handed to the host at most this long after a key. */
const DRAFT_DELAY_MS = 100;

/** Hands the draft of a text box on. */
export interface DraftKeeper {
  /** Hands it on at once, if it has changed. */
  flush(): void;
  /** Hands it on under another key of its conversation. */
  rename(chat: string): void;
  /** Puts a draft into the box that the host has already. @param at where the caret was; otherwise it is behind the text. */
  take(text: string, at?: DraftPlace): void;
}

interface DraftKeeperOptions {
  box: TextBox;
  host: Host;
  /** The draft while the box shows something else. */
  hiddenDraft(): string | undefined;
}

/** Hands the draft on soon after typing, and at once when the user looks away; then also where the caret is. */
export function keepDraft(options: DraftKeeperOptions): DraftKeeper {
  const { element } = options.box;
  const keeper = new Keeper(options);
  const flush = () => keeper.flush();
  for (const type of ["input", "keyup", "pointerup"]) element.addEventListener(type, () => keeper.typed());
  element.addEventListener("focusout", flush);
  window.addEventListener("blur", flush);
  window.addEventListener("pagehide", flush);
  document.addEventListener("visibilitychange", flush);
  return { flush, rename: (chat) => keeper.rename(chat), take: (text, at) => keeper.take(text, at) };
}

class Keeper {
  readonly #options: DraftKeeperOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The draft that the host has. */
  #posted: string;
  #postedPlace: DraftPlace | undefined;

  constructor(options: DraftKeeperOptions) {
    this.#options = options;
    this.#posted = options.box.read();
    this.#postedPlace = options.host.kept().draft.place;
    if (this.#postedPlace !== undefined) this.#putPlace(this.#postedPlace);
  }

  typed(): void {
    this.#timer ??= setTimeout(() => this.#rest(), DRAFT_DELAY_MS);
  }

  flush(): void {
    const text = this.#draft();
    if (text !== this.#posted || JSON.stringify(this.#place()) !== JSON.stringify(this.#postedPlace))
      this.#post(this.#options.host.kept().draft.chat, text);
    this.#stopTimer();
  }

  rename(chat: string): void {
    this.#post(chat, this.#draft());
  }

  take(text: string, at?: DraftPlace): void {
    const { box, host } = this.#options;
    this.#stopTimer();
    this.#posted = text;
    if (text !== box.read()) {
      box.write(text);
      host.keep({ draft: { chat: host.kept().draft.chat, text, at: Date.now() } });
    }
    if (at === undefined) return;
    this.#postedPlace = at;
    this.#putPlace(at);
  }

  #rest(): void {
    const { host } = this.#options;
    this.#timer = undefined;
    if (this.#draft() !== this.#posted) this.flush();
    else host.keep({ draft: { ...host.kept().draft, place: this.#place() } });
  }

  #post(chat: string, text: string): void {
    const { host } = this.#options;
    const { at } = host.kept().draft;
    const place = this.#place();
    host.keep({ draft: { chat, text, at: text === this.#posted ? at : Date.now(), place } });
    host.post({ type: "draft", chat, text, ...(place === undefined ? {} : { place }) });
    this.#posted = text;
    this.#postedPlace = place;
  }

  #draft(): string {
    return this.#options.hiddenDraft() ?? this.#options.box.read();
  }

  /** The caret in the draft; undefined for its default place after the text. */
  #place(): DraftPlace | undefined {
    const { box, hiddenDraft } = this.#options;
    if (hiddenDraft() !== undefined) return this.#postedPlace;
    const now = { ...box.selection(), top: box.scrollTop() };
    return now.start === box.read().length && now.top === 0 ? undefined : now;
  }

  #putPlace({ start, end, top }: DraftPlace): void {
    const { box } = this.#options;
    // The text has to be in the control by now.
    box.write(box.read());
    box.select(start, end);
    box.scrollTo(top);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
