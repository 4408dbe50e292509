/** Places that are looked at for something to hold on to lie so far from each other, in CSS pixels. */
const STEP_PX = 8;

/** The place is held until no height has changed for this many frames. */
const QUIET_FRAMES = 3;

/**
 * Changes what is above or below the item that the user reads. The item does not move, not even by part of a pixel: a view scrolls by
 * whole pixels, and the remainder becomes a margin of the content.
 * @param content what grows in the scroller.
 */
export function holdPlace(scroller: HTMLElement, content: HTMLElement, change: () => void): void {
  const held = itemInSight(scroller);
  let wanted = held?.getBoundingClientRect().top ?? 0;
  let { scrollTop } = scroller;
  let framesLeft = QUIET_FRAMES;
  function settle(): void {
    if (!held?.isConnected) return;
    // The user may scroll meanwhile.
    const scrolled = scroller.scrollTop - scrollTop;
    if (scrolled === 0) framesLeft = QUIET_FRAMES;
    wanted -= scrolled;
    const off = held.getBoundingClientRect().top - wanted;
    // Another hold may have set it since.
    const margin = Number.parseFloat(content.style.marginTop) || 0;
    const pixels = Math.ceil(off - margin);
    content.style.marginTop = `${margin + pixels - off}px`;
    scroller.scrollTop += pixels;
    ({ scrollTop } = scroller);
  }
  function rest(): void {
    framesLeft -= 1;
    if (framesLeft > 0) {
      requestAnimationFrame(rest);
      return;
    }
    resized.disconnect();
    scroller.style.removeProperty("overflow-anchor");
  }
  // At the very top the browser holds nothing, and elsewhere it would do so a second time.
  scroller.style.setProperty("overflow-anchor", "none");
  change();
  settle();
  // What comes into sight for the first time gets its true height in one of the next frames, between layout and paint, and may
  // bring more into sight.
  const resized = new ResizeObserver(settle);
  resized.observe(content);
  requestAnimationFrame(rest);
}

/** The first item that is seen. Asked for by place: what is far from the screen would be laid out to be asked itself. */
function itemInSight(scroller: HTMLElement): Element | undefined {
  const { left, top, width, bottom } = scroller.getBoundingClientRect();
  for (let y = top + 1; y < bottom; y += STEP_PX) {
    const item = document.elementFromPoint(left + width / 2, y)?.closest(".item");
    if (item && scroller.contains(item)) return item;
  }
  return undefined;
}
