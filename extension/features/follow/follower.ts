/** The state of following; `paused` while the user works where the agent is shown. */
export type FollowState = "off" | "on" | "paused";

/** Minimum time between two places, in milliseconds; of those in between only the last is shown. */
const INTERVAL_MS = 200;

interface FollowerParts<T> {
  /** Shows a place. It must never reject, and reports its errors itself. */
  show(place: T): Promise<void>;
  changed(state: FollowState): void;
  /** Default 200. */
  readonly intervalMs?: number;
}

/** Decides which of the agent's places are shown, and when. One is shown at a time. */
export class Follower<T> {
  readonly #parts: FollowerParts<T>;
  #state: FollowState;
  #next: T | undefined;
  #isBusy = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(isOn: boolean, parts: FollowerParts<T>) {
    this.#state = isOn ? "on" : "off";
    this.#parts = parts;
  }

  get state(): FollowState {
    return this.#state;
  }

  /** Switches from on to off; from off or paused to on. */
  toggle(): void {
    this.#set(this.#state === "on" ? "off" : "on");
  }

  /** Notes the agent's present place. A place reached while off or paused is the first to be shown later. */
  arrive(place: T): void {
    this.#next = place;
    this.#go();
  }

  /** Notes the start of a run: ends a pause, and drops the place of the previous run. */
  begin(): void {
    this.#next = undefined;
    if (this.#state === "paused") this.#set("on");
  }

  /** Pauses, since the user types or scrolls where the agent is shown, or has closed it. */
  pause(): void {
    if (this.#state === "on") this.#set("paused");
  }

  /** Ends a pause, since the user has gone elsewhere. */
  resume(): void {
    if (this.#state === "paused") this.#set("on");
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#state = "off";
  }

  #set(state: FollowState): void {
    this.#state = state;
    this.#parts.changed(state);
    this.#go();
  }

  #go(): void {
    const place = this.#next;
    if (this.#state !== "on" || this.#isBusy || place === undefined) return;
    this.#next = undefined;
    this.#isBusy = true;
    void this.#parts.show(place).then(() => {
      this.#timer = setTimeout(() => {
        this.#isBusy = false;
        this.#go();
      }, this.#parts.intervalMs ?? INTERVAL_MS);
    });
  }
}
