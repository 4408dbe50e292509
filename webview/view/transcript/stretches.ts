import type { TranscriptItem } from "../../protocol/items.ts";
import { el } from "../common/dom.ts";

/** The items of the conversation on the page, in order. */
export interface Stretches {
  readonly element: HTMLElement;
  /** Puts an item behind all others. @param height about how high it will be, in CSS pixels. */
  append(item: HTMLElement, height: number): void;
  remove(item: HTMLElement): void;
  /** Puts the items into this order; all of them must exist. */
  order(items: readonly { element: HTMLElement; height: number }[]): void;
  last(): HTMLElement | undefined;
}

/** A stretch takes no more items than this. Once it has half of them, what the user says begins the next one. */
const MAX_STRETCH_ITEMS = 24;

/**
 * Keeps items in stretches. The browser works out where a stretch is and draws it only near the screen; with each item by itself, thousands of
 * them would be looked at in every frame.
 */
export function createStretches(): Stretches {
  const element = el("div", "items");
  const heights = new WeakMap<Element, number>();

  function append(item: HTMLElement, height: number): void {
    let stretch = element.lastElementChild;
    const count = stretch?.childElementCount ?? 0;
    const isFull = count >= MAX_STRETCH_ITEMS || (2 * count >= MAX_STRETCH_ITEMS && item.matches(".prompt"));
    if (!(stretch instanceof HTMLElement) || isFull) {
      stretch = el("div", "stretch");
      element.append(stretch);
    }
    stretch.append(item);
    const sum = (heights.get(stretch) ?? 0) + height;
    heights.set(stretch, sum);
    // Counts until it has been drawn once; from then on the browser knows better.
    if (stretch instanceof HTMLElement) stretch.style.setProperty("contain-intrinsic-block-size", `auto ${sum}px`);
  }

  return {
    element,
    append,
    remove(item) {
      const stretch = item.parentElement;
      item.remove();
      if (stretch?.childElementCount === 0) stretch.remove();
    },
    order(items) {
      const now = element.querySelectorAll(":scope > .stretch > .item");
      if (now.length === items.length && items.every((item, index) => item.element === now[index])) return;
      element.replaceChildren();
      for (const item of items) append(item.element, item.height);
    },
    last() {
      const item = element.lastElementChild?.lastElementChild;
      return item instanceof HTMLElement ? item : undefined;
    },
  };
}

/** About how high an item will be in a narrow view, in CSS pixels: it counts as long as the item has never been drawn. */
export function likelyHeight(item: TranscriptItem): number {
  switch (item.kind) {
    case "text":
      return Math.round(30 + item.text.length * 0.45);
    case "prompt":
      return Math.round(56 + item.text.length * 0.4 + item.images.length * 200);
    case "question":
      return 120;
    case "tool":
      return 38;
    default:
      return 32;
  }
}
