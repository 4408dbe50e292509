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

/** The context that the model would get, and the settings that apply. */
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
  /** Returns the directory for session files. */
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
  /** Makes the next entry a child of this one. */
  branch(fromId: string): void;
  /** Makes the next entry the root of a new branch. */
  resetLeaf(): void;
}

/** Methods of the context after a change of session. Their promises resolve when the run that the message starts is over. */
export interface SendActions {
  sendMessage(message: MessageOfExtension, options?: SendOptions): Promise<void>;
  sendUserMessage(content: string | InputContent[], options?: UserSendOptions): Promise<void>;
}

/** Runs after the change of session. */
export interface AfterChange<Context> {
  withSession?(ctx: Context & SendActions): unknown;
}

/** Options for a new session. */
export interface NewSessionOptions<Context> extends AfterChange<Context> {
  parentSession?: string;
  /** Fills the session before it is live; when it fails, the present session stays. */
  setup?(session: SessionDraft): unknown;
}

/** Options for moving to another entry of the session's tree. */
export interface NavigateTreeOptions {
  /** Has the model sum up what is left behind. */
  summarize?: boolean;
  customInstructions?: string;
  /** True if `customInstructions` stand in place of the usual ones. */
  replaceInstructions?: boolean;
  /** A name for the summary, or without one for the target. */
  label?: string;
}

/** The result of moving within the session's tree. */
export interface NavigateTreeResult {
  cancelled: boolean;
  /** True if `abort` ended it. */
  aborted?: boolean;
  /** The text of the target, if it is a user message; the host gets it for its editor. */
  editorText?: string;
  summaryEntry?: BranchSummaryEntry;
}

/** Actions on sessions, for commands. All but `navigateTree` replace the current session, as a host can do. */
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
