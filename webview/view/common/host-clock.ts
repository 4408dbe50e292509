/** How far the host's clock is ahead of this machine's, in ms. */
let ahead = 0;

/** Takes what time it is at the host. */
export function setHostTime(now: number): void {
  ahead = now - Date.now();
}

/** What time it is at the host, which may be another machine: what it says of times is by its clock. */
export function hostNow(): number {
  return Date.now() + ahead;
}
