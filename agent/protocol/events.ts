import * as z from "zod";
import { BackgroundProcess } from "./background.ts";
import { CompactionReason, CompactionResult } from "./compaction.ts";
import { ToolCall } from "./content.ts";
import { ToolResultPayload } from "./host-tools.ts";
import { AgentMessage, AssistantMessage, CallStop, ToolResultMessage } from "./messages.ts";
import { ThinkingLevel, Usage } from "./model.ts";
import { PlanTask } from "./plan.ts";
import { CustomEntry } from "./session-entries.ts";

const partial = AssistantMessage.optional().describe("the message after this event; left out in delta mode");
const contentIndex = z.int().nonnegative();

/** One step of a streaming answer. `contentIndex` is the block's position in `message.content`. */
export const AssistantMessageEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("start"), partial }),
  z.object({ type: z.literal("text_start"), contentIndex, partial }),
  z.object({ type: z.literal("text_delta"), contentIndex, delta: z.string(), partial }),
  z.object({ type: z.literal("text_end"), contentIndex, content: z.string(), partial }),
  z.object({ type: z.literal("thinking_start"), contentIndex, partial }),
  z.object({ type: z.literal("thinking_delta"), contentIndex, delta: z.string(), partial }),
  z.object({ type: z.literal("thinking_end"), contentIndex, content: z.string(), partial }),
  z.object({
    type: z.literal("toolcall_start"),
    contentIndex,
    id: z.string().optional(),
    toolName: z.string().optional(),
    partial,
  }),
  z.object({ type: z.literal("toolcall_delta"), contentIndex, delta: z.string(), partial }),
  z.object({ type: z.literal("toolcall_end"), contentIndex, toolCall: ToolCall, partial }),
  z.object({ type: z.literal("done"), reason: z.enum(["stop", "length", "toolUse"]), message: AssistantMessage }),
  z.object({ type: z.literal("error"), reason: z.enum(["aborted", "error"]), error: AssistantMessage }),
]);
export type AssistantMessageEvent = z.infer<typeof AssistantMessageEvent>;

const attempt = z.int();
const delayMs = z.int();
const toolCallId = z.string();
const toolName = z.string();
const parentToolCallId = z.string().optional().describe("the call of the tool that made this call");

/** Everything that the agent tells without being asked. */
export const AgentEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("agent_start") }),
  z.object({
    type: z.literal("agent_end"),
    messages: z.array(AgentMessage),
    willRetry: z.boolean(),
    willContinue: z.boolean().optional(),
  }),
  z.object({ type: z.literal("agent_settled"), aborted: z.boolean() }),
  z.object({ type: z.literal("turn_start") }),
  z.object({ type: z.literal("turn_end"), message: AssistantMessage, toolResults: z.array(ToolResultMessage) }),
  z.object({ type: z.literal("message_start"), message: AgentMessage }),
  z.object({
    type: z.literal("message_update"),
    message: AssistantMessage.optional(),
    assistantMessageEvent: AssistantMessageEvent,
    usage: Usage.optional(),
  }),
  z.object({ type: z.literal("message_end"), message: AgentMessage }),
  z.object({ type: z.literal("tool_execution_start"), toolCallId, toolName, parentToolCallId, args: z.unknown() }),
  z.object({
    type: z.literal("tool_execution_update"),
    toolCallId,
    toolName,
    parentToolCallId,
    args: z.unknown(),
    partialResult: ToolResultPayload,
  }),
  z.object({
    type: z.literal("tool_execution_end"),
    toolCallId,
    toolName,
    parentToolCallId,
    result: ToolResultPayload,
    isError: z.boolean(),
    durationMs: z.number().optional(),
    isWarning: z.boolean().optional(),
    stopped: CallStop.optional(),
  }),
  z.object({ type: z.literal("queue_update"), steering: z.array(z.string()), followUp: z.array(z.string()) }),
  z.object({ type: z.literal("compaction_start"), reason: CompactionReason }),
  z.object({
    type: z.literal("compaction_end"),
    reason: CompactionReason,
    result: CompactionResult.nullable(),
    aborted: z.boolean(),
    willRetry: z.boolean(),
    errorMessage: z.string().optional(),
  }),
  z.object({
    type: z.literal("auto_compaction_start"),
    reason: z.enum(["threshold", "overflow", "idle"]),
    action: z.enum(["context-full", "handoff"]),
  }),
  z.object({
    type: z.literal("auto_compaction_end"),
    action: z.enum(["context-full", "handoff"]),
    result: CompactionResult.optional(),
    aborted: z.boolean(),
    willRetry: z.boolean(),
    errorMessage: z.string().optional(),
    skipped: z.boolean().optional(),
  }),
  z.object({ type: z.literal("auto_retry_start"), attempt, maxAttempts: attempt, delayMs, errorMessage: z.string() }),
  z.object({
    type: z.literal("auto_retry_end"),
    success: z.boolean(),
    attempt,
    finalError: z.string().optional(),
    aborted: z.boolean().optional(),
  }),
  z.object({
    type: z.literal("summarization_retry_scheduled"),
    attempt,
    maxAttempts: attempt,
    delayMs,
    errorMessage: z.string(),
  }),
  z.object({
    type: z.literal("summarization_retry_attempt_start"),
    source: z.enum(["compaction", "branchSummary"]),
    reason: CompactionReason.optional(),
  }),
  z.object({ type: z.literal("summarization_retry_finished") }),
  z.object({
    type: z.literal("ttsr_triggered"),
    rules: z.array(z.looseObject({ name: z.string(), content: z.string() })),
  }),
  z.object({ type: z.literal("todo_reminder"), todos: z.array(PlanTask), attempt, maxAttempts: attempt }),
  z.object({ type: z.literal("todo_auto_clear") }),
  z.object({ type: z.literal("session_info_changed"), name: z.string().optional() }),
  z.object({
    type: z.literal("session_changed"),
    reason: z.enum(["new", "resume", "fork", "tree"]),
    sessionId: z.string(),
    sessionFile: z.string().optional(),
  }),
  z.object({ type: z.literal("thinking_level_changed"), level: ThinkingLevel }),
  z.object({ type: z.literal("entry_appended"), entry: CustomEntry }),
  z.object({
    type: z.literal("bash_execution_update"),
    id: z.union([z.string(), z.number()]).optional(),
    delta: z.string(),
  }),
  z.object({ type: z.literal("background_changed"), processes: z.array(BackgroundProcess) }),
  z.object({
    type: z.literal("extension_error"),
    extensionPath: z.string(),
    event: z.string(),
    error: z.string(),
    /** The MCP server that the user can sign in to, with `/mcp`. */
    signIn: z.string().optional(),
  }),
  z.object({
    type: z.literal("changes_update"),
    reason: z.enum(["recorded", "kept", "undone", "trouble"]),
    toolCallId: z.string().optional(),
    paths: z.array(z.string()),
    count: z.int(),
    trouble: z.string().optional(),
  }),
  z.object({ type: z.literal("run_waiting"), for: z.literal("mcp_servers"), names: z.array(z.string()) }),
]);
export type AgentEvent = z.infer<typeof AgentEvent>;
export type AgentEventType = AgentEvent["type"];
