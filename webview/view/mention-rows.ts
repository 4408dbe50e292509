import { icon, type TextBox } from "../controls.ts";
import { t } from "../l10n.ts";
import type { PanelMention } from "../protocol/to-panel.ts";
import { contextIcon } from "./context-face.ts";
import { el } from "./dom.ts";

/** The lines of the list of mentions, one of them active. */
export interface MentionRows {
  readonly element: HTMLElement;
  /** The line that the arrows are on, from 0. */
  active(): number;
  show(matches: readonly PanelMention[]): void;
  close(): void;
  /** Goes on with Up or Down. @returns whether the key was one of them. */
  takeArrow(key: string): boolean;
}

/** Makes the lines for a text box, which keeps the keyboard. @param pick is told of a press on a line. */
export function createMentionRows(box: TextBox, pick: (index: number) => void): MentionRows {
  const element = el("div", "slash-list mention-list", {
    role: "listbox",
    "aria-label": t("Files and context"),
    id: "mention-list",
  });
  let active = 0;
  let labels: readonly string[] = [];
  function setActive(index: number): void {
    active = index;
    for (const [at, row] of [...element.children].entries()) row.setAttribute("aria-selected", String(at === index));
    const row = element.children[index];
    if (!(row instanceof HTMLElement)) return;
    row.scrollIntoView({ block: "nearest" });
    box.setList({ element, active: row });
  }
  function close(): void {
    if (element.hidden) return;
    active = 0;
    element.hidden = true;
    box.setList(undefined);
  }
  element.hidden = true;
  // Pressing the mouse must not take the keyboard out of the text.
  element.addEventListener("mousedown", (event) => event.preventDefault());
  element.addEventListener("click", (event) => {
    const row = event.target instanceof Element ? event.target.closest(".slash-option") : null;
    if (row !== null) pick([...element.children].indexOf(row));
  });
  return {
    element,
    active: () => active,
    close,
    show(matches) {
      if (matches.length === 0) {
        close();
        return;
      }
      // More may come while somebody goes through the list: the line that was chosen stays so.
      const chosen = active > 0 ? labels[active] : undefined;
      labels = matches.map(({ label }) => label);
      element.hidden = false;
      element.replaceChildren(...matches.map(rowView));
      setActive(chosen === undefined ? 0 : Math.max(0, labels.indexOf(chosen)));
    },
    takeArrow(key) {
      const { length } = element.children;
      if (key === "ArrowDown") setActive((active + 1) % length);
      else if (key === "ArrowUp") setActive((active - 1 + length) % length);
      else return false;
      return true;
    },
  };
}

function rowView(match: PanelMention, index: number): HTMLElement {
  const { label, detail } = match;
  const isContext = match.word !== undefined || label.endsWith(":");
  const kind = isContext ? "slash-option is-context" : "slash-option";
  const attributes = {
    role: "option",
    id: `mention-option-${index}`,
    "aria-label": `${label} ${detail}`.trim(),
    "aria-selected": "false",
    title: label,
  };
  // The slash at the end of a folder belongs to its name.
  const nameStart = isContext ? 0 : label.lastIndexOf("/", label.length - 2) + 1;
  return el("div", kind, attributes, [
    icon(iconOf(match)),
    el("span", "slash-name", {}, [
      ...(nameStart > 0 ? [el("span", "mention-folder", {}, [label.slice(0, nameStart)])] : []),
      el("span", "mention-name", {}, [label.slice(nameStart)]),
    ]),
    el("span", "slash-description", {}, [` ${detail}`]),
  ]);
}

function iconOf({ word, attachment, isFolder, label }: PanelMention): string {
  if (word !== undefined) return contextIcon({ source: { kind: word } });
  if (attachment !== undefined) return contextIcon(attachment);
  if (label.endsWith(":")) return "symbol-method";
  return isFolder ? "folder" : "file";
}
