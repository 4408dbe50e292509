import * as z from "zod";
import { ApprovalRule, LoggedDecision, PermissionMode } from "./approvals.ts";
import { BackgroundProcess } from "./background.ts";
import { changeCommands } from "./changes.ts";
import { CompactionResult } from "./compaction.ts";
import { ImageInput } from "./content.ts";
import { historyCommands } from "./history.ts";
import { HostModelDefinition } from "./host-models.ts";
import { row } from "./late-schema.ts";
import { McpResource, McpResourceContent } from "./mcp.ts";
import { AgentMessage } from "./messages.ts";
import { Model, ThinkingLevel } from "./model.ts";
import { optional } from "./optional.ts";
import { PlanPhase } from "./plan.ts";
import { CommandPreview } from "./previews.ts";
import { SessionEntry, SessionTreeNode } from "./session-entries.ts";
import { usageCommands } from "./usage.ts";

export const QueueMode = z.enum(["all", "one-at-a-time"]);
export type QueueMode = z.infer<typeof QueueMode>;
export const InterruptMode = z.enum(["immediate", "wait"]);
export type InterruptMode = z.infer<typeof InterruptMode>;
export const StreamShape = z.enum(["full", "delta"]);
export type StreamShape = z.infer<typeof StreamShape>;

/** The outcome of a message: it started a run, it waits in a queue, or an extension handled it without a run. */
export const Disposition = z.enum(["started", "queued", "handled"]);
export type Disposition = z.infer<typeof Disposition>;

/** The formats of an export: a web page, a document, or a session file. */
export const ExportFormat = z.enum(["html", "markdown", "jsonl"]);
export type ExportFormat = z.infer<typeof ExportFormat>;

/**
 * The use of the context window. `null` right after a compaction, until the next answer reports its usage. `cache`: the time at which the provider's
 * cache of the conversation expires, in Unix ms, and the price in US dollars of having it read and stored again.
 */
export const ContextUsage = z.lazy(() =>
  z.object({
    tokens: z.int().nullable(),
    contextWindow: z.int(),
    percent: z.number().nullable(),
    cache: z.object({ expiresAt: z.number(), rereadCost: z.number() }).optional(),
  }),
);
export type ContextUsage = z.infer<typeof ContextUsage>;

/**
 * A file of instructions. `sent`: the model has it. `matching`: the model gets it with the first file that one of `globs` matches. `described`:
 * the model knows its description, and reads it if a task needs it.
 */
export const InstructionFileState = z.lazy(() =>
  z.object({
    path: z.string(),
    state: z.enum(["sent", "matching", "described"]),
    globs: z.array(z.string()).optional(),
  }),
);
export type InstructionFileState = z.infer<typeof InstructionFileState>;

/** The answer to `get_state`. */
export const SessionState = z.lazy(() =>
  z.object({
    model: Model.nullable(),
    thinkingLevel: ThinkingLevel,
    isStreaming: z.boolean(),
    isCompacting: z.boolean(),
    steeringMode: QueueMode,
    followUpMode: QueueMode,
    interruptMode: InterruptMode,
    sessionFile: z.string().optional(),
    sessionId: z.string(),
    sessionName: z.string().optional(),
    autoCompactionEnabled: z.boolean(),
    messageCount: z.int(),
    pendingMessageCount: z.int(),
    queuedMessageCount: z.int(),
    todoPhases: z.array(PlanPhase),
    proposedPlan: z.string().optional(),
    systemPrompt: z.string().optional(),
    instructionFiles: z.array(InstructionFileState).optional(),
    dumpTools: z
      .array(
        z.object({
          name: z.string(),
          description: z.string(),
          parameters: z.record(z.string(), z.unknown()),
          deferred: z.boolean().optional(),
        }),
      )
      .optional(),
    contextUsage: ContextUsage.optional(),
    autoRetryEnabled: z.boolean(),
    isBashRunning: z.boolean(),
    backgroundProcesses: z.array(BackgroundProcess).optional(),
    isRetrying: z.boolean(),
    permissionMode: PermissionMode,
    /** In the mode `sandboxed`: why commands can't run in a sandbox here. */
    sandboxProblem: z.string().optional(),
    cwd: z.string(),
  }),
);
export type SessionState = z.infer<typeof SessionState>;

