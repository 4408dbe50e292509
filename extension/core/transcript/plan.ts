import * as z from "zod";
import { TodoPhase } from "../../../agent/protocol/todos.ts";
import type { Plan } from "../../../webview/protocol/ui.ts";
import type { Fold } from "./transcript-state.ts";

/** Most tasks that the page is told of; they travel with every change around the conversation. */
const MAX_TASKS = 100;
/** Longest text of a task or name of a phase, in UTF-16 units. */
const MAX_TEXT_CHARS = 500;

const WrittenPlan = z.object({ phases: z.array(TodoPhase) });

/** The plan as the page shows it. */
export function panelPlan(phases: readonly TodoPhase[]): Plan {
  let room = MAX_TASKS;
  let hiddenTasks = 0;
  const shown: Plan["phases"] = [];
  const seen = new Set<string>();
  for (const { id, name, tasks } of phases) {
    // The page tells tasks apart by their ids.
    const own = tasks.filter((task) => !seen.has(task.id) && seen.add(task.id));
    const kept = own.slice(0, room);
    room -= kept.length;
    hiddenTasks += tasks.length - kept.length;
    if (kept.length === 0 && tasks.length > 0) continue;
    shown.push({ id, name: name.slice(0, MAX_TEXT_CHARS), tasks: kept.map(panelTask) });
  }
  return { phases: shown, hiddenTasks };
}

/** Shows the plan as the model has just written it. Details of another shape are skipped. */
export function showWrittenPlan(fold: Fold, details: unknown): void {
  const written = WrittenPlan.safeParse(details);
  if (written.success) fold.state.ui = { ...fold.state.ui, plan: panelPlan(written.data.phases) };
}

function panelTask({ id, content, status }: TodoPhase["tasks"][number]): Plan["phases"][number]["tasks"][number] {
  const isCut = content.length > MAX_TEXT_CHARS;
  return { id, text: content.slice(0, MAX_TEXT_CHARS), state: status, ...(isCut ? { isCut } : {}) };
}
