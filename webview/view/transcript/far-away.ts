/** So many parts that went out of sight last stay laid out, since those who read go back and forth. */
const MAX_KEPT = 6;

/**
 * Makes the browser forget how parts of the page far from the screen were laid out: it keeps that for as long as they live, and it is most of
 * the memory of a long conversation. Their content and their height stay, and what comes near the screen is laid out again.
 * @param root holds elements that have `content-visibility: auto`.
 */
export function forgetFarAway(root: HTMLElement): void {
  /** Out of sight and laid out, longest ago first. */
  const kept = new Set<HTMLElement>();
  let isAsked = false;

  function forget(): void {
    isAsked = false;
    const far = [...kept].slice(0, -MAX_KEPT);
    for (const part of far) {
      kept.delete(part);
      part.style.display = "none";
    }
    // Reading a style puts it in force, and without a box there is no layout. Nothing is laid out in between, so nothing moves.
    const [one] = far;
    if (one) void getComputedStyle(one).display;
    for (const part of far) part.style.removeProperty("display");
  }

  root.addEventListener("contentvisibilityautostatechange", (event) => {
    const { target } = event;
    if (!(event instanceof ContentVisibilityAutoStateChangeEvent) || !(target instanceof HTMLElement)) return;
    kept.delete(target);
    if (!event.skipped) return;
    kept.add(target);
    if (isAsked || kept.size <= MAX_KEPT) return;
    isAsked = true;
    requestIdleCallback(forget, { timeout: 5_000 });
  });
}
