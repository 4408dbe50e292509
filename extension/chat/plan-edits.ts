import type { PlanPhase, PlanTask } from "../../agent/protocol/plan.ts";
import { t } from "../../webview/l10n.ts";
import type { PlanEdit } from "../../webview/protocol/ui.ts";

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
