import type { ContextUsage } from "../protocol/commands.ts";
import type { CompactionResult } from "../protocol/compaction.ts";
import type { InputContent } from "../protocol/content.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import type { KnownSessionEntry, SessionEntry, SessionHeader } from "../protocol/session-entries.ts";
import type { ExecOptions, ExecResult } from "./exec.ts";
import type { ExtensionEvents } from "./extension-events.ts";
import type { SendOptions } from "./host.ts";

/** What a tool of an extension gives back. */
export interface ToolResult {
  content: InputContent[];
  details?: unknown;
  /** When every result of a batch says so, the run ends without asking the model again. */
  terminate?: boolean;
}

/** A tool as an author writes it. `parameters` is a JSON Schema, or what TypeBox makes. */
export interface ToolDefinition {
  name: string;
  label?: string;
  description: string;
  parameters?: Record<string, unknown>;
  promptSnippet?: string;
  promptGuidelines?: string[];
  /** "sequential" is the older word for "exclusive". */
  executionMode?: "sequential" | "parallel";
  concurrency?: "shared" | "exclusive";
  /** False keeps the tool from the model until somebody activates it. */
  defaultActive?: boolean;
  /** True lets the tool run without asking the user: it changes nothing. */
  readOnly?: boolean;
  /** Repairs the model's arguments before they are checked. */
  prepareArguments?(args: unknown): unknown;
  /** @throws Error whose message is what the model reads. */
  execute(
    toolCallId: string,
    params: Record<string, unknown>,
    signal: AbortSignal,
    onUpdate: (partial: ToolResult) => void,
    ctx: ExtensionContext,
  ): ToolResult | Promise<ToolResult>;
}

/** A message as an author writes it. People see it unless `display` is false. */
export interface MessageOfExtension {
  customType: string;
  content: string | InputContent[];
  display?: boolean;
  details?: unknown;
}

/** A slash command as an author writes it. */
export interface CommandDefinition {
  description?: string;
  /** @param args what stands behind the name. */
  handler(args: string, ctx: ExtensionContext): unknown;
}

/** A command-line option as an author writes it. */
export interface FlagDefinition {
  type: "boolean" | "string";
  default?: boolean | string;
  description?: string;
}

/** How long, and for whom, a dialog is open. `timeout` is in milliseconds. */
export interface UiDialogOptions {
  signal?: AbortSignal;
  timeout?: number;
  onTimeout?: () => void;
}

/** The host's interface. Dialogs give undefined, or false, when nobody answers. */
export interface ExtensionUi {
  select(title: string, options: readonly string[], dialog?: UiDialogOptions): Promise<string | undefined>;
  confirm(title: string, message: string, dialog?: UiDialogOptions): Promise<boolean>;
  input(title: string, placeholder?: string, dialog?: UiDialogOptions): Promise<string | undefined>;
  editor(title: string, prefill?: string, dialog?: UiDialogOptions): Promise<string | undefined>;
  notify(message: string, type?: "info" | "warning" | "error"): void;
  /** Without `text` the status is cleared. */
  setStatus(key: string, text?: string): void;
  /** Without `content` the widget is cleared. Components are for terminals and are ignored. */
  setWidget(
    key: string,
    content?: readonly string[] | ((...args: unknown[]) => unknown),
    options?: { placement?: "aboveEditor" | "belowEditor" },
  ): void;
  setTitle(title: string): void;
  setEditorText(text: string): void;
  pasteToEditor(text: string): void;
  /** Always undefined: there is no terminal. */
  custom(...args: unknown[]): Promise<undefined>;
  onTerminalInput(...args: unknown[]): () => void;
  setWorkingMessage(...args: unknown[]): void;
  setWorkingVisible(...args: unknown[]): void;
  setWorkingIndicator(...args: unknown[]): void;
  setHiddenThinkingLabel(...args: unknown[]): void;
  setFooter(...args: unknown[]): void;
  setHeader(...args: unknown[]): void;
  setEditorComponent(...args: unknown[]): void;
  setToolsExpanded(...args: unknown[]): void;
  addAutocompleteProvider(...args: unknown[]): void;
  getEditorText(): string;
  getEditorComponent(): undefined;
  getToolsExpanded(): boolean;
  getAllThemes(): never[];
  getTheme(name: string): undefined;
  setTheme(theme: unknown): { success: false; error: string };
  /** Colour functions give their text back. */
  theme: object;
}

