import type { InputContent } from "../protocol/content.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type {
  BranchSummaryEntry,
  KnownSessionEntry,
  SessionEntry,
  SessionHeader,
  SessionTreeNode,
} from "../protocol/session-entries.ts";
import type { MessageOfExtension, SendOptions, UserSendOptions } from "./send-options.ts";

/** What the model would see of a session, and what it was left with. */
export interface SessionContextView {
  messages: AgentMessage[];
  /** "off" when none was chosen. */
  thinkingLevel: string;
  model: { provider: string; modelId: string } | null;
}

/** The same with the entry that each message is from. */
export interface SessionProjection extends SessionContextView {
  entries: { sourceEntry: SessionEntry; messages: AgentMessage[] }[];
}

/** The session, to look at. It is always the present one. */
export interface SessionView {
  getCwd(): string;
  /** Where the session's file is, or would be. */
  getSessionDir(): string;
  getHeader(): SessionHeader;
  getSessionId(): string;
  /** Undefined when the session is kept in memory only. */
  getSessionFile(): string | undefined;
  isPersisted(): boolean;
  getSessionName(): string | undefined;
  getLeafId(): string | null;
  getLeafEntry(): SessionEntry | undefined;
  /** All entries, in the order they were added. */
  getEntries(): SessionEntry[];
  getTree(): SessionTreeNode[];
  getChildren(parentId: string): SessionEntry[];
  /** The entries from the root to `fromId`; without one to the leaf. */
  getBranch(fromId?: string): KnownSessionEntry[];
  getEntry(id: string): KnownSessionEntry | undefined;
  getLabel(id: string): string | undefined;
  /** The entries that the model sees something of: behind a compaction only what it kept and what came later. */
  buildContextEntries(): SessionEntry[];
  buildSessionProjection(): SessionProjection;
  buildSessionContext(): SessionContextView;
}

/** A session that is not live yet, to be filled. Each method that adds gives the new entry's id. */
export interface SessionDraft extends SessionView {
  appendMessage(message: AgentMessage): string;
  appendModelChange(provider: string, modelId: string): string;
  appendThinkingLevelChange(thinkingLevel: string): string;
  appendCompaction(
    summary: string,
    firstKeptEntryId: string | null,
    tokensBefore: number,
    details?: unknown,
    fromHook?: boolean,
  ): string;
  appendCustomEntry(customType: string, data?: unknown): string;
  appendCustomMessageEntry(
    customType: string,
    content: string | InputContent[],
    display: boolean,
    details?: unknown,
  ): string;
  appendSessionInfo(name: string): string;
  appendLabelChange(targetId: string, label: string | undefined): string;
  /** What is added next hangs on this entry. */
  branch(fromId: string): void;
  /** What is added next begins a branch of its own. */
  resetLeaf(): void;
}

/** What a context for what follows a change of session has beside: here one can wait until the run is over that a message begins. */
export interface SendActions {
  sendMessage(message: MessageOfExtension, options?: SendOptions): Promise<void>;
  sendUserMessage(content: string | InputContent[], options?: UserSendOptions): Promise<void>;
}

/** What is done once the new session is there. */
export interface AfterChange<Context> {
  withSession?(ctx: Context & SendActions): unknown;
}

/** How a new session begins. */
export interface NewSessionOptions<Context> extends AfterChange<Context> {
  parentSession?: string;
  /** Fills the session before it is live; when it fails, the present session stays. */
  setup?(session: SessionDraft): unknown;
}

/** How another place of the session's tree is gone to. */
export interface NavigateTreeOptions {
  /** Has the model sum up what is left behind. */
  summarize?: boolean;
  customInstructions?: string;
  /** Whether `customInstructions` stand in place of the usual ones. */
  replaceInstructions?: boolean;
  /** A name for the summary, or without one for the target. */
  label?: string;
}

/** Where the conversation goes on. */
export interface NavigateTreeResult {
  cancelled: boolean;
  /** Whether `abort` ended it. */
  aborted?: boolean;
  /** What stood where the target was; the host has it for its editor. */
  editorText?: string;
  summaryEntry?: BranchSummaryEntry;
}

/** What can be done with sessions; for commands. All but `navigateTree` put another session in place of this one, as a host does. */
export interface SessionActions<Context> {
  newSession(options?: NewSessionOptions<Context>): Promise<{ cancelled: boolean }>;
  /** Goes on in a copy that ends before a message of the user, or with any entry. */
  fork(
    entryId: string,
    options?: AfterChange<Context> & { position?: "before" | "at" },
  ): Promise<{ cancelled: boolean }>;
  branch(entryId: string): Promise<{ cancelled: boolean }>;
  clone(): Promise<{ cancelled: boolean }>;
  switchSession(path: string, options?: AfterChange<Context>): Promise<{ cancelled: boolean }>;
  /** Goes on from another entry of this session: before a message that was said, behind anything else. */
  navigateTree(targetId: string, options?: NavigateTreeOptions): Promise<NavigateTreeResult>;
}
