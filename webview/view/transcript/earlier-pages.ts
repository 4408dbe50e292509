import type { TranscriptItem } from "../../protocol/items.ts";
import { el } from "../common/dom.ts";
import type { ItemViews } from "../items/item-views.ts";
import { forgetFarAway } from "./far-away.ts";
import { createStretches, likelyHeight } from "./stretches.ts";

/** As many pages are on the page at once; one more, and the one at the other end goes. */
const MAX_PAGES = 10;
/** So many stay for those who are back at the end. */
const NEAR_PAGES = 2;

/** A page of earlier items as it came; `next` is the cursor of the one before it, null without one. */
interface EarlierPage {
  readonly cursor: string | null;
  readonly items: readonly TranscriptItem[];
  readonly next: string | null;
}

interface ShownPage extends EarlierPage {
  readonly list: HTMLElement;
}

/** Pages of earlier items, the oldest first. */
export interface EarlierPages {
  readonly element: HTMLElement;
  put(page: EarlierPage, where: "top" | "gap"): void;
  /** The cursor of the page before all; null for the first. Not to be asked when they are whole. */
  next(): string | null;
  /** The cursor of the page that is missing between these and the conversation; undefined without a gap. */
  gap(): string | null | undefined;
  /** True if they reach back to the beginning. */
  isWhole(): boolean;
  isEmpty(): boolean;
  item(id: string): TranscriptItem | undefined;
  /** The item that is next to the place where a page was put. */
  nearest(where: "top" | "gap", cursor: string | null): HTMLElement | undefined;
  forget(what: "far" | "all"): void;
}

/** Keeps a bounded number of pages, all next to each other. */
export function keepPages(views: ItemViews): EarlierPages {
  const element = el("div", "earlier-pages");
  /** The newest first. */
  let pages: ShownPage[] = [];
  /** The cursors of the pages between these and the conversation, the newest first. */
  let skipped: (string | null)[] = [];

  function draw(page: EarlierPage): ShownPage {
    const stretches = createStretches();
    forgetFarAway(stretches.element);
    for (const item of page.items) stretches.append(views.add(item).element, likelyHeight(item));
    return { ...page, list: stretches.element };
  }
  function drop(page: ShownPage | undefined): void {
    for (const { id } of page?.items ?? []) views.drop(id);
    page?.list.remove();
  }
  return {
    element,
    put(page, where) {
      const shown = draw(page);
      if (where === "top") {
        pages.push(shown);
        element.prepend(shown.list);
      } else {
        pages.unshift(shown);
        element.append(shown.list);
        skipped.pop();
      }
      if (pages.length <= MAX_PAGES) return;
      const far = where === "top" ? pages.shift() : pages.pop();
      if (where === "top" && far !== undefined) skipped.push(far.cursor);
      drop(far);
    },
    next: () => pages.at(-1)?.next ?? null,
    gap: () => skipped.at(-1),
    isWhole: () => pages.length > 0 && pages.at(-1)?.next === null,
    isEmpty: () => pages.length === 0,
    item: (id) => pages.flatMap(({ items }) => items).find((item) => item.id === id),
    nearest(where, cursor) {
      const items = pages.find((page) => page.cursor === cursor)?.items;
      return views.get((where === "top" ? items?.at(-1) : items?.[0])?.id)?.element;
    },
    forget(what) {
      // With a gap, those next to the conversation are gone already.
      const left = what === "all" || skipped.length > 0 ? 0 : NEAR_PAGES;
      for (const page of pages.slice(left)) drop(page);
      pages = pages.slice(0, left);
      skipped = [];
    },
  };
}
