import type { ContextUsage } from "../protocol/commands.ts";
import type { CompactionResult } from "../protocol/compaction.ts";
import type { InputContent } from "../protocol/content.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import type { KnownSessionEntry, SessionEntry, SessionHeader } from "../protocol/session-entries.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { ExtensionMessage } from "./registrations.ts";
import type { HostUi } from "./ui.ts";

/** Where in the conversation a message goes. */
export type DeliverAs = "steer" | "followUp" | "nextTurn";

/** How a message of an extension is sent. */
export interface SendOptions {
  /** Starts a run when none is active. */
  triggerTurn?: boolean | undefined;
  /** What becomes of the message while a run is active; "steer" by default. */
  deliverAs?: DeliverAs | undefined;
}

/** A conversation to look at. */
export interface ConversationView {
  readonly header: SessionHeader;
  readonly id: string;
  readonly file: string | undefined;
  readonly name: string | undefined;
  readonly leafId: string | null;
  readonly entries: readonly SessionEntry[];
  known(id: string): KnownSessionEntry | undefined;
  /** From the root to the leaf. */
  path(): KnownSessionEntry[];
  labels(): ReadonlyMap<string, { label: string }>;
}

/** The models there are. */
export interface ModelsView {
  find(provider: string, id: string): Model | undefined;
  all(): readonly Model[];
  available(): Model[];
}

/** What extensions need of the agent around them. It is there once the session is. */
export interface ExtensionHost {
  ui: HostUi;
  models: ModelsView;
  /** @throws Error when the name belongs to a tool of the host. */
  addTool(tool: AnyTool, isActive: boolean): void;
  activeTools(): string[];
  allTools(): AnyTool[];
  setActiveTools(names: readonly string[]): void;
  /** Ends the process when nothing runs any more. */
  shutdown(): void;
  isIdle(): boolean;
  hasPendingMessages(): boolean;
  /** Aborts when the present run does; undefined without one. */
  runSignal(): AbortSignal | undefined;
  abort(): void;
  /** Resolves when no run is active. */
  idle(): Promise<void>;
  contextUsage(): ContextUsage | undefined;
  systemPrompt(): string;
  /** @throws Error that says why there is no summary. */
  compact(customInstructions: string | undefined): Promise<CompactionResult>;
  conversation(): ConversationView;
  /** @returns undefined when it could not be written. */
  appendEntry(customType: string, data: unknown): Promise<SessionEntry | undefined>;
  /** @throws Error when there is no such entry. */
  setLabel(entryId: string, label: string | undefined): void;
  setName(name: string): Promise<void>;
  /** @throws Error when it cannot be sent. */
  sendMessage(message: ExtensionMessage, options: SendOptions): Promise<void>;
  /** @throws Error when it cannot be sent. */
  sendUserMessage(content: string | readonly InputContent[], deliverAs: DeliverAs | undefined): Promise<void>;
  model(): Model | undefined;
  /** @returns false when the model is not there or lacks credentials. */
  setModel(provider: string, id: string): Promise<boolean>;
  thinkingLevel(): ThinkingLevel;
  setThinkingLevel(level: ThinkingLevel): Promise<void>;
  newSession(parentSession: string | undefined): Promise<{ cancelled: boolean }>;
  /** @throws Error when the entry is not a message of the user. */
  fork(entryId: string): Promise<{ cancelled: boolean }>;
  /** @throws Error when there is nothing to copy. */
  clone(): Promise<{ cancelled: boolean }>;
  /** @throws Error when the file cannot be opened. */
  switchSession(path: string): Promise<{ cancelled: boolean }>;
}
