/** The ID of an entry and of its parent. */
export interface Link {
  id: string;
  parentId: string | null;
}

/**
 * Links the entries of a session file in the order of the file. If the parent of an entry is missing because its line
 * was lost, the entry before it becomes its parent, so that all earlier entries stay on the path to the newest one.
 * Entries with the same lost parent stay siblings. A repeated id gets a number, the same one at each reading.
 */
export class EntryChain<Entry> {
  /** The newest entry for each id in the file, and its id here. */
  readonly #entries = new Map<string, { entry: Entry; id: string; count: number }>();
  readonly #lost = new Map<string, { parentId: string | null; firstChild: string }>();
  #last: string | null = null;

  /** The number of missing entries that others name as their parent. */
  get lostCount(): number {
    return this.#lost.size;
  }

  /** Returns the newest entry with an id of the file. */
  entry(id: string): Entry | undefined {
    return this.#entries.get(id)?.entry;
  }

  /**
   * Returns the id here of the newest entry with an id of the file, or, if that entry was lost, the id of its first
   * child.
   */
  present(id: string): string {
    return this.#entries.get(id)?.id ?? this.#lost.get(id)?.firstChild ?? id;
  }

  /** Adds the next entry of the file. @returns its id and parent here. */
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
