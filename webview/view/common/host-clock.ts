/** The lead of the host's clock over this machine's, in ms. */
let ahead = 0;

/** Takes what time it is at the host. */
export function setHostTime(now: number): void {
  ahead = now - Date.now();
}

/** Returns the time of the host, which may be another machine: times in its messages are by its clock. */
export function hostNow(): number {
  return Date.now() + ahead;
}
