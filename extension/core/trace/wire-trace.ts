/** Where a line of the trace comes from: the agent, this side, or no wire at all but what the host did with the conversation. */
export type TraceDirection = "in" | "out" | "host";

/** One frame, or one note of the host's. */
export interface TraceEntry {
  /** Counts up from 1 over the life of the trace, also over those that have been dropped. */
  readonly seq: number;
  /** Unix ms: when it came, which is also the time that the conversation was told. */
  readonly at: number;
  readonly direction: TraceDirection;
  /** JSON as it went over the wire, with whatever secrets it holds; empty when it was too large to be kept. */
  readonly text: string;
  /** UTF-16 units of the frame, kept or not. */
  readonly size: number;
}

/** How much is kept. */
export interface TraceLimits {
  readonly isEnabled: boolean;
  /** UTF-16 units of all entries together. */
  readonly maxChars: number;
}

/** What an entry costs beside its text, in units of the limit. */
const ENTRY_COST = 64;
/** How many dropped entries may stand in front of the others before the list is made anew. */
const MAX_DEAD = 1_000;

/**
 * The last frames between this side and an agent, as they went over the wire: strings that were there anyway, held until newer ones push them
 * out. Secrets are taken out on the way to a view or a file, not here.
 */
export class WireTrace {
  readonly #now: () => number;
  #limits: TraceLimits;
  #entries: TraceEntry[] = [];
  #dead = 0;
  #chars = 0;
  #lastSeq = 0;
  #frameAt = 0;
  readonly #listeners = new Set<() => void>();

  constructor(limits: TraceLimits = { isEnabled: false, maxChars: 0 }, now: () => number = Date.now) {
    this.#limits = limits;
    this.#now = now;
  }

  /** When the last frame of the agent came, in Unix ms: the time for everything that is made of it. */
  get frameAt(): number {
    return this.#frameAt === 0 ? this.#now() : this.#frameAt;
  }

  get isEnabled(): boolean {
    return this.#limits.isEnabled;
  }

  get count(): number {
    return this.#entries.length - this.#dead;
  }

  /** How many entries had to go. */
  get dropped(): number {
    return this.#lastSeq - this.count;
  }

  /** UTF-16 units that are held, with what entries cost beside their texts. */
  get heldChars(): number {
    return this.#chars;
  }

  /** What does not fit any more is dropped at once. */
  configure(limits: TraceLimits): void {
    this.#limits = limits;
    this.#trim(limits.isEnabled ? limits.maxChars : 0);
    this.#tell();
  }

  /** Takes a line of the wire, before anything is made of it. */
  frame(direction: "in" | "out", text: string): void {
    const at = this.#now();
    if (direction === "in") this.#frameAt = at;
    if (this.#limits.isEnabled) this.#add(at, direction, text);
  }

  /** Takes what the host did. @param text gives the JSON; called only when it is kept. @returns the time that is kept with it. */
  note(text: () => string, at: number = this.#now()): number {
    if (this.#limits.isEnabled) this.#add(at, "host", text());
    return at;
  }

  /** The entries behind `seq`, oldest first, `max` of them at most. */
  after(seq: number, max = Number.POSITIVE_INFINITY): TraceEntry[] {
    const start = Math.max(this.#dead, this.#dead + seq - this.dropped);
    return this.#entries.slice(start, start + Math.min(max, this.#entries.length));
  }

  /** One entry; undefined when it was dropped. */
  entry(seq: number): TraceEntry | undefined {
    return this.after(seq - 1, 1).find((entry) => entry.seq === seq);
  }

  clear(): void {
    this.#trim(0);
    this.#tell();
  }

  /** Calls back after changes, in the middle of the streaming: do no work there. @returns ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #add(at: number, direction: TraceDirection, text: string): void {
    const { maxChars } = this.#limits;
    this.#lastSeq += 1;
    const isKept = text.length + ENTRY_COST <= maxChars;
    this.#entries.push({ seq: this.#lastSeq, at, direction, text: isKept ? text : "", size: text.length });
    this.#chars += (isKept ? text.length : 0) + ENTRY_COST;
    if (this.#chars > maxChars) this.#trim(maxChars);
    this.#tell();
  }

  #trim(maxChars: number): void {
    for (let first = this.#entries[this.#dead]; first !== undefined && this.#chars > maxChars; ) {
      this.#chars -= first.text.length + ENTRY_COST;
      this.#entries[this.#dead] = GONE;
      this.#dead += 1;
      first = this.#entries[this.#dead];
    }
    if (this.#dead < MAX_DEAD || this.#dead * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#dead);
    this.#dead = 0;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Stands where an entry was, so that its text can be forgotten at once. */
const GONE: TraceEntry = { seq: 0, at: 0, direction: "host", text: "", size: 0 };
