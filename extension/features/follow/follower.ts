/** Whether the agent is followed; `paused` while the user is at work where it is shown. */
export type FollowState = "off" | "on" | "paused";

/** Places come no faster than this, in milliseconds; of those in between only the last is shown. */
const INTERVAL_MS = 200;

interface FollowerParts<T> {
  /** Shows a place. What goes wrong is the shower's to tell: it never rejects. */
  show(place: T): Promise<void>;
  changed(state: FollowState): void;
  /** Default 200. */
  readonly intervalMs?: number;
}

/** Decides which of the places that the agent comes by is shown, and when. One is shown at a time. */
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

  /** Off to on, and on to off; who follows with a pause goes on at once. */
  toggle(): void {
    this.#set(this.#state === "on" ? "off" : "on");
  }

  /** The agent is there now. What it did while nobody followed is the first that is shown when somebody does again. */
  arrive(place: T): void {
    this.#next = place;
    this.#go();
  }

  /** A run has begun: a pause is over, and where the agent was before is of no interest. */
  begin(): void {
    this.#next = undefined;
    if (this.#state === "paused") this.#set("on");
  }

  /** The user types or scrolls where the agent is shown, or has closed it. */
  pause(): void {
    if (this.#state === "on") this.#set("paused");
  }

  /** The user has gone elsewhere. */
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
