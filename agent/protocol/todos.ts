import * as z from "zod";

/** The state of a task. */
export const TodoStatus = z.enum(["pending", "in_progress", "completed", "abandoned"]);
export type TodoStatus = z.infer<typeof TodoStatus>;

/** One task of a plan. */
export const TodoItem = z.object({
  id: z.string(),
  content: z.string(),
  status: TodoStatus,
  notes: z.string().optional(),
  details: z.string().optional(),
});
export type TodoItem = z.infer<typeof TodoItem>;

/** A named part of a plan. */
export const TodoPhase = z.object({ id: z.string(), name: z.string(), tasks: z.array(TodoItem) });
export type TodoPhase = z.infer<typeof TodoPhase>;
