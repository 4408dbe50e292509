import type { SystemPromptOptions } from "../prompt/prompt-options.ts";
import type { ContextUsage } from "../protocol/commands.ts";
import type { CompactionResult } from "../protocol/compaction.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import type { ModelRegistryView } from "./api-models.ts";
import type { SessionActions, SessionView } from "./api-session.ts";
import type { ExtensionUi } from "./api-ui.ts";

/** A model of `--models`, with the level of its pattern. */
export interface ScopedModelView {
  readonly model: Model;
  readonly thinkingLevel?: ThinkingLevel | undefined;
}

/** The second argument of every handler. */
export interface ExtensionContext extends SessionActions<ExtensionContext> {
  readonly ui: ExtensionUi;
  readonly mode: "rpc";
  readonly hasUI: true;
  /** Absolute path of the working directory. */
  readonly cwd: string;
  readonly sessionManager: SessionView;
  readonly modelRegistry: ModelRegistryView;
  readonly model: Model | undefined;
  /** The models of `--models`; empty when all may be chosen. */
  readonly scopedModels: readonly ScopedModelView[];
  readonly thinkingLevel: ThinkingLevel;
  /** Aborts when the work that the handler belongs to is aborted. */
  readonly signal: AbortSignal | undefined;
  isIdle(): boolean;
  hasPendingMessages(): boolean;
  /** Ends the run. */
  abort(): void;
  /** Ends the agent as soon as nothing runs any more. */
  shutdown(): void;
  getContextUsage(): ContextUsage | undefined;
  /** During a run, the prompt of that run. */
  getSystemPrompt(): string;
  /** The parts of the system prompt; changes have no effect. */
  getSystemPromptOptions(): SystemPromptOptions;
  /** Ends the run and puts a summary in place of old history. */
  compact(options?: {
    customInstructions?: string;
    onComplete?: (result: CompactionResult) => void;
    onError?: (error: Error) => void;
  }): void;
  /**
   * Loads extensions, templates, skills and instructions again, as soon as no run is active. For commands.
   * @throws Error when code of a run or of a handler asks: it would wait for itself.
   */
  reload(): Promise<void>;
  /** True if the project's own code may run. */
  isProjectTrusted(): boolean;
  /** Resolves when no run is active. For commands: a handler inside a run would wait for itself. */
  waitForIdle(): Promise<void>;
}
