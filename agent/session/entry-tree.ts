import { AgentError } from "../protocol/errors.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { Usage } from "../protocol/model.ts";
import type { KnownSessionEntry, SessionEntry } from "../protocol/session-entries.ts";
import { entryId } from "../util/ids.ts";
import { pathTo } from "./context.ts";
import type { EntryBody } from "./entry-body.ts";
import { textOf } from "./message-text.ts";
import { currentLabels, type Label } from "./tree.ts";

/** The entries of a session in memory, and the place where the next one is attached. Entries are only ever added. */
export class EntryTree {
  readonly #entries: SessionEntry[] = [];
  readonly #known = new Map<string, KnownSessionEntry>();
  readonly #byId = new Map<string, SessionEntry>();
  #leafId: string | null = null;

  /** The entry that the next one hangs on; null before the first. */
  get leafId(): string | null {
    return this.#leafId;
  }

  /** All entries in the order they were added. */
  get entries(): readonly SessionEntry[] {
    return this.#entries;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** The entry with this id, if we understand it. */
  known(id: string): KnownSessionEntry | undefined {
    return this.#known.get(id);
  }

  /** Every entry that we understand, in the order they were added. */
  allKnown(): Iterable<KnownSessionEntry> {
    return this.#known.values();
  }

  /** The entries from the root to `leafId`, also those that we do not understand. */
  rawPath(leafId: string | null = this.#leafId): SessionEntry[] {
    return pathTo(leafId, this.#byId);
  }

  /** The entries from the root to `leafId` that we understand. */
  path(leafId: string | null = this.#leafId): KnownSessionEntry[] {
    return this.rawPath(leafId)
      .map(({ id }) => this.#known.get(id))
      .filter((entry) => entry !== undefined);
  }

  /** The names that entries have now, by entry id. */
  labels(): Map<string, Label> {
    return currentLabels(this.#known.values());
  }

  /** An entry for the leaf; it is not added yet. */
  next<Body extends EntryBody>(body: Body): Body & { id: string; parentId: string | null; timestamp: string } {
    const id = entryId((candidate) => this.#byId.has(candidate));
    return { ...body, id, parentId: this.#leafId, timestamp: new Date().toISOString() };
  }

  /** Adds an entry where it says; it is the leaf then. */
  add(entry: SessionEntry, known: KnownSessionEntry | undefined): void {
    this.#entries.push(entry);
    this.#byId.set(entry.id, entry);
    this.#leafId = entry.id;
    if (known !== undefined) this.#known.set(entry.id, known);
  }

  /** Goes on from another entry; with null from before the first. @throws AgentError not_found without such an entry. */
  moveTo(leafId: string | null): void {
    if (leafId !== null && !this.#byId.has(leafId)) throw new AgentError("not_found", `Entry not found: ${leafId}`);
    this.#leafId = leafId;
  }

  /** Adds an entry of another tree at the leaf; what hung on an entry that was left out hangs on the one before it. */
  adopt(entry: SessionEntry, known: KnownSessionEntry | undefined): void {
    const parentId = this.#leafId;
    this.add({ ...entry, parentId }, known === undefined ? undefined : { ...known, parentId });
  }
}

/** Every user message with text, in the order they were added: the places to fork from. */
export function userMessages(entries: Iterable<KnownSessionEntry>): { entryId: string; text: string }[] {
  return [...entries].flatMap((entry) => {
    if (entry.type !== "message" || entry.message.role !== "user") return [];
    const text = textOf(entry.message);
    return text === "" ? [] : [{ entryId: entry.id, text }];
  });
}

/** All messages, also those of other branches and from before a compaction. */
export function* allMessages(entries: Iterable<KnownSessionEntry>): Generator<AgentMessage> {
  for (const entry of entries) {
    if (entry.type === "message") yield entry.message;
  }
}

/** The cost of all summaries. */
export function* summaryUsages(entries: Iterable<KnownSessionEntry>): Generator<Usage> {
  for (const entry of entries) {
    if ((entry.type === "compaction" || entry.type === "branch_summary") && entry.usage) yield entry.usage;
  }
}
