import { AsyncLocalStorage } from "node:async_hooks";
import type { CommandType } from "../../protocol/commands.ts";
import { atMost } from "../../util/at-most.ts";

/**
 * The order of commands:
 * - `now` starts on receipt;
 * - `lane` items run one at a time, in order of arrival; `replace` items do too, and put another session in place of this one;
 * - `pass` items wait for their turn in the lane, but hold up nobody;
 * - `compact` items do too; prompts that arrive while one of these or a `replace` item runs or waits are held;
 * - `after` starts on receipt, but after every earlier `replace` item, so that it applies to the new session;
 * - `query` is the same but waits one second at most.
 */
export type Lane = "now" | "lane" | "pass" | "compact" | "replace" | "after" | "query";

const QUERY_WAIT_MS = 1000;

/** The lane of every command. */
export const LANES: Record<CommandType, Lane> = {
  prompt: "lane",
  steer: "after",
  follow_up: "after",
  abort: "now",
  abort_and_prompt: "lane",
  clear_queue: "now",
  new_session: "replace",
  get_state: "query",
  get_messages: "query",
  set_todos: "after",
  revise_plan: "after",
  start_plan: "after",
  set_host_tools: "after",
  set_host_models: "after",
  set_host_secrets: "after",
  set_model: "after",
  cycle_model: "after",
  get_available_models: "query",
  set_thinking_level: "after",
  cycle_thinking_level: "after",
  get_available_thinking_levels: "query",
  set_steering_mode: "after",
  set_follow_up_mode: "after",
  set_interrupt_mode: "after",
  compact: "compact",
  set_auto_compaction: "after",
  set_auto_retry: "after",
  retry: "lane",
  abort_retry: "now",
  bash: "now",
  abort_bash: "now",
  preview_command: "now",
  apply_preview: "after",
  discard_preview: "now",
  stop_background: "now",
  get_session_stats: "query",
  export_html: "after",
  export_session: "after",
  switch_session: "replace",
  fork: "replace",
  branch: "replace",
  clone: "replace",
  get_fork_messages: "query",
  get_branch_messages: "query",
  get_entries: "query",
  get_tree: "query",
  navigate_tree: "compact",
  keep_session: "after",
  get_last_assistant_text: "query",
  set_session_name: "after",
  list_sessions: "query",
  read_session: "query",
  rename_session: "after",
  delete_session: "after",
  restore_session: "after",
  get_usage: "query",
  get_changes: "query",
  get_change: "query",
  keep_changes: "after",
  undo_changes: "after",
  list_checkpoints: "query",
  restore_checkpoint: "replace",
  get_commands: "query",
  set_locale: "after",
  get_integrations: "query",
  list_skills: "query",
  find_mcp_resources: "query",
  read_mcp_resource: "query",
  set_permission_mode: "after",
  get_approval_rules: "query",
  get_approval_log: "query",
  add_approval_rules: "after",
  remove_approval_rule: "after",
  set_event_filter: "after",
  set_stream_options: "after",
};

/** Starts work in the order that its lanes allow. Work must not throw. */
export class Lanes {
  #laneEnd: Promise<void> | undefined;
  #replaceEnd: Promise<void> | undefined;
  #holdEnd: Promise<void> | undefined;
  #compaction: Promise<void> | undefined;
  /** The work that has the lane, for the code that it calls. */
  readonly #holder = new AsyncLocalStorage<{ isOver: boolean }>();

  /** True if a prompt has to be held: a compaction or another session comes first. */
  get isHolding(): boolean {
    return this.#holdEnd !== undefined;
  }

  /** The running manual compaction; resolves when its command has been answered. */
  get compaction(): Promise<void> | undefined {
    return this.#compaction;
  }

  /** True if a session is being replaced, or is about to be. */
  get isReplacing(): boolean {
    return this.#replaceEnd !== undefined;
  }

  /** Resolves when the work is done. Work that need not wait starts before this returns. */
  run(lane: Lane, work: () => Promise<void>): Promise<void> {
    switch (lane) {
      case "now":
        return work();
      case "after":
        return this.#replaceEnd === undefined ? work() : this.#replaceEnd.then(work);
      case "query":
        return this.#replaceEnd === undefined ? work() : atMost(this.#replaceEnd, QUERY_WAIT_MS).then(work);
      case "lane":
        return this.#inLane(work);
      case "pass":
        return this.#laneEnd === undefined ? work() : this.#laneEnd.then(work);
      case "compact":
        return this.#hold(() => this.#compact(work));
      case "replace":
        return this.#replace(work);
    }
  }

  /**
   * As `run`, for work that somebody waits for who may have the lane: that one's work is not waited for.
   * @param lane how it waits when its asker does not have the lane.
   */
  runNested(lane: "compact" | "replace", work: () => Promise<void>): Promise<void> {
    const holder = this.#holder.getStore();
    return holder === undefined || holder.isOver ? this.run(lane, work) : work();
  }

  #inLane(work: () => Promise<void>): Promise<void> {
    const held = () => this.#holdLane(work);
    const end = this.#laneEnd === undefined ? held() : this.#laneEnd.then(held);
    this.#laneEnd = end;
    void end.then(() => {
      if (this.#laneEnd === end) this.#laneEnd = undefined;
    });
    return end;
  }

  async #holdLane(work: () => Promise<void>): Promise<void> {
    const holder = { isOver: false };
    try {
      await this.#holder.run(holder, work);
    } finally {
      holder.isOver = true; // a timer or a run that it leaves behind does not have the lane any more
    }
  }

  #hold(work: () => Promise<void>): Promise<void> {
    const end = this.#inLane(work);
    this.#holdEnd = end;
    void end.then(() => {
      if (this.#holdEnd === end) this.#holdEnd = undefined;
    });
    return end;
  }

  async #compact(work: () => Promise<void>): Promise<void> {
    this.#compaction = work();
    await this.#compaction;
    this.#compaction = undefined;
  }

  #replace(work: () => Promise<void>): Promise<void> {
    const end = this.#hold(work);
    this.#replaceEnd = end;
    void end.then(() => {
      if (this.#replaceEnd === end) this.#replaceEnd = undefined;
    });
    return end;
  }
}
