import type { Settings } from "../config/settings.ts";
import type { BoundaryHooks } from "../extensions/boundary-hooks.ts";
import type { SessionHooks } from "../extensions/session-hooks.ts";
import type { Emit, LoopHost, RunHooks, ToolGate } from "../loop/loop-host.ts";
import type { RequestPrefix } from "../loop/request-prefix.ts";
import type { RequestRepairs } from "../loop/request-repairs.ts";
import type { Instructions } from "../prompt/instructions.ts";
import type { RuleSource } from "../prompt/rule-source.ts";
import type { Skills } from "../prompt/skills.ts";
import type { SystemPromptParts } from "../prompt/system-prompt.ts";
import type { PermissionMode } from "../protocol/approvals.ts";
import type { ModelRegistry } from "../providers/registry.ts";
import type { ShellSettings, ToolContext } from "../tools/tool.ts";
import type { ModelSelection } from "./model-selection.ts";
import type { Plan } from "./plan.ts";
import type { RunLimits } from "./run-limits.ts";
import type { ToolSet } from "./tool-set.ts";

/** The fixed parts of a session; they outlive the conversation. */
export interface SessionOptions {
  cwd: string;
  settings: Settings;
  registry: ModelRegistry;
  selection: ModelSelection;
  tools: ToolSet;
  plan: Plan;
  skills: Pick<Skills, "current" | "refresh">;
  /** Rules for the model's output; undefined turns them off. */
  rules?: RuleSource | undefined;
  gate: ToolGate;
  /** Says which calls of exclusive tools only read. */
  onlyReads?: LoopHost["onlyReads"];
  /** Hooks of extensions for runs. */
  hooks?: RunHooks | undefined;
  /** Asks extensions for proposals at the end of a turn or a run. */
  boundaries?: BoundaryHooks | undefined;
  /** Resolves when what the calls have changed is recorded: what the user changes after the run is not the agent's. */
  changesRecorded?(): Promise<void> | undefined;
  /** Hooks of extensions for changes of the history. */
  sessionHooks?: SessionHooks | undefined;
  /** Selects another model by `work`, and tells extensions about it. */
  changeModel(work: () => Promise<void>): Promise<void>;
  emit: Emit;
  ready(): Promise<void> | undefined;
  /** The content that providers refused. */
  repairs: RequestRepairs;
  /** The unchanged beginning of the session's requests. */
  prefix: RequestPrefix;
  /** Tells the user about a decision that was made without a question. */
  warn(message: string): void;
  /** The parts of the system prompt, besides the tools and the session's settings. */
  prompt: Pick<SystemPromptParts, "cwd" | "custom" | "appended">;
  /** The files of instructions; replaced when they are read anew. */
  instructions: Instructions;
  /** True if nobody can answer questions. */
  isHeadless: boolean;
  /** Pattern of the model that names new sessions; undefined leaves them without a name. */
  titleModel?: string | undefined;
  /** Ends runs that take too long or cost too much. */
  limits?: RunLimits | undefined;
  shell: ShellSettings;
  /** The sandbox for commands that the gate wants contained. */
  sandbox?: LoopHost["sandbox"];
  /** Makes the changes of a preview. */
  applyPreview?: LoopHost["applyPreview"];
  /** Asks whether a command may run again outside the sandbox. */
  mayRunOutside?: LoopHost["mayRunOutside"];
  /** Returns the files that a search of a folder leaves out. */
  leavesOut: ToolContext["leavesOut"];
  /** The environment of every child process. */
  childEnv: Record<string, string>;
}

/** Settings that hosts change, until the agent exits. */
export interface SessionModes {
  interrupt: "immediate" | "wait";
  isAutoRetryOn: boolean;
  isAutoCompactionOn: boolean;
  permission: { mode: PermissionMode; isEnforced: boolean };
  locale: string | undefined;
}
