import { t } from "../l10n.ts";
import { el, type Frame, setText } from "./dom.ts";

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
}

/** How near the end counts as at the end, in CSS pixels. */
const END_SLACK_PX = 16;

/** How long a move may come after what the user did. Without it, a move in the frame of a change is the change's. */
const INPUT_MS = 1_500;

interface FollowOptions {
  /** The element that scrolls. */
  scroller: HTMLElement;
  /** What grows inside it. */
  content: HTMLElement;
  frame: Frame;
  /** Whether there is a conversation: a welcome is read from its top. */
  hasTail(): boolean;
  /** The user is back at the end. */
  followed(): void;
}

export function followTail({ scroller, content, frame, hasTail, followed }: FollowOptions): Follow {
  const label = el("span", "");
  const pill = el("button", "jump-pill", { type: "button" }, [
    el("span", "codicon codicon-arrow-down", { "aria-hidden": "true" }),
    label,
  ]);
  pill.hidden = true;
  let isFollowing = true;
  let newItems = 0;
  let lastTop = 0;
  let lastInputAt = Number.NEGATIVE_INFINITY;
  let isPointerDown = false;
  let lastHeight = 0;
  let isLookDue = false;

  /** Only to be called where the layout is up to date: what is read here would be worked out anew otherwise. */
  function stick(): void {
    if (isLookDue || isPointerDown || performance.now() - lastInputAt < INPUT_MS) look();
    isLookDue = false;
    if (!isFollowing || !hasTail()) return;
    scroller.scrollTop = scroller.scrollHeight;
    lastTop = scroller.scrollTop;
    lastHeight = scroller.scrollHeight;
  }
  /** Finds out whether the user has gone away from the end, or come back to it. */
  function look(): void {
    const { scrollTop: top, scrollHeight: height } = scroller;
    // Content that shrinks also moves the view up; only a move without it is the user's.
    const hasMovedUp = top < lastTop - 1 && height >= lastHeight;
    const isAtEnd = height - top - scroller.clientHeight <= END_SLACK_PX;
    lastTop = top;
    lastHeight = height;
    if (hasMovedUp && !isAtEnd) setFollowing(false);
    else if (isAtEnd && !isFollowing && !hasMovedUp) setFollowing(true);
  }
  function setFollowing(next: boolean): void {
    if (next) newItems = 0;
    if (isFollowing !== next) {
      isFollowing = next;
      pill.hidden = next;
      scroller.classList.toggle("is-following", next);
      if (next) followed();
    }
    showPill();
  }
  function showPill(): void {
    setText(label, newItems === 0 ? t("Jump to latest") : t("Jump to latest, {0} new", newItems));
  }
  scroller.addEventListener("wheel", (event) => event.deltaY < 0 && scroller.scrollTop > 0 && setFollowing(false), {
    passive: true,
  });
  for (const type of ["wheel", "keydown", "pointerdown", "touchmove", "focusin"]) {
    scroller.addEventListener(
      type,
      () => {
        lastInputAt = performance.now();
        if (type === "pointerdown") isPointerDown = true;
      },
      { passive: true, capture: true },
    );
  }
  for (const type of ["pointerup", "pointercancel"]) {
    window.addEventListener(
      type,
      () => {
        lastInputAt = performance.now();
        isPointerDown = false;
      },
      { capture: true },
    );
  }
  // Called after layout and before paint, so that nothing is measured twice.
  const resized = new ResizeObserver(stick);
  resized.observe(content);
  resized.observe(scroller);
  scroller.classList.add("is-following");
  scroller.addEventListener(
    "scroll",
    () => {
      if (isLookDue) return;
      isLookDue = true;
      // What is observed anew is told of in the same frame, after its layout.
      resized.unobserve(scroller);
      resized.observe(scroller);
    },
    { passive: true },
  );
  function toEnd(): void {
    setFollowing(true);
    stick();
    // Items that were never drawn only get their true height when they come into sight.
    frame.request(stick);
  }
  pill.addEventListener("click", toEnd);
  return {
    pill,
    toEnd,
    isFollowing: () => isFollowing,
    release: () => setFollowing(false),
    countNew() {
      if (isFollowing) return;
      newItems += 1;
      showPill();
    },
  };
}
