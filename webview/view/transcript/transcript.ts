import { t } from "../../l10n.ts";
import { applyOp, type ItemTarget } from "../../protocol/apply-op.ts";
import type { TranscriptItem } from "../../protocol/items.ts";
import type { PatchOp } from "../../protocol/to-panel.ts";
import { el } from "../common/dom.ts";
import type { ItemView, ViewContext } from "../common/item-view.ts";
import { createItemViews, type ItemViews } from "../items/item-views.ts";
import { focusQuestion } from "../items/question.ts";
import { createEarlier, type Earlier } from "./earlier.ts";
import { forgetFarAway } from "./far-away.ts";
import { type Follow, followTail } from "./follow.ts";
import { createStretches, likelyHeight } from "./stretches.ts";
import { createToolGroups, type ToolGroups, UNFOLD } from "./tool-groups.ts";
import { goTo, moveByKey, nearestShown, nextPrompt } from "./transcript-walk.ts";

/** The conversation on the page. */
export interface Transcript {
  readonly element: HTMLElement;
  readonly pill: HTMLElement;
  /** The items before those that the host keeps. */
  readonly earlier: Earlier;
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
  /** Returns the text of an item as displayed; undefined without such an item. */
  textOf(id: string): string | undefined;
  /** Puts the keyboard on what the user said before or behind the item that has it. */
  jumpToPrompt(by: -1 | 1): void;
  toEnd(): void;
}

/** Makes the conversation, which is empty. @param onEarlier called when earlier items have come onto the page. */
export function createTranscript(context: ViewContext, onEarlier: () => void): Transcript {
  const views = createItemViews(context);
  const content = el("div", "content");
  const attributes = { role: "log", "aria-live": "off", "aria-label": t("Chat") };
  const element = el("div", "transcript", attributes, [content]);
  const groups = createToolGroups(content, views, context);
  const follow = followTail({
    scroller: element,
    content,
    frame: context.frame,
    hasTail: () => views.size > 0,
    followed: () => requestIdleCallback(() => follow.isFollowing() && items.forgetEarlier(), { timeout: 1_000 }),
  });
  const earlier = createEarlier({
    host: context.host,
    views,
    scroller: element,
    content,
    say: (text) => context.say(text, "polite"),
    isFollowing: follow.isFollowing,
    release: follow.release,
    changed: () => {
      groups.refresh();
      onEarlier();
    },
  });
  const items = keepItems({ views, earlier, follow, settled: settle });
  content.append(earlier.element, items.element);
  let current: HTMLElement | undefined;

  function setCurrent(item: HTMLElement | undefined): void {
    current?.setAttribute("tabindex", "-1");
    current = item;
    current?.setAttribute("tabindex", "0");
  }
  function settle(isOnlyText: boolean): void {
    if (!isOnlyText) groups.refresh();
    element.classList.toggle("is-empty", views.size === 0);
    if (views.size === 0) follow.emptied();
    if (!current?.isConnected) setCurrent(items.last());
  }
  element.addEventListener("keydown", (event) => moveByKey(event, { content, views, atTop: earlier.ask }));
  element.addEventListener("focusin", (event) => {
    const item = event.target instanceof Element ? event.target.closest(".item") : null;
    if (item instanceof HTMLElement) setCurrent(item);
  });
  return {
    element,
    earlier,
    pill: follow.pill,
    toEnd: follow.toEnd,
    release: follow.release,
    reset: items.reset,
    apply: items.apply,
    focus() {
      const shown = nearestShown(current, "ArrowUp", content);
      if (shown instanceof HTMLElement) shown.focus({ preventScroll: false });
    },
    setPlaceholder: (placeholder) => content.prepend(placeholder),
    setWorking: (indicator) => content.append(indicator),
    ...placesIn({ content, views, follow, groups, current: () => current }),
  };
}

interface ItemsOptions {
  views: ItemViews;
  earlier: Earlier;
  follow: Follow;
  /** Called when the items have changed. @param isOnlyText true if text was added to some of them and nothing else. */
  settled(isOnlyText: boolean): void;
}

