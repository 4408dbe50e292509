/** The ID of an entry and of its parent. */
export interface Link {
  id: string;
  parentId: string | null;
}

/**
 * Hangs the entries of a session file on each other, in the order of the file. Where the entry that another one names as its parent is missing,
 * because its line was lost, the entry before it takes that place; so everything that came before stays on the way to the newest. Entries that
 * name the same lost one stay beside each other. An id that was taken before gets a number, the same one at each reading.
 */
export class EntryChain<Entry> {
  /** The newest entry for each id as the file has it, and the id that it has here. */
  readonly #entries = new Map<string, { entry: Entry; id: string; count: number }>();
  readonly #lost = new Map<string, { parentId: string | null; firstChild: string }>();
  #last: string | null = null;

  /** Returns how many entries are named as parents and are missing. */
  get lostCount(): number {
    return this.#lost.size;
  }

  /** Returns the newest entry with an id, as it was given. */
  entry(id: string): Entry | undefined {
    return this.#entries.get(id)?.entry;
  }

  /** Returns the id that the newest entry for an id has here, or, when that one was lost, the id of the first that hung on it. */
  present(id: string): string {
    return this.#entries.get(id)?.id ?? this.#lost.get(id)?.firstChild ?? id;
  }

  /** Adds the next entry of the file. @returns its id and parent as they are here. */
  add(link: Link, entry: Entry): Link {
    const count = (this.#entries.get(link.id)?.count ?? 0) + 1;
    const id = count === 1 ? link.id : `${link.id}-${count}`;
    const parentId = this.#parentOf(link, id);
    this.#entries.set(link.id, { entry, id, count });
    this.#last = id;
    return { id, parentId };
  }

  #parentOf({ parentId }: Link, id: string): string | null {
    if (parentId === null) return null;
    const parent = this.#entries.get(parentId);
    if (parent !== undefined) return parent.id;
    const lost = this.#lost.get(parentId) ?? { parentId: this.#last, firstChild: id };
    this.#lost.set(parentId, lost);
    return lost.parentId;
  }
}
