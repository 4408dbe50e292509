import type { AgentMessage } from "../protocol/messages.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import {
  type KnownSessionEntry,
  SESSION_VERSION,
  type SessionEntry,
  type SessionHeader,
} from "../protocol/session-entries.ts";
import { entryId, uuidv7 } from "../util/ids.ts";
import { buildContext, pathTo, type SessionContext } from "./context.ts";
import type { LoadedSession } from "./load.ts";
import { SessionFile } from "./store.ts";

/** An entry without what the conversation adds to it. */
type EntryBody = KnownSessionEntry extends infer Entry
  ? Entry extends KnownSessionEntry
    ? Omit<Entry, "id" | "parentId" | "timestamp">
    : never
  : never;

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
  readonly #entries: SessionEntry[] = [];
  readonly #known = new Map<string, KnownSessionEntry>();
  readonly #byId = new Map<string, SessionEntry>();
  #leafId: string | null = null;
  #messages: AgentMessage[] = [];
  #name: string | undefined;
  #file: SessionFile | undefined;

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

  /** Goes on with a conversation that was read from `file`. */
  static resume(options: ConversationOptions & { file: string }, loaded: LoadedSession): Conversation {
    const conversation = new Conversation(options, loaded.header);
    for (const { entry, known } of loaded.entries) conversation.#index(entry, known);
    conversation.#messages = conversation.restored().messages;
    conversation.#file = SessionFile.reopen(options.file, loaded);
    return conversation;
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
    return this.#leafId;
  }

  /** The context in order, as hosts see it. */
  get messages(): readonly AgentMessage[] {
    return this.#messages;
  }

  /** All entries in the order they were added, the header left out. */
  get entries(): readonly SessionEntry[] {
    return this.#entries;
  }

  /** All messages of the session, also those of other branches and from before a compaction. */
  *allMessages(): Generator<AgentMessage> {
    for (const entry of this.#known.values()) {
      if (entry.type === "message") yield entry.message;
    }
  }

  /** What the path to the leaf says: messages, model and thinking level. */
  restored(): SessionContext {
    const path = pathTo(this.#leafId, this.#byId);
    return buildContext(path.map(({ id }) => this.#known.get(id)).filter((entry) => entry !== undefined));
  }

  appendMessage(message: AgentMessage): void {
    this.#messages.push(message);
    const body = messageBody(message);
    if (body !== undefined) this.#append(body);
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

  setName(name: string): void {
    this.#name = name;
    this.#append({ type: "session_info", name });
  }

  /** Ends the writing; the conversation can still be read. */
  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #append(body: EntryBody): void {
    const id = entryId((candidate) => this.#byId.has(candidate));
    const entry = { ...body, id, parentId: this.#leafId, timestamp: new Date().toISOString() };
    try {
      this.#write(entry);
    } catch (error) {
      this.#options.onWriteError(error);
      return;
    }
    this.#index(entry, entry);
  }

  #write(entry: KnownSessionEntry): void {
    if (this.#file !== undefined) {
      this.#file.append(entry);
    } else if (this.#options.file !== undefined && isUserMessage(entry)) {
      this.#file = SessionFile.create(this.#options.file, [this.#header, ...this.#entries, entry]);
    }
  }

  #index(entry: SessionEntry, known: KnownSessionEntry | undefined): void {
    this.#entries.push(entry);
    this.#byId.set(entry.id, entry);
    this.#leafId = entry.id;
    if (known === undefined) return;
    this.#known.set(entry.id, known);
    if (known.type === "session_info") this.#name = known.name || undefined;
  }
}

function isUserMessage(entry: KnownSessionEntry): boolean {
  return entry.type === "message" && entry.message.role === "user";
}

function messageBody(message: AgentMessage): EntryBody | undefined {
  switch (message.role) {
    case "custom":
      return {
        type: "custom_message",
        customType: message.customType,
        content: message.content,
        display: message.display,
        ...(message.details === undefined ? {} : { details: message.details }),
      };
    case "compactionSummary":
    case "branchSummary":
      return undefined; // these stand for entries of their own
    default:
      return { type: "message", message };
  }
}
