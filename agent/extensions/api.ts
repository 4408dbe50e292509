import type { SharedSettings } from "../config/settings.ts";
import type { SlashCommand } from "../protocol/commands.ts";
import type { InputContent } from "../protocol/content.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import type { ExtensionContext } from "./api-context.ts";
import type { McpServerConfig, RegisteredMcpServer } from "./api-mcp.ts";
import type { ProviderDefinition, ProviderObject } from "./api-provider.ts";
import type { ToolDefinition, ToolInfo } from "./api-tool.ts";
import type { ProjectTrustContext } from "./api-trust.ts";
import type { VirtualModelDefinition } from "./api-virtual-model.ts";
import type { ExecOptions, ExecResult } from "./exec.ts";
import type { ExtensionEvents } from "./extension-events.ts";
import type { MessageOfExtension, SendOptions, UserSendOptions } from "./send-options.ts";

/** A slash command as an author writes it. */
export interface CommandDefinition {
  description?: string;
  /** Kept for hosts that complete the arguments. */
  getArgumentCompletions?(prefix: string): unknown;
  /** @param args the text after the name. */
  handler(args: string, ctx: ExtensionContext): unknown;
}

/** A command-line option as an author writes it. */
export interface FlagDefinition {
  type: "boolean" | "string";
  default?: boolean | string;
  description?: string;
}

/** The API that an extension's default export receives. */
export interface ExtensionAPI {
  /**
   * Handlers run in the order they were registered, one after another. @returns a function that removes the handler.
   */
  on<Name extends keyof ExtensionEvents>(
    event: Name,
    handler: (
      event: ExtensionEvents[Name],
      ctx: Name extends "project_trust" ? ProjectTrustContext : ExtensionContext,
    ) => unknown,
  ): () => void;
  /** A tool with the name of a built-in one takes its place. */
  registerTool(tool: ToolDefinition): void;
  /** The same name twice: both are there, as `/name:1` and `/name:2`; `/name` is the first. */
  registerCommand(name: string, command: CommandDefinition): void;
  registerFlag(name: string, flag: FlagDefinition): void;
  /** The value of the command line, else the default. */
  getFlag(name: string): boolean | string | undefined;
  /**
   * Adds a provider of models, or changes one; it counts at once, and before the first model is chosen. What was registered under the name
   * before and is not said again stays.
   */
  registerProvider(name: string, provider: ProviderDefinition): void;
  registerProvider(provider: ProviderObject): void;
  /** Removes a provider, and restores the one that it replaced. */
  unregisterProvider(name: string): void;
  /**
   * Adds a model that chooses another one for each request, until the extension's end. @throws Error that names the wrong field, or if another
   * model has its name.
   */
  registerVirtualModel<State = unknown>(model: VirtualModelDefinition<State>): void;
  unregisterVirtualModel(provider: string, id: string): void;
  /**
   * Adds an MCP server until the extension ends. A server with the same name in a file takes precedence. Registering a name again replaces its
   * configuration. @throws Error that names the wrong argument, or the extension that has registered the name.
   */
  registerMcpServer(name: string, config: McpServerConfig): void;
  /** Ends a server that this extension registered. */
  unregisterMcpServer(name: string): void;
  /** The MCP servers of all extensions. */
  getMcpServers(): RegisteredMcpServer[];
  /** Kept without effect: there are no keys here. */
  registerShortcut(key: string, shortcut: unknown): void;
  /** Kept without effect: the host draws messages. */
  registerMessageRenderer(customType: string, renderer: unknown): void;
  /** Kept without effect: the host displays session entries. */
  registerEntryRenderer(customType: string, renderer: unknown): void;
  /** Kept without effect: the host draws Markdown. */
  registerMarkdownTransformer(transformer: unknown, options?: unknown): void;
  /** Has no effect, because the host draws tool calls. */
  registerToolRenderer(resolver: unknown): void;
  /** Adds a message to the conversation; reports a message that can't be sent. */
  sendMessage(message: MessageOfExtension, options?: SendOptions): void;
  /** Says something as the user; while a run is active `deliverAs` is needed. */
  sendUserMessage(content: string | InputContent[], options?: UserSendOptions): void;
  /** Keeps something in the session that the model does not see. */
  appendEntry(customType: string, data?: unknown): void;
  setSessionName(name: string): void;
  getSessionName(): string | undefined;
  /** @throws Error if the entry does not exist. */
  setLabel(entryId: string, label: string | undefined): void;
  /** Returns the names of the tools that the model knows. */
  getActiveTools(): string[];
  getAllTools(): ToolInfo[];
  setActiveTools(names: string[]): void;
  /** Returns a copy of the settings that apply. */
  getSettings(): SharedSettings;
  /** @returns false when the model is not there or lacks credentials. */
  setModel(model: Pick<Model, "provider" | "id">): Promise<boolean>;
  getThinkingLevel(): ThinkingLevel;
  setThinkingLevel(level: ThinkingLevel): void;
  /** Returns the slash commands, as `get_commands` does; files that were just changed may be missing. */
  getCommands(): SlashCommand[];
  exec(command: string, args: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** Messages between extensions. */
  readonly events: {
    emit(channel: string, data: unknown): void;
    on(channel: string, listener: (data: unknown) => unknown): () => void;
  };
}