/** The session, to look at. */
export interface SessionView {
  getCwd(): string;
  getHeader(): SessionHeader;
  getSessionId(): string;
  /** Undefined when the session is kept in memory only. */
  getSessionFile(): string | undefined;
  getSessionName(): string | undefined;
  getLeafId(): string | null;
  /** All entries, in the order they were added. */
  getEntries(): SessionEntry[];
  /** The entries from the root to the leaf. */
  getBranch(): KnownSessionEntry[];
  getEntry(id: string): KnownSessionEntry | undefined;
  getLabel(id: string): string | undefined;
}

/** What every handler gets beside its event. */
export interface ExtensionContext {
  readonly ui: ExtensionUi;
  readonly mode: "rpc";
  readonly hasUI: true;
  /** Absolute path of the working directory. */
  readonly cwd: string;
  readonly sessionManager: SessionView;
  readonly modelRegistry: {
    find(provider: string, id: string): Model | undefined;
    getAll(): Model[];
    /** Those whose provider has credentials. */
    getAvailable(): Model[];
  };
  readonly model: Model | undefined;
  /** Aborts when the work that the handler belongs to is aborted. */
  readonly signal: AbortSignal | undefined;
  isIdle(): boolean;
  hasPendingMessages(): boolean;
  /** Ends the run. */
  abort(): void;
  /** Ends the agent as soon as nothing runs any more. */
  shutdown(): void;
  getContextUsage(): ContextUsage | undefined;
  getSystemPrompt(): string;
  /** Ends the run and puts a summary in place of old history. */
  compact(options?: {
    customInstructions?: string;
    onComplete?: (result: CompactionResult) => void;
    onError?: (error: Error) => void;
  }): void;
  /** These put another session in place of this one, as a host does; for commands. */
  newSession(options?: { parentSession?: string }): Promise<{ cancelled: boolean }>;
  fork(entryId: string): Promise<{ cancelled: boolean }>;
  branch(entryId: string): Promise<{ cancelled: boolean }>;
  clone(): Promise<{ cancelled: boolean }>;
  switchSession(path: string): Promise<{ cancelled: boolean }>;
  /** Resolves when no run is active. For commands: a handler inside a run would wait for itself. */
  waitForIdle(): Promise<void>;
}

/** What an extension's default export gets. */
export interface ExtensionAPI {
  /** Handlers run in the order they were registered, one after the other. */
  on<Name extends keyof ExtensionEvents>(
    event: Name,
    handler: (event: ExtensionEvents[Name], ctx: ExtensionContext) => unknown,
  ): void;
  /** A tool with the name of a built-in one takes its place. */
  registerTool(tool: ToolDefinition): void;
  /** The same name twice: both are there, as `/name:1` and `/name:2`; `/name` is the first. */
  registerCommand(name: string, command: CommandDefinition): void;
  registerFlag(name: string, flag: FlagDefinition): void;
  /** The value of the command line, else the default. */
  getFlag(name: string): boolean | string | undefined;
  /** Kept without effect: there are no keys here. */
  registerShortcut(key: string, shortcut: unknown): void;
  /** Kept without effect: the host draws messages. */
  registerMessageRenderer(customType: string, renderer: unknown): void;
  /** Adds a message to the conversation; what cannot be sent is reported. */
  sendMessage(message: MessageOfExtension, options?: SendOptions): void;
  /** Says something as the user; while a run is active `deliverAs` is needed. */
  sendUserMessage(content: string | InputContent[], options?: { deliverAs?: "steer" | "followUp" }): void;
  /** Keeps something in the session that the model does not see. */
  appendEntry(customType: string, data?: unknown): void;
  setSessionName(name: string): void;
  getSessionName(): string | undefined;
  /** @throws Error when there is no such entry. */
  setLabel(entryId: string, label: string | undefined): void;
  /** Names of the tools that the model is told of. */
  getActiveTools(): string[];
  getAllTools(): { name: string; description: string; parameters: Record<string, unknown> }[];
  setActiveTools(names: string[]): void;
  /** @returns false when the model is not there or lacks credentials. */
  setModel(model: Pick<Model, "provider" | "id">): Promise<boolean>;
  getThinkingLevel(): ThinkingLevel;
  setThinkingLevel(level: ThinkingLevel): void;
  exec(command: string, args: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** Messages between extensions. */
  readonly events: {
    emit(channel: string, data: unknown): void;
    on(channel: string, listener: (data: unknown) => unknown): () => void;
  };
}
