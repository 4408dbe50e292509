import type { TextBox } from "../controls.ts";
import type { Host } from "../host.ts";

/** The draft is handed to the host at most this long after a key. */
const DRAFT_DELAY_MS = 100;

/** Hands the draft of a text box on. */
export interface DraftKeeper {
  /** Hands it on at once, if it has changed. */
  flush(): void;
  /** Hands it on under another key of its conversation. */
  rename(chat: string): void;
  /** Puts a draft into the box that the host has already. */
  take(text: string): void;
}

interface DraftKeeperOptions {
  box: TextBox;
  host: Host;
  /** What the draft is while the box shows something else. */
  hiddenDraft(): string | undefined;
}

/** Hands the draft on soon after typing, and at once when the user looks away. */
export function keepDraft({ box, host, hiddenDraft }: DraftKeeperOptions): DraftKeeper {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let posted = box.read();
  function flush(): void {
    const text = hiddenDraft() ?? box.read();
    if (text !== posted) post(host.kept().draft.chat, text);
    clearTimeout(timer);
    timer = undefined;
  }
  function post(chat: string, text: string): void {
    posted = text;
    host.keep({ draft: { chat, text, at: Date.now() } });
    host.post({ type: "draft", chat, text });
  }
  function take(text: string): void {
    clearTimeout(timer);
    timer = undefined;
    posted = text;
    if (text === box.read()) return;
    box.write(text);
    host.keep({ draft: { chat: host.kept().draft.chat, text, at: Date.now() } });
  }
  box.element.addEventListener("input", () => {
    timer ??= setTimeout(flush, DRAFT_DELAY_MS);
  });
  box.element.addEventListener("focusout", flush);
  window.addEventListener("blur", flush);
  window.addEventListener("pagehide", flush);
  document.addEventListener("visibilitychange", flush);
  return { flush, take, rename: (chat) => post(chat, hiddenDraft() ?? box.read()) };
}
