import type { RpcClient } from "../../agent/client/rpc-client.ts";
import type { CommandInput, CommandResult } from "../../agent/protocol/commands.ts";
import { errorMessage } from "../../agent/protocol/errors.ts";
import type { PlanPhase, PlanTask } from "../../agent/protocol/plan.ts";
import { t } from "../../webview/l10n.ts";
import type { PlanEdit } from "../../webview/protocol/ui.ts";
import { panelPlan } from "../core/transcript/plan.ts";
import type { ChatLog } from "./chat-ports.ts";
import type { TranscriptStore } from "./transcript-store.ts";

/** The chat, as the plan uses it. */
interface PlanPorts {
  readonly transcript: TranscriptStore;
  readonly log: ChatLog;
  readonly client: () => RpcClient | undefined;
  /** Asks the agent, which is started when there is none. */
  request<C extends "get_state" | "set_todos">(type: C, params: CommandInput<C>): Promise<CommandResult<C>>;
}

/** The plan of a chat: carries out what the user does to it, one change after the other, each on the plan as the agent has it by then. */
export class PlanEditor {
  readonly #ports: PlanPorts;
  #last: Promise<void> = Promise.resolve();

  constructor(ports: PlanPorts) {
    this.#ports = ports;
  }

  /** Resolves when the agent has the change; a failure is shown in the conversation, and the page shows the agent's plan. */
  edit(edit: PlanEdit): Promise<void> {
    this.#last = this.#last.then(() => this.#apply(edit));
    return this.#last;
  }

  /** Shows the plan that the running agent has, after an event that does not tell which steps have left it. */
  async read(): Promise<void> {
    const { transcript, client, log } = this.#ports;
    try {
      const state = await client()?.request("get_state", { omit: ["systemPrompt", "dumpTools"] });
      if (state) transcript.dispatch({ type: "host_ui", ui: { plan: panelPlan(state.todoPhases) } });
    } catch (error) {
      log.warn(`agent: the plan could not be read: ${errorMessage(error)}`);
    }
  }

  async #apply(edit: PlanEdit): Promise<void> {
    const { transcript, request } = this.#ports;
    try {
      const state = await request("get_state", { omit: ["systemPrompt", "dumpTools"] });
      const { todoPhases } = await request("set_todos", { phases: editPlan(state.todoPhases, edit) });
      transcript.dispatch({ type: "host_ui", ui: { plan: panelPlan(todoPhases) } });
    } catch (error) {
      const text = t("Couldn't change the plan. {0}", errorMessage(error));
      transcript.dispatch({ type: "host_notice", level: "error", text });
    }
  }
}

/**
 * Returns the plan after an edit of the user; everything else stays as it is, including notes and details. An edit of a missing task changes
 * nothing, except that a text written by the user is added. New tasks have no id: the agent assigns it.
 */
export function editPlan(phases: readonly PlanPhase[], edit: PlanEdit): unknown[] {
  switch (edit.op) {
    case "check":
      return mapTasks(phases, edit.taskId, (task) => [{ ...task, status: edit.isDone ? "completed" : "pending" }]);
    case "remove":
      return withoutTask(phases, edit.taskId);
    case "add":
      return addTask(phases, edit.phaseId, edit.text);
    case "rename":
      return phases.some(({ tasks }) => tasks.some(({ id }) => id === edit.taskId))
        ? mapTasks(phases, edit.taskId, (task) => [{ ...task, content: edit.text }])
        : addTask(phases, edit.phaseId, edit.text);
    case "move":
      return phases.map((phase) => ({ ...phase, tasks: moved(phase.tasks, edit.taskId, edit.by) }));
  }
}

function mapTasks(phases: readonly PlanPhase[], taskId: string, change: (task: PlanTask) => PlanTask[]): PlanPhase[] {
  return phases.map((phase) => ({
    ...phase,
    tasks: phase.tasks.flatMap((task) => (task.id === taskId ? change(task) : [task])),
  }));
}

/** Removes a task, and a phase whose last task it was. */
function withoutTask(phases: readonly PlanPhase[], taskId: string): PlanPhase[] {
  const isGoing = ({ tasks }: PlanPhase) => tasks.length > 0 && tasks.every(({ id }) => id === taskId);
  return mapTasks(
    phases.filter((phase) => !isGoing(phase)),
    taskId,
    () => [],
  );
}

function addTask(phases: readonly PlanPhase[], phaseId: string | undefined, content: string): unknown[] {
  const task = { content, status: "pending" };
  const target = phases.find(({ id }) => id === phaseId) ?? phases.at(-1);
  if (target === undefined) return [{ name: t("Plan"), tasks: [task] }];
  return phases.map((phase) => (phase === target ? { ...phase, tasks: [...phase.tasks, task] } : phase));
}

function moved(tasks: readonly PlanTask[], taskId: string, by: -1 | 1): PlanTask[] {
  const from = tasks.findIndex(({ id }) => id === taskId);
  const task = tasks[from];
  const to = from + by;
  if (task === undefined || to < 0 || to >= tasks.length) return [...tasks];
  const others = tasks.filter((other) => other !== task);
  return [...others.slice(0, to), task, ...others.slice(to)];
}
