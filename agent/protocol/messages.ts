import * as z from "zod";
import { CacheRewrite } from "./cache-rewrite.ts";
import { AssistantContent, InputContent } from "./content.ts";
import { ModelErrorKind, ThinkingLevel, Usage } from "./model.ts";

const timestamp = z.number().describe("Unix time in milliseconds");

/** Shown in the old format for prompts with files; read from old session files, never written. */
export const Attachment = z.object({
  id: z.string(),
  type: z.enum(["image", "document"]),
  fileName: z.string(),
  mimeType: z.string(),
  size: z.number(),
  content: z.string(),
  extractedText: z.string().optional(),
  preview: z.string().optional(),
});

/** A message from a person, or sent on their behalf. */
export const UserMessage = z.object({
  role: z.literal("user"),
  content: z.union([z.string(), z.array(InputContent)]),
  timestamp,
  attribution: z.enum(["user", "agent"]).optional(),
  synthetic: z.boolean().optional(),
  attachments: z.array(Attachment).optional(),
});
export type UserMessage = z.infer<typeof UserMessage>;

/** Why a model stopped. */
export const StopReason = z.enum(["stop", "length", "toolUse", "error", "aborted"]);
export type StopReason = z.infer<typeof StopReason>;

/** One reply of a model. While it streams `usage` is zero until known and `stopReason` reads `stop`. */
export const AssistantMessage = z.object({
  role: z.literal("assistant"),
  content: z.array(AssistantContent),
  api: z.string(),
  provider: z.string(),
  model: z.string(),
  usage: Usage,
  stopReason: StopReason,
  errorMessage: z.string().optional(),
  errorKind: ModelErrorKind.optional(),
  responseId: z.string().optional(),
  responseModel: z.string().optional(),
  thinkingLevel: ThinkingLevel.optional(),
  cacheRewrite: CacheRewrite.optional().catch(undefined),
  timestamp,
});
export type AssistantMessage = z.infer<typeof AssistantMessage>;

/** Why a call has no result of its own: the run was aborted, a queued message came first, or the user denied it. */
export const CallStop = z.enum(["aborted", "skipped", "denied"]);
export type CallStop = z.infer<typeof CallStop>;

/** The call that ran, where the model had written it in another form. */
export const RanCall = z.object({ toolName: z.string(), args: z.record(z.string(), z.unknown()) });
export type RanCall = z.infer<typeof RanCall>;

/** A call that a tool made to another tool. */
export const NestedCall = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional().describe("left out when they are long"),
  argumentsBytes: z.int().optional(),
  status: z.enum(["ok", "error", "unfinished"]),
  durationMs: z.number().optional(),
  error: z.string().optional(),
});
export type NestedCall = z.infer<typeof NestedCall>;

/** The calls that a tool made to others; `complete` is false if something was left out. */
export const NestedCalls = z.object({ calls: z.array(NestedCall), complete: z.boolean() });
export type NestedCalls = z.infer<typeof NestedCalls>;

/** The result of a tool call. `details` is JSON whose shape the tool decides. */
export const ToolResultMessage = z.object({
  role: z.literal("toolResult"),
  toolCallId: z.string(),
  toolName: z.string(),
  content: z.array(InputContent),
  details: z.unknown().optional(),
  usage: Usage.optional().describe("of requests that the tool sent to models; not part of the context"),
  nestedCalls: NestedCalls.optional(),
  isError: z.boolean(),
  timestamp,
  durationMs: z.number().optional(),
  isWarning: z.boolean().optional(),
  stopped: CallStop.optional(),
  ranAs: RanCall.optional(),
});
export type ToolResultMessage = z.infer<typeof ToolResultMessage>;

/** A shell command that the host ran with the `bash` command. */
export const BashExecutionMessage = z.object({
  role: z.literal("bashExecution"),
  command: z.string(),
  output: z.string(),
  exitCode: z.int().nullish(),
  cancelled: z.boolean(),
  truncated: z.boolean(),
  fullOutputPath: z.string().nullish(),
  excludeFromContext: z.boolean().optional(),
  timestamp,
});
export type BashExecutionMessage = z.infer<typeof BashExecutionMessage>;

/** A message that an extension put into the conversation. */
export const CustomMessage = z.object({
  role: z.literal("custom"),
  customType: z.string(),
  content: z.union([z.string(), z.array(InputContent)]),
  display: z.boolean(),
  details: z.unknown().optional(),
  timestamp,
});
export type CustomMessage = z.infer<typeof CustomMessage>;

/** Stands for everything before a compaction. */
export const CompactionSummaryMessage = z.object({
  role: z.literal("compactionSummary"),
  summary: z.string(),
  shortSummary: z.string().optional(),
  tokensBefore: z.int(),
  timestamp,
});
export type CompactionSummaryMessage = z.infer<typeof CompactionSummaryMessage>;

/** Stands for a branch that the conversation came back from. */
export const BranchSummaryMessage = z.object({
  role: z.literal("branchSummary"),
  summary: z.string(),
  fromId: z.string(),
  timestamp,
});
export type BranchSummaryMessage = z.infer<typeof BranchSummaryMessage>;

/** Everything that can stand in a conversation. */
export const AgentMessage = z.discriminatedUnion("role", [
  UserMessage,
  AssistantMessage,
  ToolResultMessage,
  BashExecutionMessage,
  CustomMessage,
  CompactionSummaryMessage,
  BranchSummaryMessage,
]);
export type AgentMessage = z.infer<typeof AgentMessage>;
