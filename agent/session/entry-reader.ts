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

  /** Returns the entry with this id, if its kind is known. */
  known(id: string): KnownSessionEntry | undefined {
    return this.tree.known(id);
  }

  /** Returns every entry of a known kind, including those of other branches, in the order they were added. */
  allKnown(): Iterable<KnownSessionEntry> {
    return this.tree.allKnown();
  }

  /** Returns the current names of entries, by entry id. */
  labels(): Map<string, Label> {
    return this.tree.labels();
  }

  /** Returns every user message with text, in the order they were added: the points to fork from. */
  userMessages(): { entryId: string; text: string }[] {
    return userMessages(this.tree.allKnown());
  }

  /** Returns the entries of known kinds from the root to `leafId`, or to the leaf without one. */
  path(leafId?: string | null): KnownSessionEntry[] {
    return this.tree.path(leafId);
  }

  /** Like `path`, including the entries of unknown kinds. */
  rawPath(leafId?: string | null): SessionEntry[] {
    return this.tree.rawPath(leafId);
  }

  /** Returns the model and level at the end of the conversation. */
  choices(): SessionChoices {
    return choicesOf(this.path());
  }
}
