/** Places that are looked at for something to hold on to lie so far from each other, in CSS pixels. */
const STEP_PX = 8;

/** Changes what is above or below the item that the user reads, which does not move by a pixel. @param content what grows in the scroller. */
export function holdPlace(scroller: HTMLElement, content: HTMLElement, change: () => void): void {
  const held = itemInSight(scroller);
  let wanted = held?.getBoundingClientRect().top ?? 0;
  let { scrollTop } = scroller;
  function settle(): void {
    if (!held?.isConnected) return;
    // The user may scroll meanwhile.
    wanted -= scroller.scrollTop - scrollTop;
    scroller.scrollTop += held.getBoundingClientRect().top - wanted;
    ({ scrollTop } = scroller);
  }
  // At the very top the browser holds nothing, and elsewhere it would do so a second time.
  scroller.style.setProperty("overflow-anchor", "none");
  change();
  settle();
  // What comes into sight for the first time gets its true height in the next frames, between layout and paint.
  const resized = new ResizeObserver(settle);
  resized.observe(content);
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      resized.disconnect();
      scroller.style.removeProperty("overflow-anchor");
    }),
  );
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
