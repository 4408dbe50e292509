import * as z from "zod";
import type { PlanPhase } from "../protocol/plan.ts";
import { applyPlanOps, isOpenTask, PlanOp } from "./plan-ops.ts";
import { type AnyTool, defineTool, textOutput } from "./tool.ts";

/** The storage of the plan. */
export interface PlanPort {
  readonly phases: readonly PlanPhase[];
  /** Whether the plan is kept with a session file or only in memory. */
  readonly storage: "session" | "memory";
  replace(phases: PlanPhase[]): void;
}

const TodoWriteInput = z.object({
  ops: z
    .array(PlanOp)
    .min(1)
    .describe('Changes, done in order. Phases and tasks get ids such as "phase-1" and "task-1".'),
});

/** Makes the tool that changes the session's plan, and nothing else. */
export function todoWriteTool(plan: PlanPort): AnyTool {
  return defineTool({
    name: "todo_write",
    description:
      "Keeps the plan of the session: phases with tasks that are pending, in_progress, completed or abandoned. One task is in progress at a time; when none is, the first pending one becomes it. The result lists what is still open.",
    input: TodoWriteInput,
    concurrency: "exclusive",
    isReadOnly: true,
    promptSnippet: "Keep a plan of the tasks",
    promptGuidelines: [
      "For work of several steps write a plan with todo_write, and mark each task completed as soon as it is done. Simple requests need no plan.",
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
