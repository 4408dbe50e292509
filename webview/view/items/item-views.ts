import type { TranscriptItem } from "../../protocol/items.ts";
import type { ItemView, ViewContext } from "../common/item-view.ts";
import { promptView } from "./prompt.ts";
import { questionView } from "./question.ts";
import { activityView, footerView, noticeView } from "./rows.ts";
import { answerView, thinkingView } from "./text-items.ts";
import { toolView } from "./tool-card.ts";

/** The views of the items that are on the page, by id. */
export interface ItemViews {
  readonly size: number;
  get(id: string | undefined): ItemView | undefined;
  ids(): string[];
  all(): Iterable<ItemView>;
  /** Makes the view of an item that has none. Whoever calls puts its element somewhere. */
  add(item: TranscriptItem): ItemView;
  /** Ends a view. @returns its element, which is still where it was. */
  drop(id: string): HTMLElement | undefined;
}

/** Makes the collection, with nothing in it. */
export function createItemViews(context: ViewContext): ItemViews {
  const views = new Map<string, ItemView>();
  return {
    get size() {
      return views.size;
    },
    get: (id) => views.get(id ?? ""),
    ids: () => [...views.keys()],
    all: () => views.values(),
    add(item) {
      const view = createView(item, context);
      view.element.dataset.id = item.id;
      view.element.tabIndex = -1;
      view.element.dataset.vscodeContext = JSON.stringify({
        webviewSection: "tillerItem",
        tillerKind: item.kind,
        itemId: item.id,
      });
      views.set(item.id, view);
      return view;
    },
    drop(id) {
      const view = views.get(id);
      views.delete(id);
      view?.dispose?.();
      return view?.element;
    },
  };
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
