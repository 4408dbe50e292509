import { el, type Frame, setText } from "./dom.ts";

/** Keeps the end of the conversation in sight until the user scrolls away from it. */
export interface Follow {
  /** The button that leads back to the end. */
  readonly pill: HTMLElement;
  /** Goes to the end and stays there. */
  toEnd(): void;
  /** Tells that an item was added at the end. */
  countNew(): void;
}

/** How near the end counts as at the end, in CSS pixels. */
const END_SLACK_PX = 16;

interface FollowOptions {
  /** The element that scrolls. */
  scroller: HTMLElement;
  /** What grows inside it. */
  content: HTMLElement;
  frame: Frame;
  /** Whether there is a conversation: a welcome is read from its top. */
  hasTail(): boolean;
}

export function followTail({ scroller, content, frame, hasTail }: FollowOptions): Follow {
  const label = el("span", "");
  const pill = el("button", "jump-pill", { type: "button" }, [
    el("span", "codicon codicon-arrow-down", { "aria-hidden": "true" }),
    label,
  ]);
  pill.hidden = true;
  let isFollowing = true;
  let newItems = 0;
  let lastTop = 0;
  let lastHeight = 0;

  function stick(): void {
    if (!isFollowing || !hasTail()) return;
    scroller.scrollTop = scroller.scrollHeight;
    lastTop = scroller.scrollTop;
    lastHeight = scroller.scrollHeight;
  }
  function setFollowing(next: boolean): void {
    if (next) newItems = 0;
    if (isFollowing !== next) {
      isFollowing = next;
      pill.hidden = next;
    }
    showPill();
  }
  function showPill(): void {
    setText(label, newItems === 0 ? "Jump to latest" : `Jump to latest, ${newItems} new`);
  }
  function isAtEnd(): boolean {
    return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight <= END_SLACK_PX;
  }

  scroller.addEventListener("wheel", (event) => event.deltaY < 0 && scroller.scrollTop > 0 && setFollowing(false), {
    passive: true,
  });
  scroller.addEventListener(
    "scroll",
    () => {
      // Content that shrinks also moves the view up; only a move without it is the user's.
      const hasMovedUp = scroller.scrollTop < lastTop - 1 && scroller.scrollHeight >= lastHeight;
      lastTop = scroller.scrollTop;
      lastHeight = scroller.scrollHeight;
      if (hasMovedUp && !isAtEnd()) setFollowing(false);
      else if (isAtEnd() && !isFollowing && !hasMovedUp) setFollowing(true);
    },
    { passive: true },
  );
  // Called after layout and before paint, so that nothing is measured twice.
  const resized = new ResizeObserver(stick);
  resized.observe(content);
  resized.observe(scroller);
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
    countNew() {
      if (isFollowing) return;
      newItems += 1;
      showPill();
    },
  };
}
