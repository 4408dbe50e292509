import { AgentError } from "../protocol/errors.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import {
  type CustomEntry,
  type KnownSessionEntry,
  SESSION_VERSION,
  type SessionEntry,
  type SessionHeader,
} from "../protocol/session-entries.ts";
import { uuidv7 } from "../util/ids.ts";
import { buildContext, choicesOf, type SessionChoices } from "./context.ts";
import { type CompactionBody, type EntryBody, messageBody } from "./entry-body.ts";
import { EntryTree, userMessages } from "./entry-tree.ts";
import type { LoadedSession } from "./load.ts";
import { lockSession, type SessionLock } from "./lock.ts";
import { SessionFile } from "./store.ts";
import type { Label } from "./tree.ts";

interface ConversationOptions {
  cwd: string;
  /** Where the session is kept; undefined keeps it in memory. */
  file: string | undefined;
  id?: string | undefined;
  parentSession?: string | undefined;
  /** Called when an entry could not be written; the conversation goes on without it on disk. */
  onWriteError(error: unknown): void;
}

/**
 * A saved conversation: the tree of entries, the file behind it and the context that the model sees. Nothing is put on disk before
 * the first user message; from then on each entry is one write.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #header: SessionHeader;
  readonly #tree = new EntryTree();
  #messages: AgentMessage[] = [];
  #freshFrom = 0;
  #name: string | undefined;
  #file: SessionFile | undefined;
  #lock: SessionLock | undefined;

  private constructor(options: ConversationOptions, header: SessionHeader) {
    this.#options = options;
    this.#header = header;
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

  /** A conversation that was read from `file`, to look at and to copy. Nothing may be added to it. */
  static view(options: ConversationOptions & { file: string }, loaded: LoadedSession): Conversation {
    const conversation = new Conversation(options, loaded.header);
    for (const { entry, known } of loaded.entries) conversation.#index(entry, known);
    conversation.#rebuildContext();
    return conversation;
  }

  /**
   * Goes on with a conversation that was read from `file`.
   * @throws AgentError session_locked while another process writes the file.
   */
  static resume(options: ConversationOptions & { file: string }, loaded: LoadedSession): Conversation {
    const lock = lockSession(options.file);
    try {
      const conversation = Conversation.view(options, loaded);
      conversation.#file = SessionFile.reopen(options.file, loaded);
      conversation.#lock = lock;
      return conversation;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /**
   * Copies the path from the root to `leafId` into a conversation of its own; entries keep their ids and times, names given
   * to them are given again.
   */
  static copyOf(source: Conversation, leafId: string | null, options: ConversationOptions): Conversation {
    const copy = Conversation.create(options);
    const path = source.#tree.rawPath(leafId);
    for (const entry of path) {
      if (entry.type === "label") continue;
      const known = source.known(entry.id);
      copy.#tree.adopt(entry, known);
      copy.#noticeName(known);
    }
    const labels = source.labels();
    for (const entry of path) {
      const named = labels.get(entry.id);
      if (named !== undefined) copy.#append({ type: "label", targetId: entry.id, label: named.label });
    }
    copy.#rebuildContext();
    if (options.file !== undefined && [...copy.#tree.allKnown()].some(isUserMessage))
      copy.#createFile(options.file, []);
    return copy;
  }

  get header(): SessionHeader {
    return this.#header;
  }

  get id(): string {
    return this.#header.id;
  }

  /** Absolute path of the session file; undefined when nothing is kept. */
  get file(): string | undefined {
    return this.#options.file;
  }

  get name(): string | undefined {
    return this.#name;
  }

  get leafId(): string | null {
    return this.#tree.leafId;
  }

  /** The context in order, as hosts see it. */
  get messages(): readonly AgentMessage[] {
    return this.#messages;
  }

  /** Position of the first message of the context that is newer than the last compaction. */
  get freshFrom(): number {
    return this.#freshFrom;
  }

  /** All entries in the order they were added, the header left out. */
  get entries(): readonly SessionEntry[] {
    return this.#tree.entries;
  }

  /** Whether a later process could open this conversation: it is on disk, or it never will be. */
  get isSaved(): boolean {
    return this.#options.file === undefined || this.#file !== undefined;
  }

  /** The entry with this id, if we understand it. */
  known(id: string): KnownSessionEntry | undefined {
    return this.#tree.known(id);
  }

  /** Every entry that we understand, also those of other branches, in the order they were added. */
  allKnown(): Iterable<KnownSessionEntry> {
    return this.#tree.allKnown();
  }

  /** The names that entries have now, by entry id. */
  labels(): Map<string, Label> {
    return this.#tree.labels();
  }

  /** Every user message with text, in the order they were added: the places to fork from. */
  userMessages(): { entryId: string; text: string }[] {
    return userMessages(this.#tree.allKnown());
  }

  /** The entries from the root to `leafId` that we understand; without one to the leaf. */
  path(leafId?: string | null): KnownSessionEntry[] {
    return this.#tree.path(leafId);
  }

  /** The model and level that the conversation was left with. */
  choices(): SessionChoices {
    return choicesOf(this.path());
  }

  appendMessage(message: AgentMessage): void {
    this.#messages.push(message);
    const body = messageBody(message);
    if (body !== undefined) this.#append(body);
  }

  /** Puts a summary in place of everything before its `firstKeptEntryId`. @returns whether it could be written. */
  appendCompaction(compaction: CompactionBody): boolean {
    const isWritten = this.#append({ type: "compaction", ...compaction });
    if (isWritten) this.#rebuildContext();
    return isWritten;
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

  /** Keeps what an extension wants to find again; the model does not see it. @returns undefined when it could not be written. */
  appendCustom(customType: string, data: unknown): CustomEntry | undefined {
    if (!this.#append({ type: "custom", customType, data })) return undefined;
    const entry = this.leafId === null ? undefined : this.known(this.leafId);
    return entry?.type === "custom" ? entry : undefined;
  }

  /** Names an entry, or takes its name away. @throws AgentError not_found without such an entry. */
  setLabel(targetId: string, label: string | undefined): void {
    if (!this.#tree.has(targetId)) throw new AgentError("not_found", `Entry not found: ${targetId}`);
    this.#append({ type: "label", targetId, ...(label === undefined ? {} : { label }) });
  }

  setName(name: string): void {
    this.#name = name;
    this.#append({ type: "session_info", name });
  }

  /** Ends the writing; the conversation can still be read. */
  close(): void {
    this.#file?.close();
    this.#file = undefined;
    this.#lock?.release();
    this.#lock = undefined;
  }

  #rebuildContext(): void {
    ({ messages: this.#messages, freshFrom: this.#freshFrom } = buildContext(this.path()));
  }

  #append(body: EntryBody): boolean {
    const entry = this.#tree.next(body);
    try {
      this.#write(entry);
    } catch (error) {
      this.#options.onWriteError(error);
      return false;
    }
    this.#index(entry, entry);
    return true;
  }

  #write(entry: KnownSessionEntry): void {
    if (this.#file !== undefined) {
      this.#file.append(entry);
    } else if (this.#options.file !== undefined && isUserMessage(entry)) {
      this.#createFile(this.#options.file, [entry]);
    }
  }

  #createFile(path: string, behind: readonly KnownSessionEntry[]): void {
    this.#lock ??= lockSession(path);
    this.#file = SessionFile.create(path, [this.#header, ...this.entries, ...behind]);
  }

  #index(entry: SessionEntry, known: KnownSessionEntry | undefined): void {
    this.#tree.add(entry, known);
    this.#noticeName(known);
  }

  #noticeName(entry: KnownSessionEntry | undefined): void {
    if (entry?.type === "session_info") this.#name = entry.name || undefined;
  }
}

function isUserMessage(entry: KnownSessionEntry): boolean {
  return entry.type === "message" && entry.message.role === "user";
}
