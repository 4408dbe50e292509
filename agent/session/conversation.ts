import { AgentError } from "../protocol/errors.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import {
  type BranchSummaryEntry,
  type CompactionEntry,
  type ContextEditEntry,
  type CustomEntry,
  type KnownSessionEntry,
  PRUNING_ENTRY_TYPE,
  SESSION_VERSION,
  type SessionEntry,
  type SessionHeader,
} from "../protocol/session-entries.ts";
import { SeenFiles } from "../tools/seen-files.ts";
import { uuidv7 } from "../util/ids.ts";
import { buildContext } from "./context.ts";
import { ConversationFile } from "./conversation-file.ts";
import {
  type BranchSummaryBody,
  type CompactionBody,
  type EntryBody,
  messageBody,
  type NameCost,
} from "./entry-body.ts";
import { EntryReader } from "./entry-reader.ts";
import { rescue } from "./kept-copies.ts";
import type { LoadedSession } from "./load.ts";
import { lockSession } from "./lock.ts";
import type { PrunedResult } from "./pruned-results.ts";

interface ConversationOptions {
  cwd: string;
  /** The session's file; undefined keeps it in memory. */
  file: string | undefined;
  id?: string | undefined;
  parentSession?: string | undefined;
  /** Called when an entry can't be written; the conversation continues without it on disk. */
  onWriteError(error: unknown): void;
}

/**
 * A saved conversation: the tree of entries, its file and the context that the model sees. Writes nothing before the
 * first user message; from then on, each entry is one write.
 */
export class Conversation extends EntryReader {
  /** The files that the model has seen in it, as far as this process knows. */
  readonly seenFiles = new SeenFiles();
  readonly #options: ConversationOptions;
  readonly #header: SessionHeader;
  #name: string | undefined;
  readonly #file: ConversationFile;
  /** Entries that aren't in the file yet. */
  #unsaved: KnownSessionEntry[] = [];

  private constructor(options: ConversationOptions, header: SessionHeader) {
    super();
    this.#options = options;
    this.#header = header;
    this.#file = new ConversationFile(options.file);
    this.#name = header.title;
  }

  static create(options: ConversationOptions): Conversation {
    return new Conversation(options, {
      type: "session",
      version: SESSION_VERSION,
      id: options.id ?? uuidv7(),
      timestamp: new Date().toISOString(),
      cwd: options.cwd,
      ...(options.parentSession === undefined ? {} : { parentSession: options.parentSession }),
    });
  }

  /** Returns a conversation from `file` for reading and copying. Nothing may be added to it. */
  static view(options: ConversationOptions & { file: string }, loaded: LoadedSession): Conversation {
    const conversation = new Conversation(options, loaded.header);
    for (const { entry, known } of loaded.entries) conversation.#index(entry, known);
    conversation.#rebuildContext();
    return conversation;
  }

  /**
   * Continues a conversation from `file`. Copies a damaged file and adds a notice to the conversation, which is written
   * with the next entry.
   * @throws AgentError session_locked while another process writes the file.
   */
  static resume(options: ConversationOptions & { file: string }, loaded: LoadedSession): Conversation {
    const lock = lockSession(options.file);
    try {
      const conversation = Conversation.view(options, loaded);
      const { end, notice } = rescue(options.file, loaded, conversation.allKnown());
      conversation.#file.resume(options.file, end, lock);
      if (notice !== undefined) conversation.#addUnsaved(notice);
      return conversation;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Copies the path from the root to `leafId` into a new conversation. Entries keep their ids, times, and names. */
  static copyOf(source: Conversation, leafId: string | null, options: ConversationOptions): Conversation {
    const copy = Conversation.create(options);
    const path = source.tree.rawPath(leafId);
    for (const entry of path) {
      if (entry.type === "label") continue;
      const known = source.known(entry.id);
      copy.tree.adopt(entry, known);
      copy.#noticeName(known);
    }
    const labels = source.labels();
    for (const entry of path) {
      const named = labels.get(entry.id);
      if (named !== undefined) copy.#append({ type: "label", targetId: entry.id, label: named.label });
    }
    copy.#rebuildContext();
    copy.#file.begin(copy.allKnown(), () => copy.#lines());
    return copy;
  }

  get header(): SessionHeader {
    return this.#header;
  }

  get id(): string {
    return this.#header.id;
  }

  /** Absolute path of the session file; undefined for a conversation in memory. */
  get file(): string | undefined {
    return this.#file.path;
  }

  get name(): string | undefined {
    return this.#name;
  }

  /** True if a later process could open this conversation: it is on disk, or it never will be. */
  get isSaved(): boolean {
    return this.#file.isSaved;
  }

  appendMessage(message: AgentMessage): void {
    this.context.messages.push(message);
    const body = messageBody(message);
    if (body !== undefined) this.#append(body);
  }

  /** Replaces everything before its `firstKeptEntryId` with a summary. @returns undefined if it can't be written. */
  appendCompaction(compaction: CompactionBody): CompactionEntry | undefined {
    const entry = this.#append({ type: "compaction", ...compaction });
    if (entry !== undefined) this.#rebuildContext();
    return entry?.type === "compaction" ? entry : undefined;
  }

  /**
   * Continues from another entry, or, with null, from before the first; all entries stay in the tree.
   * @throws AgentError not_found without such an entry.
   */
  moveTo(leafId: string | null): void {
    this.tree.moveTo(leafId);
    this.#rebuildContext();
  }

  /**
   * Continues from another entry, with a summary of the abandoned branch. @returns undefined if the summary can't be
   * written; the conversation then doesn't move.
   */
  moveWithSummary(leafId: string | null, summary: BranchSummaryBody): BranchSummaryEntry | undefined {
    const fromId = this.leafId;
    this.tree.moveTo(leafId);
    const entry = this.#append({ type: "branch_summary", fromId: fromId ?? "root", ...summary });
    if (entry === undefined) this.tree.moveTo(fromId);
    this.#rebuildContext();
    return entry?.type === "branch_summary" ? entry : undefined;
  }

  appendModelChange(model: Model): void {
    this.#append({
      type: "model_change",
      provider: model.provider,
      modelId: model.id,
      model: `${model.provider}/${model.id}`,
      role: "default",
    });
  }

