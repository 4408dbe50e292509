/** Number of entries in a group. An array that grows to 100,000 pauses for some milliseconds when it is copied. */
const GROUP_SIZE = 4_096;

/**
 * Entries in the order in which they came. Those that come together lie together in memory, so that going through them is several times faster than
 * going through a map in the order of its hashes.
 */
export class EntryList<Entry extends { readonly isGone: boolean }> {
  #groups: Entry[][] = [];
  #count = 0;
  #goneCount = 0;

  /** The entries, also those that are gone. What is added meanwhile may be missed. */
  get groups(): readonly (readonly Entry[])[] {
    return this.#groups;
  }

  add(entry: Entry): void {
    const last = this.#groups.at(-1);
    if (last !== undefined && last.length < GROUP_SIZE) last.push(entry);
    else this.#groups.push([entry]);
    this.#count += 1;
  }

  /** Must be called once for each entry that is gone now: when most of them are, the list forgets them. */
  countGone(): void {
    this.#goneCount += 1;
    if (this.#goneCount * 2 <= this.#count || this.#count < GROUP_SIZE) return;
    const left = this.#groups.map((group) => group.filter(({ isGone }) => !isGone));
    this.#groups = left.filter(({ length }) => length > 0);
    this.#count -= this.#goneCount;
    this.#goneCount = 0;
  }

  clear(): void {
    this.#groups = [];
    this.#count = 0;
    this.#goneCount = 0;
  }

  /** Goes through the entries that are not gone. */
  *values(): IterableIterator<Entry> {
    for (const group of this.#groups) {
      for (const entry of group) if (!entry.isGone) yield entry;
    }
  }
}
