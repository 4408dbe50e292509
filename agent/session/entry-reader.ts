import type { AgentMessage } from "../protocol/messages.ts";
import type { KnownSessionEntry, SessionEntry } from "../protocol/session-entries.ts";
import { choicesOf, type SessionChoices, type SessionContext } from "./context.ts";
import { withEdits } from "./context-edits.ts";
import { EntryTree, userMessages } from "./entry-tree.ts";
import { withNotes } from "./pruned-results.ts";
import type { Label } from "./tree.ts";

/** A reader of a conversation's entries, and of the context that the model sees. */
export class EntryReader {
  protected readonly tree = new EntryTree();
  protected context: SessionContext = { messages: [], freshFrom: 0, pruned: new Map(), edits: new Map() };

  /** The context in order, as hosts see it. */
  get messages(): readonly AgentMessage[] {
    return this.context.messages;
  }

  /** The context that is sent to the model, with edits applied and notes in place of pruned tool results. */
  get sent(): readonly AgentMessage[] {
    const { messages, edits, pruned } = this.context;
    return withNotes(withEdits(messages, edits), pruned);
  }

  /** The position in the context of the first message after the last compaction, pruning, or edit. */
  get freshFrom(): number {
    return this.context.freshFrom;
  }

  /** True if the context lacks something that was said. */
  get isCut(): boolean {
    return this.context.messages[0]?.role === "compactionSummary" || this.context.pruned.size > 0;
  }

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

  /** Returns the entry of a recently added message. */
  entryOf(message: AgentMessage): KnownSessionEntry | undefined {
    for (let id = this.leafId; id !== null; id = this.known(id)?.parentId ?? null) {
      const entry = this.known(id);
      if (entry?.type === "message" && entry.message === message) return entry;
    }
    return undefined;
  }

  /** Returns the model and level at the end of the conversation. */
  choices(): SessionChoices {
    return choicesOf(this.path());
  }
}
