import { icon } from "../controls.ts";
import type { Host } from "../host.ts";
import { t } from "../l10n.ts";
import type { TranscriptItem } from "../protocol/items.ts";
import type { ToPanel } from "../protocol/to-panel.ts";
import { el, setText } from "./dom.ts";
import { keepPages } from "./earlier-pages.ts";
import { holdPlace } from "./hold-place.ts";
import type { ItemViews } from "./item-views.ts";
import { plainButton } from "./plain-buttons.ts";

type Answer = Extract<ToPanel, { type: "earlier" | "noEarlier" }>;

/** What was said before the items that the host keeps: read a page at a time, and shown above them. */
export interface Earlier {
  readonly element: HTMLElement;
  /** Whether there is something before what the host keeps. */
  setWanted(hasEarlier: boolean): void;
  /** Asks for the page before what is shown, unless there is none. */
  ask(): void;
  /** The host's answer; one that nobody waits for is skipped. */
  take(answer: Answer): void;
  item(id: string): TranscriptItem | undefined;
  isEmpty(): boolean;
  /** Whether something of the conversation is not on the page. */
  isCut(): boolean;
  /** Takes away what is far from the end, or all of it. */
  forget(what: "far" | "all"): void;
}

interface EarlierOptions {
  host: Host;
  views: ItemViews;
  scroller: HTMLElement;
  /** What scrolls in it. */
  content: HTMLElement;
  say(text: string): void;
  /** Whether the view holds the end, where nobody reads what is at the top. */
  isFollowing(): boolean;
  /** Keeps the view from following the end. */
  release(): void;
  /** Other items are on the page. */
  changed(): void;
}

/** Where a page is to be put: before all, or where one was taken away. */
type Where = "top" | "gap";

/** How near the top those who read are when the page before is asked for. */
const NEAR = "400px";

/** Makes the place, hidden while there is nothing before the first item. */
export function createEarlier(options: EarlierOptions): Earlier {
  const { host, scroller, content, say, isFollowing, release, changed } = options;
  const pages = keepPages(options.views);
  const more = plainButton({ label: "", onClick: () => ask("top") });
  const problem = el("span", "earlier-problem");
  const top = el("div", "earlier-row", {}, [icon("arrow-up"), more, problem]);
  const between = plainButton({ label: "", onClick: () => ask("gap") });
  const gap = el("div", "earlier-row is-gap", {}, [between]);
  const element = el("div", "earlier", {}, [top, pages.element, gap]);
  let isWanted = false;
  let isNear = false;
  let requests = 0;
  let asked: { readonly request: number; readonly where: Where; readonly cursor: string | null } | undefined;

  function draw(): void {
    const reading = t("Reading earlier messages…");
    top.hidden = !isWanted || pages.isWhole();
    gap.hidden = pages.gap() === undefined;
    element.classList.toggle("has-pages", !pages.isEmpty());
    setText(more, asked?.where === "top" ? reading : t("Show earlier messages"));
    setText(between, asked?.where === "gap" ? reading : t("Show the messages between"));
    problem.hidden = problem.textContent === "";
  }
  function ask(where: Where): void {
    if (asked !== undefined || !isWanted || (where === "top" && pages.isWhole())) return;
    const cursor = where === "top" ? pages.next() : pages.gap();
    if (cursor === undefined) return;
    requests += 1;
    asked = { request: requests, where, cursor };
    setText(problem, "");
    draw();
    host.post({ type: "readEarlier", request: requests, cursor });
  }
  function take(answer: Answer): void {
    if (asked?.request !== answer.request) return;
    const { where, cursor } = asked;
    asked = undefined;
    if (answer.type === "noEarlier") {
      setText(problem, answer.reason);
      say(t("Earlier messages could not be read: {0}", answer.reason));
      draw();
      return;
    }
    release();
    const button = where === "top" ? more : between;
    const hadFocus = button === document.activeElement;
    holdPlace(scroller, content, () => {
      pages.put({ cursor, items: answer.items, next: answer.next }, where);
      draw();
    });
    // Told of anew, since the top may be near still.
    isNear = false;
    watcher.unobserve(top);
    watcher.observe(top);
    // The button is far away by now, or gone.
    if (hadFocus) pages.nearest(where, cursor)?.focus({ preventScroll: true });
    say(answer.items.length > 0 ? t("Earlier messages are shown above") : t("There is nothing before this"));
    changed();
  }
  function askIfNear(): void {
    if (isNear && !isFollowing() && problem.hidden) ask("top");
  }
  const watcher = new IntersectionObserver(
    (entries) => {
      isNear = entries.at(-1)?.isIntersecting ?? false;
      askIfNear();
    },
    { root: scroller, rootMargin: NEAR },
  );
  watcher.observe(top);
  scroller.addEventListener("scroll", askIfNear, { passive: true });
  draw();
  return {
    element,
    take,
    ask: () => ask("top"),
    item: pages.item,
    isEmpty: pages.isEmpty,
    isCut: () => isWanted && (!pages.isWhole() || pages.gap() !== undefined),
    setWanted(hasEarlier) {
      isWanted = hasEarlier;
      draw();
    },
    forget(what) {
      if (what === "all") asked = undefined;
      pages.forget(what);
      draw();
    },
  };
}
