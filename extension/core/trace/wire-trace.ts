/** The origin of an entry: the agent, this side, or a note of the host. */
export type TraceDirection = "in" | "out" | "host";

/** One frame, or one note of the host. */
export interface TraceEntry {
  /** Counts up from 1 over the life of the trace, including dropped entries. */
  readonly seq: number;
  /** Unix ms of its arrival, which is also the time used in the conversation. */
  readonly at: number;
  readonly direction: TraceDirection;
  /** JSON as sent over the wire, including any secrets; empty when it was too large to be kept. */
  readonly text: string;
  /** Length of the frame in UTF-16 units, kept or not. */
  readonly size: number;
}

/** Limits of the trace. */
export interface TraceLimits {
  readonly isEnabled: boolean;
  /** Maximum length of all entries together, in UTF-16 units. */
  readonly maxChars: number;
}

/** The cost of an entry in addition to its text, in UTF-16 units. */
const ENTRY_COST = 64;
/** Maximum number of dropped entries at the front of the list before it is compacted. */
const MAX_DEAD = 1_000;

/**
 * The last frames between this side and an agent, as sent over the wire: existing strings, kept until newer ones displace them. Secrets are
 * removed on the way to a view or a file, not here.
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

  /** The arrival of the agent's last frame, in Unix ms, which is the time of everything derived from it. */
  get frameAt(): number {
    return this.#frameAt === 0 ? this.#now() : this.#frameAt;
  }

  get isEnabled(): boolean {
    return this.#limits.isEnabled;
  }

  get count(): number {
    return this.#entries.length - this.#dead;
  }

  /** Number of dropped entries. */
  get dropped(): number {
    return this.#lastSeq - this.count;
  }

  /** Number of UTF-16 units held, including the fixed cost of entries. */
  get heldChars(): number {
    return this.#chars;
  }

  /** Sets the limits. Entries beyond them are dropped at once. */
  configure(limits: TraceLimits): void {
    this.#limits = limits;
    this.#trim(limits.isEnabled ? limits.maxChars : 0);
    this.#tell();
  }

  /** Adds a line of the wire before it is parsed. */
  frame(direction: "in" | "out", text: string): void {
    const at = this.#now();
    if (direction === "in") this.#frameAt = at;
    if (this.#limits.isEnabled) this.#add(at, direction, text);
  }

  /** Adds a note of the host. @param text returns the JSON; called only when it is kept. @returns the time of the entry. */
  note(text: () => string, at: number = this.#now()): number {
    if (this.#limits.isEnabled) this.#add(at, "host", text());
    return at;
  }

  /** Returns up to `max` entries after `seq`, oldest first. */
  after(seq: number, max = Number.POSITIVE_INFINITY): TraceEntry[] {
    const start = Math.max(this.#dead, this.#dead + seq - this.dropped);
    return this.#entries.slice(start, start + Math.min(max, this.#entries.length));
  }

  /** Returns one entry; undefined when it was dropped. */
  entry(seq: number): TraceEntry | undefined {
    return this.after(seq - 1, 1).find((entry) => entry.seq === seq);
  }

  clear(): void {
    this.#trim(0);
    this.#tell();
  }

  /** Calls back after changes, in the middle of streaming: do no work there. @returns a function that removes the listener. */
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

/** Replaces a dropped entry, so that its text is freed at once. */
const GONE: TraceEntry = { seq: 0, at: 0, direction: "host", text: "", size: 0 };
