import type { KnownSessionEntry, SessionEntry } from "../protocol/session-entries.ts";
import { choicesOf, type SessionChoices } from "./context.ts";
import { EntryTree, userMessages } from "./entry-tree.ts";
import type { Label } from "./tree.ts";

/** A reader of a conversation's entries. */
export class EntryReader {
  protected readonly tree = new EntryTree();

  get leafId(): string | null {
    return this.tree.leafId;
  }

  /** All entries in the order they were added, the header left out. */
  get entries(): readonly SessionEntry[] {
    return this.tree.entries;
  }

  has(id: string): boolean {
    return this.tree.has(id);
  }

  /** The entry with this id, if we understand it. */
  known(id: string): KnownSessionEntry | undefined {
    return this.tree.known(id);
  }

  /** Every entry that we understand, also those of other branches, in the order they were added. */
  allKnown(): Iterable<KnownSessionEntry> {
    return this.tree.allKnown();
  }

  /** The names that entries have now, by entry id. */
  labels(): Map<string, Label> {
    return this.tree.labels();
  }

  /** Every user message with text, in the order they were added: the places to fork from. */
  userMessages(): { entryId: string; text: string }[] {
    return userMessages(this.tree.allKnown());
  }

  /** The entries from the root to `leafId` that we understand; without one to the leaf. */
  path(leafId?: string | null): KnownSessionEntry[] {
    return this.tree.path(leafId);
  }

  /** As `path`, with the entries that we do not understand. */
  rawPath(leafId?: string | null): SessionEntry[] {
    return this.tree.rawPath(leafId);
  }

  /** The model and level that the conversation was left with. */
  choices(): SessionChoices {
    return choicesOf(this.path());
  }
}
