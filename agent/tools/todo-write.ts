import * as z from "zod";
import type { PlanPhase } from "../protocol/plan.ts";
import { applyPlanOps, isOpenTask, PlanOpInput } from "./plan-ops.ts";
import { type AnyTool, defineTool, textOutput } from "./tool.ts";

/** The storage of the plan. */
export interface PlanPort {
  readonly phases: readonly PlanPhase[];
  /** Whether the plan is kept with a session file or only in memory. */
  readonly storage: "session" | "memory";
  replace(phases: PlanPhase[]): void;
}

const TodoWriteInput = z.object({ ops: z.array(PlanOpInput).min(1) });

/** Makes the tool that changes the session's plan, and nothing else. */
export function todoWriteTool(plan: PlanPort): AnyTool {
  return defineTool({
    name: "todo_write",
    description:
      "Changes the plan: phases with tasks. Ops, in order: replace {phases: [{name, tasks}]}, add_phase {name, tasks}, add_task {phase, content}, update {id, status}, remove_task {id}. Phases and tasks get IDs: phase-1, task-1. One task is in progress at a time; after it the next one is. Returns the open tasks.",
    input: TodoWriteInput,
    concurrency: "exclusive",
    isReadOnly: true,
    promptSnippet: "Keep a plan of your tasks",
    promptGuidelines: [
      "Write a plan with todo_write for work of several steps, and mark each task as completed when it is done. A simple request needs no plan.",
    ],
    summarize: ({ ops }) => ops.map(({ op }) => op).join(", "),
    run: async ({ ops }) => {
      const { phases, errors } = applyPlanOps(plan.phases, ops);
      plan.replace(phases);
      return { ...textOutput(describePlan(phases, errors)), details: { phases, storage: plan.storage } };
    },
  });
}

function describePlan(phases: readonly PlanPhase[], errors: readonly string[]): string {
  const lines = errors.length === 0 ? [] : [`Errors: ${errors.join("; ")}`];
  const current = phases.find((phase) => phase.tasks.some(isOpenTask)) ?? phases.at(-1);
  if (current === undefined) return [...lines, "Todo list cleared."].join("\n");
  const open = phases.flatMap(({ name, tasks }) =>
    tasks
      .filter(isOpenTask)
      .map(({ id, content, status }) => `  - ${id} ${oneLine(content)} [${status}] (${oneLine(name)})`),
  );
  lines.push(open.length === 0 ? "Remaining items: none." : `Remaining items (${open.length}):`, ...open);
  const done = current.tasks.filter((task) => !isOpenTask(task)).length;
  const position = `${phases.indexOf(current) + 1}/${phases.length}`;
  lines.push(`Phase ${position} "${oneLine(current.name)}" — ${done}/${current.tasks.length} tasks complete`);
  return lines.join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
