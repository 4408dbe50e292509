import { t } from "../../l10n.ts";
import { el, type Frame, setText } from "../common/dom.ts";

/** Keeps the end of the conversation in sight until the user scrolls away from it. */
export interface Follow {
  /** The button that leads back to the end. */
  readonly pill: HTMLElement;
  /** Goes to the end and stays there. */
  toEnd(): void;
  isFollowing(): boolean;
  /** Stays where it is from now on: something else than the end is looked for. */
  release(): void;
  /** Tells that an item was added at the end. */
  countNew(): void;
  /** Tells that nothing is left to go to the end of. */
  emptied(): void;
}

/** The distance from the end that counts as the end, in CSS pixels. */
const END_SLACK_PX = 16;

/** How long a move may come after what the user did. Without it, a move in the frame of a change is the change's. */
const INPUT_MS = 1_500;

interface FollowOptions {
  /** The element that scrolls. */
  scroller: HTMLElement;
  /** The content that grows inside it. */
  content: HTMLElement;
  frame: Frame;
  /** True if there is a conversation: a welcome is read from its top. */
  hasTail(): boolean;
  /** The user is back at the end. */
  followed(): void;
}

export function followTail(options: FollowOptions): Follow {
  const { scroller, content, frame } = options;
  const pill = createPill();
  const hands = watchHands(scroller);
  const tail = new Tail(options, hands, pill.show);
  scroller.classList.add("is-following");
  scroller.addEventListener("wheel", (event) => event.deltaY < 0 && scroller.scrollTop > 0 && tail.release(), {
    passive: true,
  });
  // Called after layout and before paint, so that nothing is measured twice.
  const resized = new ResizeObserver(() => tail.stick());
  resized.observe(content);
  resized.observe(scroller);
  scroller.addEventListener(
    "scroll",
    () => {
      if (!tail.askForLook()) return;
      // A new observation is reported in the same frame, after layout.
      resized.unobserve(scroller);
      resized.observe(scroller);
    },
    { passive: true },
  );
  function toEnd(): void {
    tail.follow();
    tail.stick();
    // Items that were never drawn only get their true height when they come into sight.
    frame.request(() => tail.stick());
  }
  pill.element.addEventListener("click", toEnd);
  return {
    pill: pill.element,
    toEnd,
    isFollowing: () => tail.isFollowing,
    release: () => tail.release(),
    countNew: () => tail.countNew(),
    emptied: () => tail.follow(),
  };
}

/** Keeps the view at the end, and remembers the last known position of the end. */
class Tail {
  readonly #options: FollowOptions;
  readonly #hands: Hands;
  readonly #showPill: Pill["show"];
  #isFollowing = true;
  #newItems = 0;
  #top = 0;
  #height = 0;
  #isLookDue = false;

  constructor(options: FollowOptions, hands: Hands, showPill: Pill["show"]) {
    this.#options = options;
    this.#hands = hands;
    this.#showPill = showPill;
  }

  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Only to be called where the layout is up to date: what is read here would be worked out anew otherwise. */
  stick(): void {
    const { scroller, hasTail } = this.#options;
    if (this.#isLookDue || this.#hands.areAtWork()) this.#look();
    this.#isLookDue = false;
    if (!this.#isFollowing || !hasTail()) return;
    scroller.scrollTop = scroller.scrollHeight;
    this.#top = scroller.scrollTop;
    this.#height = scroller.scrollHeight;
  }

  /** Has `stick` look where the view is. @returns whether it was not to anyway. */
  askForLook(): boolean {
    if (this.#isLookDue) return false;
    this.#isLookDue = true;
    return true;
  }

  follow(): void {
    this.#newItems = 0;
    this.#set(true);
  }

  release(): void {
    if (this.#options.hasTail()) this.#set(false);
  }

  countNew(): void {
    if (this.#isFollowing) return;
    this.#newItems += 1;
    this.#showPill(false, this.#newItems);
  }

  /** Finds out whether the user has gone away from the end, or come back to it. */
  #look(): void {
    const { scrollTop: top, scrollHeight: height, clientHeight } = this.#options.scroller;
    // Content that shrinks also moves the view up; only a move without it is the user's.
    const hasMovedUp = top < this.#top - 1 && height >= this.#height;
    const isAtEnd = height - top - clientHeight <= END_SLACK_PX;
    this.#top = top;
    this.#height = height;
    if (hasMovedUp && !isAtEnd) this.release();
    else if (isAtEnd && !this.#isFollowing && !hasMovedUp) this.follow();
  }

  #set(isFollowing: boolean): void {
    if (this.#isFollowing !== isFollowing) {
      this.#isFollowing = isFollowing;
      this.#options.scroller.classList.toggle("is-following", isFollowing);
      if (isFollowing) this.#options.followed();
    }
    this.#showPill(isFollowing, this.#newItems);
  }
}

interface Hands {
  /** True if the user does something that may move the view, or has just done it. */
  areAtWork(): boolean;
}

function watchHands(scroller: HTMLElement): Hands {
  let lastInputAt = Number.NEGATIVE_INFINITY;
  let isPointerDown = false;
  for (const type of ["wheel", "keydown", "pointerdown", "touchmove", "focusin"]) {
    const noted = () => {
      lastInputAt = performance.now();
      if (type === "pointerdown") isPointerDown = true;
    };
    scroller.addEventListener(type, noted, { passive: true, capture: true });
  }
  for (const type of ["pointerup", "pointercancel"]) {
    const noted = () => {
      lastInputAt = performance.now();
      isPointerDown = false;
    };
    window.addEventListener(type, noted, { capture: true });
  }
  return { areAtWork: () => isPointerDown || performance.now() - lastInputAt < INPUT_MS };
}

interface Pill {
  readonly element: HTMLElement;
  show(isFollowing: boolean, newItems: number): void;
}

function createPill(): Pill {
  const label = el("span", "");
  const arrow = el("span", "codicon codicon-arrow-down", { "aria-hidden": "true" });
  const element = el("button", "jump-pill", { type: "button" }, [arrow, label]);
  element.hidden = true;
  return {
    element,
    show(isFollowing, newItems) {
      element.hidden = isFollowing;
      setText(label, newItems === 0 ? t("Jump to Latest") : t("Jump to Latest ({0} New)", newItems));
    },
  };
}
