import type { TextBox } from "../controls.ts";
import type { Host } from "../host.ts";
import type { DraftPlace } from "../protocol/draft.ts";

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
  /** What the draft is while the box shows something else. */
  hiddenDraft(): string | undefined;
}

/** Hands the draft on soon after typing, and at once when the user looks away; then also where the caret is. */
export function keepDraft({ box, host, hiddenDraft }: DraftKeeperOptions): DraftKeeper {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const first = host.kept().draft;
  let posted = box.read();
  let postedPlace = first.place;
  if (first.place !== undefined) putPlace(first.place);

  function putPlace({ start, end, top }: DraftPlace): void {
    // The text has to be in the control by now.
    box.write(box.read());
    box.select(start, end);
    box.scrollTo(top);
  }
  /** Where the caret is in the draft; undefined where it is by itself, behind the text. */
  function place(): DraftPlace | undefined {
    if (hiddenDraft() !== undefined) return postedPlace;
    const now = { ...box.selection(), top: box.scrollTop() };
    return now.start === box.read().length && now.top === 0 ? undefined : now;
  }
  function rest(): void {
    timer = undefined;
    const { draft } = host.kept();
    if ((hiddenDraft() ?? box.read()) !== posted) flush();
    else host.keep({ draft: { ...draft, place: place() } });
  }
  function flush(): void {
    const text = hiddenDraft() ?? box.read();
    if (text !== posted || JSON.stringify(place()) !== JSON.stringify(postedPlace)) post(host.kept().draft.chat, text);
    clearTimeout(timer);
    timer = undefined;
  }
  function post(chat: string, text: string): void {
    const { at } = host.kept().draft;
    const now = place();
    host.keep({ draft: { chat, text, at: text === posted ? at : Date.now(), place: now } });
    host.post({ type: "draft", chat, text, ...(now === undefined ? {} : { place: now }) });
    posted = text;
    postedPlace = now;
  }
  function take(text: string, at?: DraftPlace): void {
    clearTimeout(timer);
    timer = undefined;
    posted = text;
    if (text !== box.read()) {
      box.write(text);
      host.keep({ draft: { chat: host.kept().draft.chat, text, at: Date.now() } });
    }
    if (at === undefined) return;
    postedPlace = at;
    putPlace(at);
  }
  for (const type of ["input", "keyup", "pointerup"]) {
    box.element.addEventListener(type, () => {
      timer ??= setTimeout(rest, DRAFT_DELAY_MS);
    });
  }
  box.element.addEventListener("focusout", flush);
  window.addEventListener("blur", flush);
  window.addEventListener("pagehide", flush);
  document.addEventListener("visibilitychange", flush);
  return { flush, take, rename: (chat) => post(chat, hiddenDraft() ?? box.read()) };
}
