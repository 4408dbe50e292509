import { createButton, icon } from "../controls.ts";
import { t } from "../l10n.ts";
import { el, isComposing, setText } from "./dom.ts";
import type { ItemView } from "./item-view.ts";

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
  /** Whether something of the conversation is not on the page, and not searched. */
  isCut(): boolean;
  /** Keeps the view from following the end. */
  release(): void;
  /** Gives the keyboard back when the bar closes without a match. */
  leave(): void;
}

/** One match: on the page, or in a card that is closed. `nth` counts those of one card. */
interface Match {
  readonly view: ItemView;
  readonly range?: Range;
  readonly nth: number;
}

/** More matches than these are not counted. */
const MAX_MATCHES = 2_000;
const REFRESH_MS = 300;
/** The editor reports a key that the page has acted on within this time: even over a slow connection. */
const ECHO_MS = 2_000;

/** Makes the bar; it is hidden until it is opened. Matches are marked without touching what is drawn. */
export function createFind({ views, isCut, release, leave }: FindOptions): Find {
  const input = el("input", "find-input", {
    type: "text",
    "aria-label": t("Find in conversation"),
    placeholder: t("Find"),
  });
  const status = el("span", "find-count", { role: "status" });
  const note = el("span", "find-note", {}, [t("Earlier messages are not searched.")]);
  const element = el("div", "find", { role: "search" }, [
    icon("search"),
    input,
    status,
    iconButton(t("Previous match (Shift+Enter)"), "arrow-up", () => go(-1)),
    iconButton(t("Next match (Enter)"), "arrow-down", () => go(1)),
    iconButton(t("Close (Escape)"), "close", close),
    note,
  ]);
  element.hidden = true;
  let matches: Match[] = [];
  let at = -1;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let keyAt = Number.NEGATIVE_INFINITY;

  function search(): void {
    matches = input.value === "" ? [] : collect(views(), input.value);
    at = Math.min(at, matches.length - 1);
    show();
  }
  function show(): void {
    note.hidden = !isCut();
    const ranges = matches.flatMap(({ range }) => range ?? []);
    const current = matches[at]?.range;
    CSS.highlights.set("find", new Highlight(...ranges));
    CSS.highlights.set("find-current", new Highlight(...(current ? [current] : [])));
    const total = matches.length === MAX_MATCHES ? `${MAX_MATCHES}+` : String(matches.length);
    setText(status, input.value === "" ? "" : matches.length === 0 ? t("No results") : t("{0} of {1}", at + 1, total));
  }
  function go(by: number): void {
    if (matches.length === 0) return;
    at = (Math.max(at, by < 0 ? 0 : -1) + by + matches.length) % matches.length;
    const match = matches[at];
    if (match !== undefined && match.range === undefined) openCard(match);
    show();
    release();
    bringIntoSight(matches[at]?.range);
  }
  /** A closed card is opened, and its matches are then on the page. */
  function openCard(match: Match): void {
    match.view.reveal?.();
    matches = collect(views(), input.value);
    const first = matches.findIndex(({ view }) => view === match.view);
    const count = matches.filter(({ view }) => view === match.view).length;
    if (first !== -1) at = first + Math.min(match.nth, count - 1);
    else at = Math.min(at, matches.length - 1);
  }
  function close(): void {
    if (element.hidden) return;
    element.hidden = true;
    clearTimeout(timer);
    const item = matches[at]?.view.element;
    matches = [];
    at = -1;
    CSS.highlights.clear();
    if (item) item.focus({ preventScroll: true });
    else leave();
  }

  input.addEventListener("input", () => {
    at = -1;
    search();
    go(1);
  });
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
    open(by) {
      // What was typed since, and a bar that was closed since, stay as they are.
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

function iconButton(label: string, name: string, onClick: () => void): HTMLElement {
  return createButton({ label, icon: name, look: "icon", onClick }).element;
}

function collect(views: Iterable<ItemView>, words: string): Match[] {
  const pattern = new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu");
  const matches: Match[] = [];
  for (const view of views) {
    let nth = 0;
    for (const range of rangesIn(view.element, pattern)) {
      matches.push({ view, range, nth });
      nth += 1;
      if (matches.length === MAX_MATCHES) return matches;
    }
    const hidden = view.hiddenText?.() ?? "";
    for (const _ of hidden.matchAll(pattern)) {
      matches.push({ view, nth });
      nth += 1;
      if (matches.length === MAX_MATCHES) return matches;
    }
  }
  return matches;
}

/** Where `pattern` matches in what is shown of an element, also across the borders of its parts. */
function rangesIn(root: Element, pattern: RegExp): Range[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: { node: Text; start: number }[] = [];
  let text = "";
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    if (!(node instanceof Text) || node.parentElement?.closest("[hidden], .visually-hidden")) continue;
    nodes.push({ node, start: text.length });
    text += node.data;
  }
  const ranges: Range[] = [];
  let index = 0;
  for (const match of text.matchAll(pattern)) {
    const [from, to] = [match.index, match.index + match[0].length];
    while (index + 1 < nodes.length && (nodes[index + 1]?.start ?? 0) <= from) index += 1;
    let last = index;
    while (last + 1 < nodes.length && (nodes[last + 1]?.start ?? 0) < to) last += 1;
    const [first, end] = [nodes[index], nodes[last]];
    if (first === undefined || end === undefined) continue;
    const range = document.createRange();
    range.setStart(first.node, from - first.start);
    range.setEnd(end.node, to - end.start);
    ranges.push(range);
  }
  return ranges;
}

/** What was never drawn gets its height when it comes into sight, so the place is taken again two frames later. */
function bringIntoSight(range: Range | undefined): void {
  const place = range?.startContainer.parentElement;
  if (!place) return;
  place.scrollIntoView({ block: "center" });
  requestAnimationFrame(() =>
    requestAnimationFrame(() => place.isConnected && place.scrollIntoView({ block: "center" })),
  );
}
