import { t } from "../l10n.ts";
import type { TranscriptItem } from "../protocol/items.ts";
import type { PatchOp } from "../protocol/to-panel.ts";
import { el } from "./dom.ts";
import { forgetFarAway } from "./far-away.ts";
import { type Follow, followTail } from "./follow.ts";
import type { ItemView, ViewContext } from "./item-view.ts";
import { focusQuestion, questionView } from "./question.ts";
import { activityView, footerView, noticeView } from "./rows.ts";
import { createStretches, likelyHeight, type Stretches } from "./stretches.ts";
import { answerView, promptView, thinkingView } from "./text-items.ts";
import { toolView } from "./tool-card.ts";

/** The conversation on the page. */
export interface Transcript {
  readonly element: HTMLElement;
  readonly pill: HTMLElement;
  /** Draws a whole conversation; items that look the same keep their elements. */
  reset(items: readonly TranscriptItem[]): void;
  apply(ops: readonly PatchOp[]): void;
  /** Puts the keyboard on the item that had it last, or on the last one. */
  focus(): void;
  /** Puts the keyboard on the first pending question. @returns whether there is one. */
  focusPendingQuestion(): boolean;
  /** Shows `placeholder` while there are no items. */
  setPlaceholder(placeholder: HTMLElement): void;
  setWorking(indicator: HTMLElement): void;
  /** The items' views in order. */
  views(): Iterable<ItemView>;
  /** Stays where it is from now on, also while more comes. */
  release(): void;
  /** Looks again at which cards are open by themselves. */
  refold(): void;
  /** Puts the keyboard on an item. @returns whether there is such an item. */
  reveal(id: string): boolean;
  /** What an item says as it reads on the page; undefined without such an item. */
  textOf(id: string): string | undefined;
  /** Puts the keyboard on what the user said before or behind the item that has it. */
  jumpToPrompt(by: -1 | 1): void;
  toEnd(): void;
}

export function createTranscript(context: ViewContext): Transcript {
  const views = new Map<string, ItemView>();
  const stretches = createStretches();
  const { element: list } = stretches;
  forgetFarAway(list);
  const content = el("div", "content", {}, [list]);
  const element = el("div", "transcript", { role: "log", "aria-live": "off", "aria-label": t("Conversation") }, [
    content,
  ]);
  const follow: Follow = followTail({
    scroller: element,
    content,
    frame: context.frame,
    hasTail: () => views.size > 0,
  });
  let current: HTMLElement | undefined;

  function setCurrent(item: HTMLElement | undefined): void {
    current?.setAttribute("tabindex", "-1");
    current = item;
    current?.setAttribute("tabindex", "0");
  }
  function add(item: TranscriptItem): void {
    const view = createView(item, context);
    view.element.dataset.id = item.id;
    view.element.tabIndex = -1;
    view.element.dataset.vscodeContext = JSON.stringify({
      webviewSection: "tillerItem",
      tillerKind: item.kind,
      itemId: item.id,
    });
    views.set(item.id, view);
    stretches.append(view.element, likelyHeight(item));
    follow.countNew();
  }
  function drop(id: string): void {
    const view = views.get(id);
    if (!view) return;
    views.delete(id);
    view.dispose?.();
    if (view.element === current) setCurrent(undefined);
    stretches.remove(view.element);
  }
  function upsert(item: TranscriptItem): void {
    const view = views.get(item.id);
    if (view) view.update(item);
    else add(item);
  }
  function settle(): void {
    element.classList.toggle("is-empty", views.size === 0);
    if (!current) setCurrent(stretches.last());
  }

  element.addEventListener("keydown", (event) => moveByKey(event, stretches, views));
  element.addEventListener("focusin", (event) => {
    const item = event.target instanceof Element ? event.target.closest(".item") : null;
    if (item instanceof HTMLElement) setCurrent(item);
  });

  return {
    element,
    pill: follow.pill,
    toEnd: follow.toEnd,
    reset(items) {
      const kept = new Set(items.map((item) => item.id));
      for (const id of [...views.keys()]) if (!kept.has(id)) drop(id);
      for (const item of items) upsert(item);
      stretches.order(
        items.flatMap((item) => {
          const view = views.get(item.id);
          return view === undefined ? [] : { element: view.element, height: likelyHeight(item) };
        }),
      );
      settle();
    },
    apply(ops) {
      for (const op of ops) {
        if (op.op === "upsert") upsert(op.item);
        else if (op.op === "append") views.get(op.id)?.append?.(op.text);
        else if (op.op === "finish") views.get(op.id)?.finish?.(op.durationMs);
        else for (const id of op.ids) drop(id);
      }
      settle();
    },
    focus: () => current?.focus({ preventScroll: false }),
    focusPendingQuestion() {
      const pending = list.querySelector(".question.is-pending");
      if (!(pending instanceof HTMLElement)) return false;
      pending.scrollIntoView({ block: "nearest" });
      focusQuestion(pending);
      return true;
    },
    release: follow.release,
    views: () => views.values(),
    refold() {
      for (const view of views.values()) view.refold?.();
    },
    reveal(id) {
      const view = views.get(id);
      if (!view) return false;
      follow.release();
      goTo(view.element);
      return true;
    },
    // biome-ignore lint/performance/useDomNodeTextContent: what layout puts on lines of their own is copied so
    textOf: (id) => views.get(id)?.element.innerText.trim(),
    jumpToPrompt(by) {
      const prompts = [...list.querySelectorAll<HTMLElement>(".prompt")];
      const from = list.contains(document.activeElement) ? current : undefined;
      const next = nextPrompt(prompts, from, by);
      if (!next) return;
      follow.release();
      goTo(next);
    },
    setPlaceholder: (placeholder) => content.prepend(placeholder),
    setWorking: (indicator) => content.append(indicator),
  };
}

