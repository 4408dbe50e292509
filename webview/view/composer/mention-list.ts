import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import type { ContextAttachment } from "../../protocol/context.ts";
import type { PanelMention, ToPanel } from "../../protocol/to-panel.ts";
import type { TextBox } from "../common/controls.ts";
import { createMentionRows } from "./mention-rows.ts";

/** An `@` farther before the caret than this is not looked for, in UTF-16 units. */
const MAX_BEFORE_CHARS = 300;

type Answer = Extract<ToPanel, { type: "mentions" }>;

/** The list of files and other things to be mentioned, over the composer. The keyboard stays in the text. */
export interface MentionList {
  readonly element: HTMLElement;
  /** Takes a key of the composer. @returns whether it was meant for the list. */
  takeKey(event: KeyboardEvent): boolean;
  /** The host's answer; one that comes too late is skipped. */
  take(answer: Answer): void;
}

interface MentionListOptions {
  box: TextBox;
  host: Host;
  say(text: string): void;
  /** The text has been completed. */
  onChanged(): void;
  /** Chips for the message. */
  addContexts(chips: readonly ContextAttachment[]): void;
}

/** Makes the list for a text with the caret in a word that begins with `@`. */
export function createMentionList({ box, host, say, onChanged, addContexts }: MentionListOptions): MentionList {
  const rows = createMentionRows(box, { pick, dismiss });
  const asking = createAsking(box, host);
  let shown: Answer | undefined;

  function refresh(): void {
    if (!asking.refresh()) close();
  }
  function close(): void {
    asking.forget();
    shown = undefined;
    rows.close();
  }
  function pick(index: number): void {
    const match = shown?.matches[index];
    if (shown === undefined || match === undefined) return;
    complete(box, shown, match);
    close();
    onChanged();
    if (match.attachment !== undefined) addContexts([{ ...match.attachment, id: crypto.randomUUID() }]);
    if (match.word !== undefined) host.post({ type: "takeContext", word: match.word, mark: match.insert });
    if (match.isFolder) refresh();
  }
  function dismiss(): void {
    if (shown !== undefined) asking.dismiss(shown.start);
    close();
  }
  for (const type of ["input", "keyup", "click", "focusin", "focusout"]) box.element.addEventListener(type, refresh);
  return {
    element: rows.element,
    takeKey: rows.takeKey,
    take(answer) {
      if (!asking.isLatest(answer.request)) return;
      const wasOpen = shown !== undefined;
      shown = answer.matches.length === 0 ? undefined : answer;
      rows.show(answer.matches);
      const { length } = answer.matches;
      if (!wasOpen && length > 0) say(length === 1 ? t("1 suggestion") : t("{0} suggestions", length));
    },
  };
}

/** Asks the host what fits the mention at the caret. */
interface Asking {
  /** Asks when text or caret have changed. @returns whether the caret is in something that may be a mention. */
  refresh(): boolean;
  /** True if an answer is to what was asked last. */
  isLatest(request: number): boolean;
  /** No answer is waited for. */
  forget(): void;
  /** Nothing is asked any more about the `@` at this place. */
  dismiss(start: number): void;
}

function createAsking(box: TextBox, host: Host): Asking {
  let requests = 0;
  /** The text and caret that were asked for last, and the `@` that nobody wants completed. */
  let asked = "";
  let dismissedAt = -1;
  return {
    refresh() {
      const { start, end } = box.selection();
      const text = box.read();
      const from = Math.max(0, start - MAX_BEFORE_CHARS);
      const at = text.slice(from, start).search(/@[^\n@]*$/);
      if (at === -1 || start !== end || !box.hasFocus()) {
        dismissedAt = -1;
        return false;
      }
      const key = `${start} ${text}`;
      if (from + at === dismissedAt || key === asked) return true;
      asked = key;
      requests += 1;
      host.post({ type: "listMentions", request: requests, text, caret: start });
      return true;
    },
    isLatest: (request) => request === requests,
    forget() {
      asked = "";
      requests += 1;
    },
    dismiss(start) {
      dismissedAt = start;
    },
  };
}

/**
 * Puts what was picked in the place of the mention, with a blank behind it where the text goes on otherwise; one that is gone on with gets none, and in
 * quotes the caret stays within them.
 */
function complete(box: TextBox, { start, end }: Answer, { insert, isFolder }: PanelMention): void {
  const after = box.read().slice(end);
  const before = box.read().slice(0, start) + insert;
  if (isFolder) {
    box.write(before + after);
    const caret = before.length - (insert.endsWith('"') ? 1 : 0);
    box.select(caret, caret);
    return;
  }
  const gap = /^(?:\s|[.,;:!?)\]}'"](?:\s|$))/.test(after) ? "" : " ";
  box.write(before + gap + after);
  const isBlankNext = gap === " " || /^[ \t]/.test(after);
  const caret = before.length + (isBlankNext ? 1 : 0);
  box.select(caret, caret);
}
