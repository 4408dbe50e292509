import type { TextBox } from "../common/controls.ts";
import { el } from "../common/dom.ts";

/** A list over a text box, which keeps the keyboard. One of its lines is active. */
export interface OptionList {
  readonly element: HTMLElement;
  isOpen(): boolean;
  /** The line that the arrows are on, from 0. */
  active(): number;
  setActive(index: number): void;
  /** Shows lines, the first of them active; without any the list is closed. */
  show(rows: readonly HTMLElement[]): void;
  close(): void;
  /** Takes a key of the text box. @returns whether it was meant for the list. */
  takeKey(event: KeyboardEvent): boolean;
}

interface OptionListOptions {
  readonly id: string;
  readonly className: string;
  readonly label: string;
  /** True if the line under the mouse becomes active. */
  readonly followsMouse: boolean;
  /** A line has been chosen. */
  pick(index: number): void;
  /** The user does not want the list. */
  dismiss(): void;
  /** True if Enter is for the text. */
  isEnterForText(): boolean;
}

/** Makes the list, closed. */
export function createOptionList(box: TextBox, options: OptionListOptions): OptionList {
  const { id, className, label, followsMouse, pick } = options;
  const element = el("div", className, { role: "listbox", "aria-label": label, id });
  let active = 0;

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
  function takeKey(event: KeyboardEvent): boolean {
    const { key } = event;
    const { length } = element.children;
    if (element.hidden || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    if (key === "ArrowDown") setActive((active + 1) % length);
    else if (key === "ArrowUp") setActive((active - 1 + length) % length);
    else if (key === "Tab" || (key === "Enter" && !options.isEnterForText())) pick(active);
    else if (key === "Escape") options.dismiss();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }
  function show(rows: readonly HTMLElement[]): void {
    if (rows.length === 0) {
      close();
      return;
    }
    element.hidden = false;
    element.replaceChildren(...rows);
    setActive(0);
  }

  element.hidden = true;
  // Pressing the mouse must not take the keyboard out of the text.
  element.addEventListener("mousedown", (event) => event.preventDefault());
  element.addEventListener("click", (event) => pick(indexAt(event, element)));
  element.addEventListener("pointermove", (event) => {
    const index = indexAt(event, element);
    if (followsMouse && index !== -1 && index !== active) setActive(index);
  });
  return { element, isOpen: () => !element.hidden, active: () => active, setActive, show, close, takeKey };
}

/** The line that the mouse is on, or -1. */
function indexAt({ target }: Event, list: HTMLElement): number {
  const row = target instanceof Element ? target.closest(".slash-option") : null;
  return row === null ? -1 : [...list.children].indexOf(row);
}
