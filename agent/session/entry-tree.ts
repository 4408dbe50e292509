import { AgentError } from "../protocol/errors.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { Usage } from "../protocol/model.ts";
import {
  type KnownSessionEntry,
  SAMPLING_ENTRY_TYPE,
  SamplingCost,
  type SessionEntry,
} from "../protocol/session-entries.ts";
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

  /** The parent of the next entry; null before the first. */
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

  /** Returns the entry with this id, if its kind is known. */
  known(id: string): KnownSessionEntry | undefined {
    return this.#known.get(id);
  }

  /** Returns every entry of a known kind, in the order they were added. */
  allKnown(): Iterable<KnownSessionEntry> {
    return this.#known.values();
  }

  /** Returns the entries from the root to `leafId`, including those of unknown kinds. */
  rawPath(leafId: string | null = this.#leafId): SessionEntry[] {
    return pathTo(leafId, this.#byId);
  }

  /** Returns the entries of known kinds from the root to `leafId`. */
  path(leafId: string | null = this.#leafId): KnownSessionEntry[] {
    return this.rawPath(leafId)
      .map(({ id }) => this.#known.get(id))
      .filter((entry) => entry !== undefined);
  }

  /** Returns the current names of entries, by entry id. */
  labels(): Map<string, Label> {
    return currentLabels(this.#known.values());
  }

  /** Returns an entry for the leaf without adding it. */
  next<Body extends EntryBody>(body: Body): Body & { id: string; parentId: string | null; timestamp: string } {
    const id = entryId((candidate) => this.#byId.has(candidate));
    return { ...body, id, parentId: this.#leafId, timestamp: new Date().toISOString() };
  }

  /** Adds an entry to its parent and makes it the leaf. */
  add(entry: SessionEntry, known: KnownSessionEntry | undefined): void {
    this.#entries.push(entry);
    this.#byId.set(entry.id, entry);
    this.#leafId = entry.id;
    if (known !== undefined) this.#known.set(entry.id, known);
  }

  /**
   * Continues from another entry, or, with null, from before the first. @throws AgentError not_found without such an
   * entry.
   */
  moveTo(leafId: string | null): void {
    if (leafId !== null && !this.#byId.has(leafId)) throw new AgentError("not_found", `Entry not found: ${leafId}`);
    this.#leafId = leafId;
  }

  /**
   * Adds an entry of another tree at the leaf; the children of an omitted entry get the entry before it as their
   * parent.
   */
  adopt(entry: SessionEntry, known: KnownSessionEntry | undefined): void {
    const parentId = this.#leafId;
    this.add({ ...entry, parentId }, known === undefined ? undefined : { ...known, parentId });
  }
}

/** Returns every user message with text, in the order they were added: the points to fork from. */
export function userMessages(entries: Iterable<KnownSessionEntry>): { entryId: string; text: string }[] {
  return [...entries].flatMap((entry) => {
    if (entry.type !== "message" || entry.message.role !== "user") return [];
    const text = textOf(entry.message);
    return text === "" ? [] : [{ entryId: entry.id, text }];
  });
}

/** Yields all messages, including those of other branches and from before a compaction. */
export function* allMessages(entries: Iterable<KnownSessionEntry>): Generator<AgentMessage> {
  for (const entry of entries) {
    if (entry.type === "message") yield entry.message;
  }
}

/** Returns the usage of a request that added no message: for a summary or a name, or by an MCP server. */
export function besideUsage(entry: KnownSessionEntry): Usage | undefined {
  if (entry.type === "compaction" || entry.type === "branch_summary" || entry.type === "session_info")
    return entry.usage;
  const isSampling = entry.type === "custom" && entry.customType === SAMPLING_ENTRY_TYPE;
  return isSampling ? SamplingCost.safeParse(entry.data).data?.usage : undefined;
}

/** Yields the usage of all requests that added no message. */
export function* summaryUsages(entries: Iterable<KnownSessionEntry>): Generator<Usage> {
  for (const entry of entries) {
    const usage = besideUsage(entry);
    if (usage !== undefined) yield usage;
  }
}