/** The items that the host keeps, drawn as it says. */
function keepItems({ views, earlier, follow, settled }: ItemsOptions) {
  const stretches = createStretches();
  forgetFarAway(stretches.element);
  /** Items that the host no longer keeps, but that stay while the user reads earlier ones. */
  let tooOld: string[] = [];
  let firstId: string | undefined;

  function drop(id: string): void {
    const item = views.drop(id);
    if (item) stretches.remove(item);
  }
  function upsert(item: TranscriptItem): void {
    const view = views.get(item.id);
    if (view) {
      view.update(item);
      return;
    }
    stretches.append(views.add(item).element, likelyHeight(item));
    follow.countNew();
  }
  function remove(ids: readonly string[], isTooOld: boolean): void {
    if (isTooOld && !earlier.isEmpty()) tooOld.push(...ids);
    else for (const id of ids) drop(id);
  }
  function forgetEarlier(): void {
    if (earlier.isEmpty()) return;
    earlier.forget(tooOld.length > 0 ? "all" : "far");
    for (const id of tooOld.splice(0)) drop(id);
    settled(false);
  }
  const target: ItemTarget = {
    upsert,
    append: (id, text) => views.get(id)?.append?.(text),
    finish: (id, durationMs) => views.get(id)?.finish?.(durationMs),
    remove,
  };
  return {
    element: stretches.element,
    last: stretches.last,
    forgetEarlier,
    reset(items: readonly TranscriptItem[]): void {
      // Earlier items that do not lead up to these are of another conversation, or there is a gap.
      if (items[0]?.id !== firstId) earlier.forget("all");
      firstId = items[0]?.id;
      tooOld = [];
      const kept = new Set(items.map((item) => item.id));
      for (const id of views.ids()) if (!kept.has(id) && !earlier.item(id)) drop(id);
      for (const item of items) upsert(item);
      stretches.order(items.flatMap((item) => placed(item, views.get(item.id))));
      settled(false);
    },
    apply(ops: readonly PatchOp[]): void {
      for (const op of ops) applyOp(target, op);
      settled(ops.every(({ op }) => op === "append"));
    },
  };
}

function placed(item: TranscriptItem, view: ItemView | undefined) {
  return view === undefined ? [] : { element: view.element, height: likelyHeight(item) };
}

interface PlacesOptions {
  content: HTMLElement;
  views: ItemViews;
  follow: Follow;
  groups: ToolGroups;
  /** The item that has or had the keyboard. */
  current(): HTMLElement | undefined;
}

/** Finds places in the chat. */
function placesIn({ content, views, follow, groups, current }: PlacesOptions) {
  return {
    focusPendingQuestion(): boolean {
      const pending = content.querySelector(".question.is-pending");
      if (!(pending instanceof HTMLElement)) return false;
      pending.scrollIntoView({ block: "nearest" });
      focusQuestion(pending);
      return true;
    },
    views: (): ItemView[] =>
      [...content.querySelectorAll<HTMLElement>(".item")].flatMap(({ dataset }) => views.get(dataset.id) ?? []),
    refold(): void {
      for (const view of views.all()) view.refold?.();
      groups.refresh();
    },
    reveal(id: string): boolean {
      const view = views.get(id);
      if (!view) return false;
      follow.release();
      view.element.dispatchEvent(new CustomEvent(UNFOLD, { bubbles: true }));
      goTo(view.element);
      return true;
    },
    // biome-ignore lint/performance/useDomNodeTextContent: what layout puts on lines of their own is copied so
    textOf: (id: string): string | undefined => views.get(id)?.element.innerText.trim(),
    jumpToPrompt(by: -1 | 1): void {
      const from = content.contains(document.activeElement) ? current() : undefined;
      const next = nextPrompt(content, from, by);
      if (!next) return;
      follow.release();
      goTo(next);
    },
  };
}
