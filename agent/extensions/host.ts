import type { SharedSettings } from "../config/settings.ts";
import type { SystemPromptOptions } from "../prompt/prompt-options.ts";
import type { ContextUsage, SlashCommand } from "../protocol/commands.ts";
import type { CompactionResult } from "../protocol/compaction.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { ScopedModelView } from "./api-context.ts";
import type { SessionHost } from "./session-host.ts";
import type { HostUi } from "./ui.ts";

/** The models there are. */
export interface ModelsView {
  find(provider: string, id: string): Model | undefined;
  all(): readonly Model[];
  available(): Model[];
}

/** The agent, as extensions use it; available once there is a session. */
export interface ExtensionHost extends SessionHost {
  ui: HostUi;
  models: ModelsView;
  /** @throws Error when the name belongs to a tool of the host. */
  addTool(tool: AnyTool, isActive: boolean): void;
  /** Removes an added tool, and restores a built-in tool that it replaced. */
  removeTool(tool: AnyTool): void;
  activeTools(): string[];
  allTools(): AnyTool[];
  /** Returns the names of active tools that the model has to search for. */
  deferredTools(): ReadonlySet<string>;
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
  /** Returns the parts of the system prompt outside of a run. */
  systemPromptOptions(): SystemPromptOptions;
  /** @throws Error that says why there is no summary. */
  compact(customInstructions: string | undefined): Promise<CompactionResult>;
  model(): Model | undefined;
  /** @returns false when the model is not there or lacks credentials. */
  setModel(provider: string, id: string): Promise<boolean>;
  /** The models that the command line limits `cycle_model` to. */
  scopedModels(): readonly ScopedModelView[];
  thinkingLevel(): ThinkingLevel;
  setThinkingLevel(level: ThinkingLevel): Promise<void>;
  /** Loads everything again that is installed, as soon as nothing runs. */
  reload(): Promise<void>;
  /** Returns the slash commands found so far. */
  commands(): readonly SlashCommand[];
  /** Looks for templates and skills again. */
  refreshCommands(): Promise<void>;
  isProjectTrusted(): boolean;
  settings(): SharedSettings;
}
