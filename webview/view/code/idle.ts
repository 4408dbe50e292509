/** So long work goes on when the browser found no idle moment for it, in ms: less than a frame, so that keys and scrolling are not held up. */
const FORCED_MS = 4;

/** Until when work that can be put off may go on in this call; a time of `performance.now()`. */
export function idleUntil(deadline: IdleDeadline): number {
  return performance.now() + (deadline.didTimeout ? FORCED_MS : deadline.timeRemaining());
}
