import * as z from "zod";
import { PlanPhase } from "../../../agent/protocol/plan.ts";
import type { Plan } from "../../../webview/protocol/ui.ts";
import type { Fold } from "./transcript-state.ts";

/** Maximum number of tasks sent to the page; they are sent with every change of its UI state. */
const MAX_TASKS = 100;
/** Maximum length of a task's text or a phase's name, in UTF-16 units. */
const MAX_TEXT_CHARS = 500;

/** The part of a result of `todo_write` that is shown. */
export const WrittenPlan = z.object({ phases: z.array(PlanPhase) });

/** Converts the plan for the page. */
export function panelPlan(phases: readonly PlanPhase[]): Plan {
  let room = MAX_TASKS;
  let hiddenTasks = 0;
  const shown: Plan["phases"] = [];
  const seen = new Set<string>();
  for (const { id, name, tasks } of phases) {
    // The page identifies tasks by their ids.
    const own = tasks.filter((task) => !seen.has(task.id) && seen.add(task.id));
    const kept = own.slice(0, room);
    room -= kept.length;
    hiddenTasks += tasks.length - kept.length;
    if (kept.length === 0 && tasks.length > 0) continue;
    shown.push({ id, name: name.slice(0, MAX_TEXT_CHARS), tasks: kept.map(panelTask) });
  }
  return { phases: shown, hiddenTasks };
}

/** Shows the plan that the model has just written. Details of another shape are skipped. */
export function showWrittenPlan(fold: Fold, details: unknown): void {
  const written = WrittenPlan.safeParse(details);
  if (written.success) fold.state.ui = { ...fold.state.ui, plan: panelPlan(written.data.phases) };
}

function panelTask({ id, content, status }: PlanPhase["tasks"][number]): Plan["phases"][number]["tasks"][number] {
  const isCut = content.length > MAX_TEXT_CHARS;
  return { id, text: content.slice(0, MAX_TEXT_CHARS), state: status, ...(isCut ? { isCut } : {}) };
}
