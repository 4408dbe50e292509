import type { SystemPromptOptions } from "../prompt/prompt-draft.ts";
import type { ImageContent, InputContent } from "../protocol/content.ts";
import type { AgentEvent } from "../protocol/events.ts";
import type { AgentMessage } from "../protocol/messages.ts";

/** A tool call before it runs. Changes to `input` count; `{block: true, reason?, terminate?}` stops the call, and so does throwing. */
export interface ToolCallEvent {
  type: "tool_call";
  toolName: string;
  toolCallId: string;
  input: Record<string, unknown>;
}

/** What the user said, before it becomes a message. */
export interface InputEvent {
  type: "input";
  text: string;
  images: ImageContent[];
  source: "rpc" | "extension";
  streamingBehavior?: "steer" | "followUp";
}

/** What a tool gave. The handler may give any of `content`, `details` and `isError` anew. */
export interface ToolResultEvent {
  type: "tool_result";
  toolName: string;
  toolCallId: string;
  input: Record<string, unknown>;
  content: InputContent[];
  details: unknown;
  isError: boolean;
}

/** What hosts are told of runs; handlers see it first. */
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
type TurnEvent<Type> = Extract<AgentEvent, { type: Type }> & { turnIndex: number };

/** The events that handlers can be registered for, with what each carries. */
export interface ExtensionEvents extends ToldEvents {
  turn_start: TurnEvent<"turn_start">;
  turn_end: TurnEvent<"turn_end">;
  /** `{message}` puts another message of the same role in its place. */
  message_end: { type: "message_end"; message: AgentMessage };
  /** `{messages}` is what the model sees instead, this once. */
  context: { type: "context"; messages: AgentMessage[] };
  /** `{message}` is added behind the prompt; `{systemPrompt}` holds for this run, and so do changes to the options. */
  before_agent_start: {
    type: "before_agent_start";
    prompt: string;
    images: ImageContent[];
    readonly systemPrompt: string;
    systemPromptOptions: SystemPromptOptions;
  };
  /** `{action: "transform", text, images?}` changes a message of the user, `{action: "handled"}` takes it. */
  input: InputEvent;
  session_start: {
    type: "session_start";
    reason: "startup" | "new" | "resume" | "fork";
    previousSessionFile?: string;
  };
  session_shutdown: { type: "session_shutdown"; reason: "quit" | "new" | "resume" | "fork" };
  /** `{cancel: true}` keeps the session. */
  session_before_switch: { type: "session_before_switch"; reason: "new" | "resume"; targetSessionFile?: string };
  session_switch: { type: "session_switch"; reason: "new" | "resume"; previousSessionFile?: string };
  /** `{cancel: true}` keeps the session. */
  session_before_fork: { type: "session_before_fork"; entryId: string; position: "before" | "at" };
  session_fork: { type: "session_fork"; previousSessionFile?: string };
  /** `{cancel: true}` keeps the history as it is, `{compaction}` brings the summary. */
  session_before_compact: {
    type: "session_before_compact";
    preparation: { firstKeptEntryId: string; tokensBefore: number };
    reason: "manual" | "threshold" | "overflow";
    customInstructions?: string;
    signal: AbortSignal;
  };
  /** The older name of `session_before_fork`; both are asked. */
  session_before_branch: { type: "session_before_branch"; entryId: string; position: "before" | "at" };
  session_branch: { type: "session_branch"; previousSessionFile?: string };
  /** `{result}` or `{operations: {exec}}` takes a shell command of the user; throwing keeps it from running. */
  user_bash: { type: "user_bash"; command: string; excludeFromContext: boolean; cwd: string };
  /** `{skillPaths, promptPaths}`: absolute paths of files and folders with skills and templates. */
  resources_discover: { type: "resources_discover"; cwd: string; reason: "startup" | "reload" };
  tool_call: ToolCallEvent;
  tool_result: ToolResultEvent;
}
