import type { SystemPromptOptions } from "../prompt/prompt-options.ts";
import type { ImageContent, InputContent } from "../protocol/content.ts";
import type { AgentEvent } from "../protocol/events.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { Usage } from "../protocol/model.ts";
import type { AgentBeforeSettleEvent, TurnEndEvent } from "./api-boundary.ts";
import type { McpServersChangeEvent } from "./api-mcp.ts";
import type { ProjectTrustEvent } from "./api-trust.ts";
import type { ModelEvents } from "./model-events.ts";
import type { SessionEvents } from "./session-events.ts";

/** A tool call before it runs. Changes to `input` count; `{block: true, reason?, terminate?}` stops the call, and so does throwing. */
export interface ToolCallEvent {
  type: "tool_call";
  toolName: string;
  toolCallId: string;
  /** The call whose tool made this call. */
  parentToolCallId?: string;
  input: Record<string, unknown>;
}

/** The user's input, before it becomes a message. */
export interface InputEvent {
  type: "input";
  text: string;
  images: ImageContent[];
  source: "rpc" | "extension";
  streamingBehavior?: "steer" | "followUp";
}

/**
 * The result of a tool. Handlers may replace `content`, `details`, `structuredContent`, `isError`, and `usage`; a new `content` alone removes
 * `structuredContent`.
 */
export interface ToolResultEvent {
  type: "tool_result";
  toolName: string;
  toolCallId: string;
  parentToolCallId?: string;
  input: Record<string, unknown>;
  content: InputContent[];
  details: unknown;
  structuredContent?: unknown;
  isError: boolean;
  usage?: Usage;
}

/** The agent begins, or ends, to wait for the user's answer to a question. */
export interface UiPromptEvent {
  type: "ui_prompt_start" | "ui_prompt_end";
  reason: "ui_prompt";
  kind: "select" | "confirm" | "input" | "editor";
  title: string;
}

/** Events of runs that hosts receive too; handlers receive them first. */
type ToldEventType =
  | "agent_start"
  | "agent_end"
  | "agent_settled"
  | "message_start"
  | "message_update"
  | "tool_execution_start"
  | "tool_execution_update"
  | "tool_execution_end"
  | "auto_compaction_start"
  | "auto_compaction_end"
  | "auto_retry_start"
  | "auto_retry_end"
  | "session_info_changed"
  | "todo_reminder"
  | "ttsr_triggered";
type ToldEvents = { [Type in ToldEventType]: Extract<AgentEvent, { type: Type }> };
type TurnEvent<Type> = Extract<AgentEvent, { type: Type }> & { turnIndex: number; timestamp: number };

/** The events that handlers can be registered for, with what each carries. */
export interface ExtensionEvents extends ToldEvents, SessionEvents, ModelEvents {
  turn_start: TurnEvent<"turn_start">;
  /** Like `agent_before_settle`, but at the end of each turn. */
  turn_end: TurnEndEvent;
  /** `{entries, continue}` adds to the conversation, and sends another request before the run ends. */
  agent_before_settle: AgentBeforeSettleEvent;
  /** `{trusted: "yes"}` and `{trusted: "no"}` decide, with `remember: true` also for later. */
  project_trust: ProjectTrustEvent;
  mcp_servers_change: McpServersChangeEvent;
  /** `{message}` puts another message of the same role in its place. */
  message_end: { type: "message_end"; message: AgentMessage };
  /** `{messages}` is what the model sees instead, this once. */
  context: { type: "context"; messages: AgentMessage[] };
  /** As `context`, after it, with the system messages: what is in `{messages}` is all that the model is sent. */
  context_with_system: { type: "context_with_system"; messages: unknown[] };
  /** `{message}` is added behind the prompt; `{systemPrompt}` holds for this run, and so do changes to the options. */
  before_agent_start: {
    type: "before_agent_start";
    /** `custom` for a run that an extension started; installed extensions are asked only about prompts. */
    messageType: "user" | "custom";
    prompt: string;
    images: ImageContent[];
    readonly systemPrompt: string;
    systemPromptOptions: SystemPromptOptions;
  };
  /** `{action: "transform", text, images?}` changes a message of the user, `{action: "handled"}` takes it. */
  input: InputEvent;
  /** `{result}` or `{operations: {exec}}` takes a shell command of the user; throwing keeps it from running. */
  user_bash: { type: "user_bash"; command: string; excludeFromContext: boolean; cwd: string };
  /** `{skillPaths, promptPaths}`: absolute paths of files and folders with skills and templates. */
  resources_discover: { type: "resources_discover"; cwd: string; reason: "startup" | "reload" };
  ui_prompt_start: UiPromptEvent & { type: "ui_prompt_start" };
  ui_prompt_end: UiPromptEvent & { type: "ui_prompt_end" };
  tool_call: ToolCallEvent;
  tool_result: ToolResultEvent;
}
