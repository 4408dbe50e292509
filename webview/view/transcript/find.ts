import { t } from "../../l10n.ts";
import { createButton, icon } from "../common/controls.ts";
import { el, isComposing, setText } from "../common/dom.ts";
import type { ItemView } from "../common/item-view.ts";
import { findAll, MAX_MATCHES, Matches } from "./find-matches.ts";

/** The bar that searches the conversation. */
export interface Find {
  readonly element: HTMLElement;
  /** Opens it; `key` when the page itself saw the key, which the editor then reports once more. */
  open(by: "key" | "editor"): void;
  /** The conversation has changed: what is found may be out of date. */
  refresh(): void;
}

interface FindOptions {
  /** The conversation's items in order. */
  views(): Iterable<ItemView>;
  /** True if something of the conversation is not on the page, and not searched. */
  isCut(): boolean;
  /** Keeps the view from following the end. */
  release(): void;
  /** Gives the keyboard back when the bar closes without a match. */
  leave(): void;
}

const REFRESH_MS = 300;
/** The editor reports a key that the page has acted on within this time: even over a slow connection. */
const ECHO_MS = 2_000;

/** Makes the bar; it is hidden until it is opened. Matches are marked without touching what is drawn. */
export function createFind({ views, isCut, release, leave }: FindOptions): Find {
  const bar = createBar({ go, close });
  const { element, input } = bar;
  const found = new Matches(() => (input.value === "" ? [] : findAll(views(), input.value)));
  let timer: ReturnType<typeof setTimeout> | undefined;
  let keyAt = Number.NEGATIVE_INFINITY;

  function search(): void {
    found.refresh();
    show();
  }
  function show(): void {
    bar.show(found, isCut());
    found.mark();
  }
  function go(by: number): void {
    if (!found.go(by)) return;
    show();
    release();
    bringIntoSight(found.current?.range);
  }
  function close(): void {
    if (element.hidden) return;
    element.hidden = true;
    clearTimeout(timer);
    const item = found.current?.view.element;
    found.forget();
    if (item) item.focus({ preventScroll: true });
    else leave();
  }

  input.addEventListener("input", () => {
    found.leave();
    search();
    go(1);
  });
  return {
    element,
    open(by) {
      // Newer input, and a bar that was closed since, stay unchanged.
      if (by === "editor" && performance.now() - keyAt < ECHO_MS) return;
      if (by === "key") keyAt = performance.now();
      if (!element.hidden && document.activeElement === input) return;
      element.hidden = false;
      input.focus();
      input.select();
      search();
    },
    refresh() {
      if (element.hidden || input.value === "") return;
      clearTimeout(timer);
      timer = setTimeout(search, REFRESH_MS);
    },
  };
}

/** The elements of the bar, and its keys. */
function createBar({ go, close }: { go(by: number): void; close(): void }) {
  const attributes = { type: "text", "aria-label": t("Find in chat"), placeholder: t("Find") };
  const input = el("input", "find-input", attributes);
  const status = el("span", "find-count", { role: "status" });
  const note = el("span", "find-note", {}, [t("Only loaded messages are searched")]);
  const element = el("div", "find", { role: "search" }, [
    icon("search"),
    input,
    status,
    iconButton(t("Previous Match (Shift+Enter)"), "arrow-up", () => go(-1)),
    iconButton(t("Next Match (Enter)"), "arrow-down", () => go(1)),
    iconButton(t("Close (Escape)"), "close", close),
    note,
  ]);
  element.hidden = true;
  element.addEventListener("keydown", (event) => {
    if (isComposing(event)) return;
    event.stopPropagation();
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && event.target === input) go(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  });
  return {
    element,
    input,
    show({ count, at }: Matches, isCut: boolean) {
      note.hidden = !isCut;
      const total = count === MAX_MATCHES ? `${MAX_MATCHES}+` : String(count);
      setText(status, input.value === "" ? "" : count === 0 ? t("No results") : t("{0} of {1}", at + 1, total));
    },
  };
}

function iconButton(label: string, name: string, onClick: () => void): HTMLElement {
  return createButton({ label, icon: name, look: "icon", onClick }).element;
}

/** Content that was never drawn gets its height when it becomes visible, so the position is set again two frames later. */
function bringIntoSight(range: Range | undefined): void {
  const place = range?.startContainer.parentElement;
  if (!place) return;
  place.scrollIntoView({ block: "center" });
  requestAnimationFrame(() =>
    requestAnimationFrame(() => place.isConnected && place.scrollIntoView({ block: "center" })),
  );
}
