import { icon, type TextBox } from "../controls.ts";
import type { Host } from "../host.ts";
import type { PanelMention, ToPanel } from "../protocol/to-panel.ts";
import { el } from "./dom.ts";

/** An `@` farther before the caret than this is not looked for, in UTF-16 units. */
const MAX_BEFORE_CHARS = 300;

/** The list of files and other things to be mentioned, over the composer. The keyboard stays in the text. */
export interface MentionList {
  readonly element: HTMLElement;
  /** Takes a key of the composer. @returns whether it was meant for the list. */
  takeKey(event: KeyboardEvent): boolean;
  /** The host's answer; one that comes too late is skipped. */
  take(answer: Extract<ToPanel, { type: "mentions" }>): void;
}

interface MentionListOptions {
  box: TextBox;
  host: Host;
  say(text: string): void;
  /** The text has been completed. */
  onChanged(): void;
}

/** Makes the list for a text with the caret in a word that begins with `@`. */
export function createMentionList({ box, host, say, onChanged }: MentionListOptions): MentionList {
  const list = el("div", "slash-list mention-list", {
    role: "listbox",
    "aria-label": "Files and context",
    id: "mention-list",
  });
  let shown: Extract<ToPanel, { type: "mentions" }> | undefined;
  let active = 0;
  let requests = 0;
  /** The text and caret that were asked for last, and whether Escape has closed the list for it. */
  let asked = "";
  let dismissedAt = -1;

  function refresh(): void {
    const { start, end } = box.selection();
    const text = box.read();
    const at = text.slice(Math.max(0, start - MAX_BEFORE_CHARS), start).search(/@[^\n@]*$/);
    if (at === -1 || start !== end || !box.hasFocus()) {
      dismissedAt = -1;
      close();
      return;
    }
    const sign = Math.max(0, start - MAX_BEFORE_CHARS) + at;
    if (sign === dismissedAt) return;
    const key = `${start} ${text}`;
    if (key === asked) return;
    asked = key;
    requests += 1;
    host.post({ type: "listMentions", request: requests, text, caret: start });
  }
  function close(): void {
    asked = "";
    requests += 1;
    if (shown === undefined) return;
    shown = undefined;
    list.hidden = true;
    box.setList(undefined);
  }
  function setActive(index: number): void {
    active = index;
    for (const [at, option] of [...list.children].entries()) option.setAttribute("aria-selected", String(at === index));
    const option = list.children[index];
    if (!(option instanceof HTMLElement)) return;
    option.scrollIntoView({ block: "nearest" });
    box.setList({ element: list, active: option });
  }
  function pick(index: number): void {
    const match = shown?.matches[index];
    if (shown === undefined || match === undefined) return;
    const { start, end } = shown;
    const after = box.read().slice(end);
    const gap = match.isFolder || match.context !== undefined || /^\s/.test(after) ? "" : " ";
    const before = box.read().slice(0, start) + match.insert + gap;
    box.write(before + after);
    const caret = match.isFolder && match.insert.endsWith('"') ? before.length - 1 : before.length;
    box.select(caret, caret);
    close();
    onChanged();
    if (match.context !== undefined) host.post({ type: "takeContext", kind: match.context });
    else if (match.isFolder) refresh();
  }
  function takeKey(event: KeyboardEvent): boolean {
    if (shown === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    const { length } = shown.matches;
    if (event.key === "ArrowDown") setActive((active + 1) % length);
    else if (event.key === "ArrowUp") setActive((active - 1 + length) % length);
    else if (event.key === "Tab" || event.key === "Enter") pick(active);
    else if (event.key === "Escape") {
      dismissedAt = shown.start;
      close();
    } else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }
  list.hidden = true;
  // Pressing the mouse must not take the keyboard out of the text.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target instanceof Element ? event.target.closest(".slash-option") : null;
    if (option !== null) pick([...list.children].indexOf(option));
  });
  for (const type of ["input", "keyup", "click", "focusin", "focusout"]) box.element.addEventListener(type, refresh);
  return {
    element: list,
    takeKey,
    take(answer) {
      if (answer.request !== requests) return;
      if (answer.matches.length === 0) {
        const last = asked;
        close();
        asked = last;
        return;
      }
      const wasOpen = shown !== undefined;
      shown = answer;
      list.hidden = false;
      list.replaceChildren(...answer.matches.map(optionView));
      setActive(0);
      if (!wasOpen) say(`${answer.matches.length} ${answer.matches.length === 1 ? "entry" : "entries"}`);
    },
  };
}

function optionView({ label, detail, isFolder, context }: PanelMention, index: number): HTMLElement {
  const kind = context === undefined ? "slash-option" : "slash-option is-context";
  const face = context === undefined ? (isFolder ? "folder" : "file") : "symbol-misc";
  return el("div", kind, { role: "option", id: `mention-option-${index}`, "aria-selected": "false", title: label }, [
    icon(face),
    el("span", "slash-name", {}, [label]),
    el("span", "slash-description", {}, [` ${detail}`]),
  ]);
}