/** Without a place to start from, up is from the end and down goes nowhere. */
function nextPrompt(
  prompts: readonly HTMLElement[],
  from: HTMLElement | undefined,
  by: -1 | 1,
): HTMLElement | undefined {
  if (from === undefined) return by === -1 ? prompts.at(-1) : undefined;
  const isBefore = (one: Node, other: Node) =>
    (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return by === -1
    ? prompts.findLast((prompt) => isBefore(prompt, from))
    : prompts.find((prompt) => isBefore(from, prompt));
}

/** What was never drawn gets its height when it comes into sight, so the place is taken again two frames later. */
function goTo(item: HTMLElement): void {
  item.focus({ preventScroll: true });
  item.scrollIntoView({ block: "start" });
  requestAnimationFrame(() => requestAnimationFrame(() => item.isConnected && item.scrollIntoView({ block: "start" })));
}

function createView(item: TranscriptItem, context: ViewContext): ItemView {
  switch (item.kind) {
    case "prompt":
      return promptView(item, context);
    case "text":
      return answerView(item, context);
    case "thinking":
      return thinkingView(item, context);
    case "tool":
      return toolView(item, context);
    case "notice":
      return noticeView(item, context);
    case "question":
      return questionView(item, context);
    case "footer":
      return footerView(item, context);
    case "activity":
      return activityView(item, context);
  }
}

/** Up and Down go from item to item, Home and End to the first and last, Enter opens what is folded. */
function moveByKey(event: KeyboardEvent, stretches: Stretches, views: ReadonlyMap<string, ItemView>): void {
  if (!(event.target instanceof Element) || event.altKey || event.ctrlKey || event.metaKey) return;
  const item = event.target.closest(".item");
  if (!item || event.target.closest("vscode-text-area, pre, .table-scroller")) return;
  if (event.key === "Enter" && event.target === item && item instanceof HTMLElement) {
    views.get(item.dataset.id ?? "")?.toggle?.();
    event.preventDefault();
    return;
  }
  const next = neighbour(event.key, item, stretches);
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

function neighbour(key: string, item: Element, stretches: Stretches): HTMLElement | undefined {
  if (key === "ArrowUp") return stretches.beside(item, -1);
  if (key === "ArrowDown") return stretches.beside(item, 1);
  if (key === "Home") return stretches.first();
  return key === "End" ? stretches.last() : undefined;
}
