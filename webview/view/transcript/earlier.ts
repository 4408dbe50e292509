import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import type { TranscriptItem } from "../../protocol/items.ts";
import type { ToPanel } from "../../protocol/to-panel.ts";
import { icon } from "../common/controls.ts";
import { el, setText } from "../common/dom.ts";
import { plainButton } from "../common/plain-buttons.ts";
import type { ItemViews } from "../items/item-views.ts";
import { keepPages } from "./earlier-pages.ts";
import { holdPlace } from "./hold-place.ts";

type Page = Extract<ToPanel, { type: "earlier" }>;
type Answer = Page | Extract<ToPanel, { type: "noEarlier" }>;

/** The items before those that the host keeps, loaded in pages and shown above them. */
export interface Earlier {
  readonly element: HTMLElement;
  /** True if there is something before what the host keeps. */
  setWanted(hasEarlier: boolean): void;
  /** Asks for the page before what is shown, unless there is none. */
  ask(): void;
  /** The host's answer; an answer that is no longer needed is ignored. */
  take(answer: Answer): void;
  item(id: string): TranscriptItem | undefined;
  isEmpty(): boolean;
  /** True if something of the conversation is not on the page. */
  isCut(): boolean;
  /** Takes away what is far from the end, or all of it. */
  forget(what: "far" | "all"): void;
}

interface EarlierOptions {
  host: Host;
  views: ItemViews;
  scroller: HTMLElement;
  /** The scrolling element. */
  content: HTMLElement;
  say(text: string): void;
  /** True if the view holds the end, where nobody reads what is at the top. */
  isFollowing(): boolean;
  /** Keeps the view from following the end. */
  release(): void;
  /** Other items are on the page. */
  changed(): void;
}

/** The place of a page: before all others, or where one was removed. */
type Where = "top" | "gap";

/** The distance from the top at which the previous page is requested. */
const NEAR = "400px";

/** Makes the place, hidden while there is nothing before the first item. */
export function createEarlier(options: EarlierOptions): Earlier {
  const { host, scroller, content, say, isFollowing, release, changed } = options;
  const pages = keepPages(options.views);
  const rows = createRows(ask);
  const element = el("div", "earlier", {}, [rows.top, pages.element, rows.gap]);
  const near = watchNear(scroller, rows.top, () => !isFollowing() && !rows.hasProblem() && ask("top"));
  const requests = createRequests(host);
  let isWanted = false;

  function draw(): void {
    element.classList.toggle("has-pages", !pages.isEmpty());
    rows.show({ hasMore: isWanted && !pages.isWhole(), hasGap: pages.gap() !== undefined, reading: requests.where() });
  }
  function ask(where: Where): void {
    if (requests.where() !== undefined || !isWanted || (where === "top" && pages.isWhole())) return;
    const cursor = where === "top" ? pages.next() : pages.gap();
    if (cursor === undefined) return;
    requests.send(where, cursor);
    rows.showProblem("");
    draw();
  }
  function take(answer: Answer): void {
    const asked = requests.end(answer.request);
    if (asked === undefined) return;
    if (answer.type === "earlier") {
      put(answer, asked);
      return;
    }
    rows.showProblem(answer.reason);
    say(t("Couldn't load earlier messages: {0}", answer.reason));
    draw();
  }
  function put({ items, next }: Page, { where, cursor }: Asked): void {
    release();
    const hadFocus = rows.hasFocus(where);
    holdPlace(scroller, content, () => {
      pages.put({ cursor, items, next }, where);
      draw();
    });
    near.lookAgain();
    // The button is far away by now, or gone.
    if (hadFocus) pages.nearest(where, cursor)?.focus({ preventScroll: true });
    say(items.length > 0 ? t("Earlier messages loaded") : t("No earlier messages"));
    changed();
  }
  function forget(what: "far" | "all"): void {
    if (what === "all") requests.forget();
    pages.forget(what);
    draw();
  }
  function setWanted(hasEarlier: boolean): void {
    isWanted = hasEarlier;
    draw();
  }
  draw();
  const isCut = () => isWanted && (!pages.isWhole() || pages.gap() !== undefined);
  const { item, isEmpty } = pages;
  return { element, take, ask: () => ask("top"), item, isEmpty, isCut, setWanted, forget };
}

interface Asked {
  readonly request: number;
  readonly where: Where;
  readonly cursor: string | null;
}

/** The request to the host: one page at a time. */
function createRequests(host: Host) {
  let count = 0;
  let asked: Asked | undefined;
  return {
    where: () => asked?.where,
    send(where: Where, cursor: string | null) {
      count += 1;
      asked = { request: count, where, cursor };
      host.post({ type: "readEarlier", request: count, cursor });
    },
    /** @returns the request, unless its answer is no longer needed. */
    end(request: number): Asked | undefined {
      if (asked?.request !== request) return undefined;
      const ended = asked;
      asked = undefined;
      return ended;
    },
    forget() {
      asked = undefined;
    },
  };
}

/** The rows with the buttons: above everything, and where a page was taken away. */
function createRows(ask: (where: Where) => void) {
  const buttons = {
    top: plainButton({ label: "", onClick: () => ask("top") }),
    gap: plainButton({ label: "", onClick: () => ask("gap") }),
  };
  const problem = el("span", "earlier-problem");
  const top = el("div", "earlier-row", {}, [icon("arrow-up"), buttons.top, problem]);
  const gap = el("div", "earlier-row is-gap", {}, [buttons.gap]);
  return {
    top,
    gap,
    hasProblem: () => !problem.hidden,
    showProblem: (reason: string) => setText(problem, reason),
    hasFocus: (where: Where) => buttons[where] === document.activeElement,
    show(state: { hasMore: boolean; hasGap: boolean; reading: Where | undefined }) {
      const reading = t("Loading earlier messages…");
      top.hidden = !state.hasMore;
      gap.hidden = !state.hasGap;
      setText(buttons.top, state.reading === "top" ? reading : t("Show Earlier Messages"));
      setText(buttons.gap, state.reading === "gap" ? reading : t("Show Messages in Between"));
      problem.hidden = problem.textContent === "";
    },
  };
}

/** Calls back when those who read come near a row, and whenever they scroll near it. */
function watchNear(scroller: HTMLElement, row: HTMLElement, came: () => void) {
  let isNear = false;
  const callIfNear = () => {
    if (isNear) came();
  };
  const watcher = new IntersectionObserver(
    (entries) => {
      isNear = entries.at(-1)?.isIntersecting ?? false;
      callIfNear();
    },
    { root: scroller, rootMargin: NEAR },
  );
  watcher.observe(row);
  scroller.addEventListener("scroll", callIfNear, { passive: true });
  return {
    /** Has it told of anew, since it may be near still. */
    lookAgain() {
      isNear = false;
      watcher.unobserve(row);
      watcher.observe(row);
    },
  };
}
