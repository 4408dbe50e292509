import type { InputContent } from "../protocol/content.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { KnownSessionEntry, SessionEntry, SessionHeader, SessionTreeNode } from "../protocol/session-entries.ts";
import type { NavigateTreeOptions, NavigateTreeResult, SessionProjection } from "./api-session.ts";
import type { ExtensionMessage } from "./registrations.ts";
import type { SendOptions, UserSendOptions } from "./send-options.ts";

/** A conversation to look at. */
export interface ConversationView {
  readonly header: SessionHeader;
  readonly id: string;
  readonly file: string | undefined;
  /** Absolute path of the folder that holds the file, or would. */
  readonly folder: string;
  readonly name: string | undefined;
  readonly leafId: string | null;
  readonly entries: readonly SessionEntry[];
  known(id: string): KnownSessionEntry | undefined;
  /** From the root to `leafId`; without one to the leaf. */
  path(leafId?: string): KnownSessionEntry[];
  labels(): ReadonlyMap<string, { label: string }>;
  tree(): SessionTreeNode[];
  /** Returns the context that the model would get. */
  projection(): SessionProjection;
}

/** An entry without the fields that the conversation adds. */
export type DraftEntry =
  | { type: "message"; message: AgentMessage }
  | { type: "model_change"; provider: string; modelId: string; model: string; role: string }
  | { type: "thinking_level_change"; thinkingLevel: string }
  | {
      type: "compaction";
      summary: string;
      firstKeptEntryId: string;
      tokensBefore: number;
      details?: unknown;
      fromHook?: boolean;
      fromExtension?: boolean;
    }
  | { type: "custom"; customType: string; data?: unknown }
  | {
      type: "custom_message";
      customType: string;
      content: string | InputContent[];
      display: boolean;
      details?: unknown;
    }
  | { type: "session_info"; name: string }
  | { type: "label"; targetId: string; label?: string };

/** A conversation that is not live yet. */
export interface ConversationDraft {
  readonly view: ConversationView;
  /** @returns the id of the entry, which is the leaf then. */
  add(entry: DraftEntry): string;
  /** @throws Error if the entry does not exist. */
  moveTo(leafId: string | null): void;
}

/** Fills a conversation. */
export type FillDraft = (draft: ConversationDraft) => Promise<void>;

/** The session, as extensions use it. */
export interface SessionHost {
  conversation(): ConversationView;
  /** Aborts when another session takes the place of the present one. */
  sessionSignal(): AbortSignal;
  /** @returns undefined when it could not be written. */
  appendEntry(customType: string, data: unknown): Promise<SessionEntry | undefined>;
  /** @throws Error if the entry does not exist. */
  setLabel(entryId: string, label: string | undefined): void;
  setName(name: string): Promise<void>;
  /** Resolves when the message is in its place, or the run that it begins is over. @throws Error when it cannot be sent. */
  sendMessage(message: ExtensionMessage, options: SendOptions): Promise<void>;
  /** As `sendMessage`. @throws Error when it cannot be sent. */
  sendUserMessage(content: string | readonly InputContent[], options: UserSendOptions): Promise<void>;
  /** @throws what `fill` throws; the current session then stays. */
  newSession(options: { parentSession?: string | undefined; fill?: FillDraft | undefined }): Promise<{
    cancelled: boolean;
  }>;
  /** @throws Error when the entry is not there, or is not a message of the user and the copy is to end before it. */
  fork(entryId: string, position: "before" | "at"): Promise<{ cancelled: boolean }>;
  /** @throws Error when there is nothing to copy. */
  clone(): Promise<{ cancelled: boolean }>;
  /** @throws Error when the file cannot be opened. */
  switchSession(path: string): Promise<{ cancelled: boolean }>;
  /** @throws Error when there is no such entry, a run is active, or the summary could not be made. */
  navigateTree(targetId: string, options: NavigateTreeOptions): Promise<NavigateTreeResult>;
}
