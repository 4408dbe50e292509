import * as z from "zod";

/** The state of a task. */
export const TaskStatus = z.enum(["pending", "in_progress", "completed", "abandoned"]);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** One task of a plan. */
export const PlanTask = z.object({
  id: z.string(),
  content: z.string(),
  status: TaskStatus,
  notes: z.string().optional(),
  details: z.string().optional(),
});
export type PlanTask = z.infer<typeof PlanTask>;

/** A named part of a plan. */
export const PlanPhase = z.object({ id: z.string(), name: z.string(), tasks: z.array(PlanTask) });
export type PlanPhase = z.infer<typeof PlanPhase>;
