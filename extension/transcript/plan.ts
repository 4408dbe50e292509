import { z } from "zod";
import { TodoPhase } from "../../agent/protocol/todos.ts";
import type { PlanStep } from "../../webview/protocol.ts";
import type { Fold } from "./transcript-state.ts";

/** Most steps that the page is told of; they travel with every change around the conversation. */
const MAX_STEPS = 100;
/** Longest text of a step, in UTF-16 units. */
const MAX_STEP_CHARS = 200;

const WrittenPlan = z.object({ phases: z.array(TodoPhase) });

/** The steps of a plan in order, without its phases. */
export function planSteps(phases: readonly TodoPhase[]): PlanStep[] {
  const tasks = phases.flatMap((phase) => phase.tasks).slice(0, MAX_STEPS);
  return tasks.map(({ content, status }) => ({ text: content.slice(0, MAX_STEP_CHARS), state: status }));
}

/** Shows the plan as the model has just written it. Details of another shape are skipped. */
export function showWrittenPlan(fold: Fold, details: unknown): void {
  const written = WrittenPlan.safeParse(details);
  if (written.success) fold.state.ui = { ...fold.state.ui, plan: planSteps(written.data.phases) };
}