  appendThinkingLevelChange(thinkingLevel: ThinkingLevel): void {
    this.#append({ type: "thinking_level_change", thinkingLevel });
  }

  /** Stores data of an extension, which the model doesn't see. @returns undefined when it could not be written. */
  appendCustom(customType: string, data: unknown): CustomEntry | undefined {
    const entry = this.#append({ type: "custom", customType, data });
    return entry?.type === "custom" ? entry : undefined;
  }

  /** Replaces tool results with notes from now on. @returns undefined if that can't be written; nothing then changes. */
  prune(results: readonly PrunedResult[]): CustomEntry | undefined {
    const entry = this.appendCustom(PRUNING_ENTRY_TYPE, { results });
    if (entry !== undefined) this.#rebuildContext();
    return entry;
  }

  /** Changes an earlier message in the model's view. @returns undefined if the edit can't be written; then nothing changes. */
  editContext(targetId: string, replacement: ContextEditEntry["replacement"]): ContextEditEntry | undefined {
    const entry = this.#append({ type: "context_edit", targetId, replacement });
    if (entry !== undefined) this.#rebuildContext();
    return entry?.type === "context_edit" ? entry : undefined;
  }

  /** Names an entry, or removes its name. @throws AgentError not_found without such an entry. */
  setLabel(targetId: string, label: string | undefined): void {
    if (!this.tree.has(targetId)) throw new AgentError("not_found", `Entry not found: ${targetId}`);
    this.#append({ type: "label", targetId, ...(label === undefined ? {} : { label }) });
  }

  setName(name: string, cost: NameCost = {}): void {
    this.#name = name;
    this.#append({ type: "session_info", name, ...cost });
  }

  /** Adds an entry of any kind at the leaf while the conversation is held back. @returns its id. */
  add(body: EntryBody): string {
    if (!this.#file.isHeldBack) throw new Error("Only a conversation that is held back takes entries of any kind.");
    const entry = this.tree.next(body);
    this.#index(entry, entry);
    this.#rebuildContext();
    return entry.id;
  }

  /** Keeps everything in memory until `publish`. */
  holdBack(): void {
    this.#file.holdBack();
  }

  /** Writes the conversation to disk, and later entries as usual. */
  publish(): void {
    try {
      this.#file.begin(this.allKnown(), () => this.#lines());
    } catch (error) {
      this.#options.onWriteError(error);
    }
  }

  /** Writes a conversation in memory to a file. @throws the error of writing; the conversation then stays in memory. */
  keepIn(path: string): void {
    this.#file.keepIn(path, this.allKnown(), () => this.#lines());
  }

  /** Keeps the context of another conversation for the model, until the next move or compaction. */
  continueContextOf(other: Conversation): void {
    this.context = { ...other.context, messages: [...other.messages] };
  }

  /** Stops writing; the conversation can still be read. */
  close(): void {
    this.#file.close();
  }

  /** Adds an entry that is written together with the next one, because reading a file must not change it. */
  #addUnsaved(body: EntryBody): void {
    const entry = this.tree.next(body);
    this.#unsaved.push(entry);
    this.#index(entry, entry);
    this.#rebuildContext();
  }

  #rebuildContext(): void {
    this.context = buildContext(this.path());
  }

  /** @returns undefined if the entry can't be written; it is then not added. */
  #append(body: EntryBody): KnownSessionEntry | undefined {
    const entry = this.tree.next(body);
    try {
      for (const line of [...this.#unsaved, entry]) this.#file.append(line, () => this.#lines());
      this.#unsaved = [];
    } catch (error) {
      this.#options.onWriteError(error);
      return undefined;
    }
    this.#index(entry, entry);
    return entry;
  }

  #lines(): readonly unknown[] {
    return [this.#header, ...this.entries];
  }

  #index(entry: SessionEntry, known: KnownSessionEntry | undefined): void {
    this.tree.add(entry, known);
    this.#noticeName(known);
  }

  #noticeName(entry: KnownSessionEntry | undefined): void {
    if (entry?.type === "session_info") this.#name = entry.name || undefined;
  }
}
