import type { CommandInput, CommandResult, CommandType } from "../protocol/commands.ts";
import type { FrameClient, RequestOptions } from "./frame-client.ts";

/** Options of a call; see `FrameClient.request` for its rejections. */
export type CallOptions = Pick<RequestOptions<unknown>, "timeoutMs" | "signal">;

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** A command as a function of its fields; one without required fields can be called without any. */
export type CommandMethod<C extends CommandType> =
  Record<never, never> extends CommandInput<C>
    ? (fields?: CommandInput<C>, options?: CallOptions) => Promise<CommandResult<C>>
    : (fields: CommandInput<C>, options?: CallOptions) => Promise<CommandResult<C>>;

/** One function for each command: `set_model` is `setModel`. */
export type CommandMethods = { readonly [C in CommandType as CamelCase<C>]: CommandMethod<C> };

/** The functions for a client. A command that is missing here does not compile. */
export function commandMethods(client: FrameClient): CommandMethods {
  return {
    prompt: (fields, options) => client.request("prompt", fields, options),
    steer: (fields, options) => client.request("steer", fields, options),
    followUp: (fields, options) => client.request("follow_up", fields, options),
    abort: (fields = {}, options) => client.request("abort", fields, options),
    abortAndPrompt: (fields, options) => client.request("abort_and_prompt", fields, options),
    clearQueue: (fields = {}, options) => client.request("clear_queue", fields, options),
    newSession: (fields = {}, options) => client.request("new_session", fields, options),
    getState: (fields = {}, options) => client.request("get_state", fields, options),
    getMessages: (fields = {}, options) => client.request("get_messages", fields, options),
    setTodos: (fields, options) => client.request("set_todos", fields, options),
    revisePlan: (fields, options) => client.request("revise_plan", fields, options),
    startPlan: (fields = {}, options) => client.request("start_plan", fields, options),
    setHostTools: (fields, options) => client.request("set_host_tools", fields, options),
    setHostModels: (fields, options) => client.request("set_host_models", fields, options),
    setHostSecrets: (fields = {}, options) => client.request("set_host_secrets", fields, options),
    setModel: (fields, options) => client.request("set_model", fields, options),
    cycleModel: (fields = {}, options) => client.request("cycle_model", fields, options),
    getAvailableModels: (fields = {}, options) => client.request("get_available_models", fields, options),
    setThinkingLevel: (fields, options) => client.request("set_thinking_level", fields, options),
    cycleThinkingLevel: (fields = {}, options) => client.request("cycle_thinking_level", fields, options),
    getAvailableThinkingLevels: (fields = {}, options) =>
      client.request("get_available_thinking_levels", fields, options),
    setSteeringMode: (fields, options) => client.request("set_steering_mode", fields, options),
    setFollowUpMode: (fields, options) => client.request("set_follow_up_mode", fields, options),
    setInterruptMode: (fields, options) => client.request("set_interrupt_mode", fields, options),
    compact: (fields = {}, options) => client.request("compact", fields, options),
    setAutoCompaction: (fields, options) => client.request("set_auto_compaction", fields, options),
    setAutoRetry: (fields, options) => client.request("set_auto_retry", fields, options),
    retry: (fields = {}, options) => client.request("retry", fields, options),
    abortRetry: (fields = {}, options) => client.request("abort_retry", fields, options),
    bash: (fields, options) => client.request("bash", fields, options),
    stopBackground: (fields = {}, options) => client.request("stop_background", fields, options),
    previewCommand: (fields, options) => client.request("preview_command", fields, options),
    applyPreview: (fields, options) => client.request("apply_preview", fields, options),
    discardPreview: (fields, options) => client.request("discard_preview", fields, options),
    abortBash: (fields = {}, options) => client.request("abort_bash", fields, options),
    getSessionStats: (fields = {}, options) => client.request("get_session_stats", fields, options),
    exportHtml: (fields = {}, options) => client.request("export_html", fields, options),
    exportSession: (fields, options) => client.request("export_session", fields, options),
    switchSession: (fields, options) => client.request("switch_session", fields, options),
    fork: (fields, options) => client.request("fork", fields, options),
    branch: (fields, options) => client.request("branch", fields, options),
    clone: (fields = {}, options) => client.request("clone", fields, options),
    getForkMessages: (fields = {}, options) => client.request("get_fork_messages", fields, options),
    getBranchMessages: (fields = {}, options) => client.request("get_branch_messages", fields, options),
    getEntries: (fields = {}, options) => client.request("get_entries", fields, options),
    getTree: (fields = {}, options) => client.request("get_tree", fields, options),
    navigateTree: (fields, options) => client.request("navigate_tree", fields, options),
    keepSession: (fields = {}, options) => client.request("keep_session", fields, options),
    getLastAssistantText: (fields = {}, options) => client.request("get_last_assistant_text", fields, options),
    setSessionName: (fields, options) => client.request("set_session_name", fields, options),
    listSessions: (fields = {}, options) => client.request("list_sessions", fields, options),
    readSession: (fields, options) => client.request("read_session", fields, options),
    renameSession: (fields, options) => client.request("rename_session", fields, options),
    deleteSession: (fields, options) => client.request("delete_session", fields, options),
    restoreSession: (fields, options) => client.request("restore_session", fields, options),
    getUsage: (fields = {}, options) => client.request("get_usage", fields, options),
    getChanges: (fields = {}, options) => client.request("get_changes", fields, options),
    getChange: (fields, options) => client.request("get_change", fields, options),
    keepChanges: (fields = {}, options) => client.request("keep_changes", fields, options),
    undoChanges: (fields = {}, options) => client.request("undo_changes", fields, options),
    listCheckpoints: (fields = {}, options) => client.request("list_checkpoints", fields, options),
    restoreCheckpoint: (fields, options) => client.request("restore_checkpoint", fields, options),
    getCommands: (fields = {}, options) => client.request("get_commands", fields, options),
    setLocale: (fields, options) => client.request("set_locale", fields, options),
    getIntegrations: (fields = {}, options) => client.request("get_integrations", fields, options),
    listSkills: (fields = {}, options) => client.request("list_skills", fields, options),
    findMcpResources: (fields, options) => client.request("find_mcp_resources", fields, options),
    readMcpResource: (fields, options) => client.request("read_mcp_resource", fields, options),
    setPermissionMode: (fields, options) => client.request("set_permission_mode", fields, options),
    getApprovalRules: (fields = {}, options) => client.request("get_approval_rules", fields, options),
    getApprovalLog: (fields = {}, options) => client.request("get_approval_log", fields, options),
    addApprovalRules: (fields, options) => client.request("add_approval_rules", fields, options),
    removeApprovalRule: (fields, options) => client.request("remove_approval_rule", fields, options),
    setEventFilter: (fields, options) => client.request("set_event_filter", fields, options),
    setStreamOptions: (fields, options) => client.request("set_stream_options", fields, options),
  };
}
