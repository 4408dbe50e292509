/** By element, which may go away unseen. */
const jobs = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | undefined;

/** The distance from the window within which an element counts as visible. */
const MARGIN = "200px";

/** Calls `job` once, when `element` comes near the part of the page that is seen. Another job for the same element takes its place. */
export function whenSeen(element: Element, job: () => void): void {
  observer ??= new IntersectionObserver(take, { rootMargin: MARGIN });
  jobs.set(element, job);
  // Observed anew, it also tells of what stands there already.
  observer.unobserve(element);
  observer.observe(element);
}

function take(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    observer?.unobserve(target);
    jobs.get(target)?.();
    jobs.delete(target);
  }
}