/** The answer to `get_session_stats`, counted over the whole session file. `cost` is in US dollars. */
export const SessionStats = z.lazy(() =>
  z.object({
    sessionFile: z.string().optional(),
    sessionId: z.string(),
    userMessages: z.int(),
    assistantMessages: z.int(),
    toolCalls: z.int(),
    toolResults: z.int(),
    totalMessages: z.int(),
    tokens: z.object({
      input: z.int(),
      output: z.int(),
      cacheRead: z.int(),
      cacheWrite: z.int(),
      total: z.int(),
    }),
    cost: z.number(),
    contextUsage: ContextUsage.optional(),
    premiumRequests: z.number(),
  }),
);
export type SessionStats = z.infer<typeof SessionStats>;

/** The result of the `bash` command: stdout and stderr together, without ANSI codes, cut to the tail. */
export const BashResult = z.lazy(() =>
  z.object({
    output: z.string(),
    exitCode: z.int().optional(),
    cancelled: z.boolean(),
    truncated: z.boolean(),
    fullOutputPath: z.string().optional(),
    totalLines: z.int(),
    totalBytes: z.int(),
    outputLines: z.int(),
    outputBytes: z.int(),
  }),
);
export type BashResult = z.infer<typeof BashResult>;

/** A slash command that a prompt may start with. */
export const SlashCommand = z.lazy(() =>
  z.object({
    name: z.string(),
    description: z.string().optional(),
    source: z.enum(["extension", "prompt", "skill"]),
    location: z.enum(["user", "project", "path"]).optional(),
    path: z.string().optional(),
    sourceInfo: z
      .object({
        path: z.string(),
        source: z.string(),
        scope: z.enum(["user", "project", "temporary"]),
        origin: z.enum(["top-level", "package"]),
        baseDir: z.string().optional(),
      })
      .optional(),
    argumentHint: z.string().optional(),
  }),
);
export type SlashCommand = z.infer<typeof SlashCommand>;

const none = z.object({});
const noData = z.undefined();
const text = z.string();
const message = { message: text, images: optional(z.array(ImageInput)) };
const disposition = z.object({ disposition: Disposition });
const cancelled = z.object({ cancelled: z.boolean() });
const forked = z.object({ text, cancelled: z.boolean() });
const forkPoints = z.lazy(() => z.object({ messages: z.array(z.object({ entryId: text, text })) }));

/** Most entries that one `get_entries` with a `limit` answers with. */
export const MAX_READ_ENTRIES = 1000;

/**
 * Every command, one row each: `params` are its fields beside `type` and `id`, `result` is the response's `data`.
 * Handlers, the client and the tests are typed from this table. Source: docs/protocol.md.
 */
export const commands = {
  prompt: row(() => ({
    params: z.object({
      ...message,
      streamingBehavior: optional(z.enum(["steer", "followUp"])),
      locale: optional(text),
    }),
    result: disposition,
  })),
  steer: row(() => ({ params: z.object(message), result: disposition })),
  follow_up: row(() => ({ params: z.object(message), result: disposition })),
  abort: row(() => ({ params: none, result: noData })),
  abort_and_prompt: row(() => ({ params: z.object({ ...message, locale: optional(text) }), result: disposition })),
  clear_queue: row(() => ({ params: none, result: z.object({ steering: z.array(text), followUp: z.array(text) }) })),
  new_session: row(() => ({ params: z.object({ parentSession: optional(text) }), result: cancelled })),
  get_state: row(() => ({ params: z.object({ omit: optional(z.array(text)) }), result: SessionState })),
  get_messages: row(() => ({ params: none, result: z.object({ messages: z.array(AgentMessage) }) })),
  set_todos: row(() => ({
    params: z.object({ phases: z.array(z.unknown()) }),
    result: z.object({ todoPhases: z.array(PlanPhase) }),
  })),
  revise_plan: row(() => ({ params: z.object({ text }), result: z.object({ proposedPlan: text.nullable() }) })),
  start_plan: row(() => ({
    params: none,
    result: z.object({ proposedPlan: text, todoPhases: z.array(PlanPhase) }),
  })),
  set_host_tools: row(() => ({
    params: z.object({ tools: z.array(z.unknown()), recordsChanges: optional(z.boolean()) }),
    result: z.object({ toolNames: z.array(text) }),
  })),
  set_host_models: row(() => ({
    params: z.object({ provider: text.trim().min(1), models: z.array(HostModelDefinition) }),
    result: z.object({ modelIds: z.array(text) }),
  })),
  set_host_secrets: row(() => ({ params: none, result: noData })),
  set_model: row(() => ({ params: z.object({ provider: text, modelId: text }), result: Model })),
  cycle_model: row(() => ({
    params: z.object({ direction: optional(z.enum(["forward", "backward"])) }),
    result: z.object({ model: Model, thinkingLevel: ThinkingLevel, isScoped: z.boolean() }).nullable(),
  })),
  get_available_models: row(() => ({ params: none, result: z.object({ models: z.array(Model) }) })),
  set_thinking_level: row(() => ({ params: z.object({ level: ThinkingLevel }), result: noData })),
  cycle_thinking_level: row(() => ({ params: none, result: z.object({ level: ThinkingLevel }).nullable() })),
  get_available_thinking_levels: row(() => ({ params: none, result: z.object({ levels: z.array(ThinkingLevel) }) })),
  set_steering_mode: row(() => ({ params: z.object({ mode: QueueMode }), result: noData })),
  set_follow_up_mode: row(() => ({ params: z.object({ mode: QueueMode }), result: noData })),
  set_interrupt_mode: row(() => ({ params: z.object({ mode: InterruptMode }), result: noData })),
  compact: row(() => ({ params: z.object({ customInstructions: optional(text) }), result: CompactionResult })),
  set_auto_compaction: row(() => ({ params: z.object({ enabled: z.boolean() }), result: noData })),
  set_auto_retry: row(() => ({ params: z.object({ enabled: z.boolean() }), result: noData })),
  retry: row(() => ({ params: none, result: disposition })),
  abort_retry: row(() => ({ params: none, result: noData })),
  bash: row(() => ({
    params: z.object({
      command: text,
      excludeFromContext: optional(z.boolean()),
      timeout: optional(z.number().positive()),
    }),
    result: BashResult,
  })),
  abort_bash: row(() => ({ params: none, result: noData })),
  preview_command: row(() => ({
    params: z.object({ command: text, cwd: optional(text), timeout: optional(z.number().positive()) }),
    result: CommandPreview,
  })),
  apply_preview: row(() => ({ params: z.object({ previewId: text }), result: noData })),
  discard_preview: row(() => ({ params: z.object({ previewId: text }), result: noData })),
  stop_background: row(() => ({ params: z.object({ processId: optional(text) }), result: noData })),
  get_session_stats: row(() => ({ params: none, result: SessionStats })),
  export_html: row(() => ({ params: z.object({ outputPath: optional(text) }), result: z.object({ path: text }) })),
  export_session: row(() => ({
    params: z.object({
      format: ExportFormat,
      outputPath: optional(text),
      keepSecrets: optional(z.boolean()),
    }),
    result: z.object({ path: text, hiddenSecrets: z.int() }),
  })),
  switch_session: row(() => ({ params: z.object({ sessionPath: text }), result: cancelled })),
  fork: row(() => ({ params: z.object({ entryId: text }), result: forked })),
  branch: row(() => ({ params: z.object({ entryId: text }), result: forked })),
  clone: row(() => ({ params: none, result: cancelled })),
  get_fork_messages: row(() => ({ params: none, result: forkPoints })),
  get_branch_messages: row(() => ({ params: none, result: forkPoints })),
  get_entries: row(() => ({
    params: z.object({
      since: optional(text),
      before: optional(text),
      limit: optional(z.int().min(1).max(MAX_READ_ENTRIES)),
    }),
    result: z.object({ entries: z.array(SessionEntry), leafId: text.nullable() }),
  })),
  get_tree: row(() => ({
    params: none,
    result: z.object({ tree: z.array(SessionTreeNode), leafId: text.nullable() }),
  })),
  navigate_tree: row(() => ({
    params: z.object({
      entryId: text,
      summarize: optional(z.boolean()),
      customInstructions: optional(text),
      label: optional(text),
    }),
    result: z.object({ cancelled: z.boolean(), aborted: z.boolean().optional(), text: text.optional() }),
  })),
  keep_session: row(() => ({ params: none, result: z.object({ sessionFile: text }) })),
  get_last_assistant_text: row(() => ({ params: none, result: z.object({ text: text.nullable() }) })),
  set_session_name: row(() => ({ params: z.object({ name: text }), result: noData })),
  ...historyCommands,
  ...usageCommands,
  ...changeCommands,
  get_commands: row(() => ({ params: none, result: z.object({ commands: z.array(SlashCommand) }) })),
  set_locale: row(() => ({ params: z.object({ locale: text }), result: noData })),
  get_integrations: row(() => ({
    params: none,
    result: z.object({
      version: text,
      model: z.object({
        state: z.enum(["no_provider", "connected", "auth_error"]),
        provider: text.optional(),
        latencyMs: z.number().optional(),
      }),
      services: z.array(
        z.object({
          name: text,
          state: z.enum(["connected", "unauthenticated", "unavailable"]),
          hint: text.optional(),
        }),
      ),
    }),
  })),
  list_skills: row(() => ({
    params: none,
    result: z.object({ skills: z.array(z.object({ name: text, description: text })) }),
  })),
  find_mcp_resources: row(() => ({
    params: z.object({ query: text }),
    result: z.object({ resources: z.array(McpResource) }),
  })),
  read_mcp_resource: row(() => ({ params: z.object({ server: text, uri: text }), result: McpResourceContent })),
  set_permission_mode: row(() => ({
    params: z.object({ mode: PermissionMode, enforce: optional(z.boolean()) }),
    result: noData,
  })),
  get_approval_rules: row(() => ({
    params: none,
    result: z.object({ mode: PermissionMode, isEnforced: z.boolean(), rules: z.array(ApprovalRule) }),
  })),
  get_approval_log: row(() => ({
    params: z.object({ limit: optional(z.int().positive()) }),
    result: z.object({ decisions: z.array(LoggedDecision) }),
  })),
  add_approval_rules: row(() => ({ params: z.object({ rules: z.array(ApprovalRule) }), result: noData })),
  remove_approval_rule: row(() => ({ params: z.object({ ruleId: text }), result: noData })),
  set_event_filter: row(() => ({
    params: z.object({ events: z.unknown() }),
    result: z.object({ events: z.array(text).nullable() }),
  })),
  set_stream_options: row(() => ({
    params: z.object({ messageUpdate: StreamShape }),
    result: z.object({ messageUpdate: StreamShape }),
  })),
} as const;

export type CommandType = keyof typeof commands;
/** The fields of a command as handlers see them, checked and normalised. */
export type CommandParams<C extends CommandType> = z.output<(typeof commands)[C]["params"]>;
/** The fields of a command as a host sends them. */
export type CommandInput<C extends CommandType> = z.input<(typeof commands)[C]["params"]>;
/** The `data` of a command's response. */
export type CommandResult<C extends CommandType> = z.output<(typeof commands)[C]["result"]>;

/** True when a `type` that came over the wire names a command. */
export function isCommandType(type: string): type is CommandType {
  return Object.hasOwn(commands, type);
}
