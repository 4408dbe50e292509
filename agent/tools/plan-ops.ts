import * as z from "zod";
import { type PlanPhase, type PlanTask, TaskStatus } from "../protocol/plan.ts";

const words = z.string().trim().min(1);
const remarks = { notes: z.string().optional(), details: z.string().optional() };
const NewTask = z.object({ content: words, status: TaskStatus.optional(), ...remarks });
const tasks = z.array(NewTask).optional();

/** One change of the plan. */
const PlanOp = z.discriminatedUnion("op", [
  z.object({ op: z.literal("replace"), phases: z.array(z.object({ name: words, tasks })) }),
  z.object({ op: z.literal("add_phase"), name: words, tasks }),
  z.object({ op: z.literal("add_task"), phase: z.string(), content: words, ...remarks }),
  z.object({
    op: z.literal("update"),
    id: z.string(),
    status: TaskStatus.optional(),
    content: words.optional(),
    ...remarks,
  }),
  z.object({ op: z.literal("remove_task"), id: z.string() }),
]);
export type PlanOp = z.infer<typeof PlanOp>;

const text = z.string().optional();
const items = z.array(z.unknown()).optional();

/** The form in which the model sees a change: one flat object, since a schema for each kind would be four times as long. */
export const PlanOpInput = z
  .object({
    op: z.enum(["replace", "add_phase", "add_task", "update", "remove_task"]),
    phases: items,
    tasks: items.describe("{content, status?, notes?, details?}"),
    id: text,
    phase: text,
    name: text,
    content: text,
    status: z.enum(TaskStatus.options).optional(),
    notes: text,
    details: text,
  })
  .pipe(PlanOp);

/** True if the task still has to be done. */
export function isOpenTask({ status }: PlanTask): boolean {
  return status === "pending" || status === "in_progress";
}

/**
 * Applies the changes in order to a copy of the plan. An op that names what is not there is an error and is passed over. In the end
 * one task is in progress, as long as any is open.
 */
export function applyPlanOps(
  phases: readonly PlanPhase[],
  ops: readonly PlanOp[],
): { phases: PlanPhase[]; errors: string[] } {
  const draft = new PlanDraft(phases);
  const errors = ops.map((op) => draft.apply(op)).filter((error) => error !== undefined);
  keepOneInProgress(draft.phases);
  return { phases: draft.phases, errors };
}

/** A plan that is being changed, with its tasks and phases by id. */
class PlanDraft {
  phases: PlanPhase[] = [];
  #phaseById = new Map<string, PlanPhase>();
  #placeById = new Map<string, { phase: PlanPhase; task: PlanTask }>();
  #lastPhase = 0;
  #lastTask = 0;

  constructor(phases: readonly PlanPhase[]) {
    for (const phase of phases) {
      const copy = this.#addPhase(phase.id, phase.name);
      for (const task of phase.tasks) this.#addTask(copy, { ...task });
    }
  }

  /** @returns what is wrong with the op; nothing has changed then. */
  apply(op: PlanOp): string | undefined {
    switch (op.op) {
      case "replace":
        this.#clear();
        for (const { name, tasks: added } of op.phases) this.#addNewPhase(name, added);
        return undefined;
      case "add_phase":
        this.#addNewPhase(op.name, op.tasks);
        return undefined;
      case "add_task": {
        const phase = this.#phaseById.get(op.phase);
        if (phase === undefined) return `Phase "${op.phase}" not found`;
        this.#addNewTask(phase, op);
        return undefined;
      }
      case "update": {
        const place = this.#placeById.get(op.id);
        if (place === undefined) return this.#missingTask(op.id);
        const { op: _, id: __, ...fields } = op;
        Object.assign(place.task, fields);
        return undefined;
      }
      case "remove_task": {
        const place = this.#placeById.get(op.id);
        if (place === undefined) return this.#missingTask(op.id);
        place.phase.tasks = place.phase.tasks.filter((task) => task !== place.task);
        this.#placeById.delete(op.id);
        return undefined;
      }
    }
  }

  #clear(): void {
    this.phases = [];
    this.#phaseById = new Map();
    this.#placeById = new Map();
    this.#lastPhase = 0;
    this.#lastTask = 0;
  }

  #addNewPhase(name: string, added: z.infer<typeof tasks>): void {
    const phase = this.#addPhase(`phase-${this.#lastPhase + 1}`, name);
    for (const task of added ?? []) this.#addNewTask(phase, task);
  }

  #addNewTask(phase: PlanPhase, { content, status = "pending", notes, details }: z.infer<typeof NewTask>): void {
    this.#addTask(phase, {
      id: `task-${this.#lastTask + 1}`,
      content,
      status,
      ...(notes === undefined ? {} : { notes }),
      ...(details === undefined ? {} : { details }),
    });
  }

  #addPhase(id: string, name: string): PlanPhase {
    const phase: PlanPhase = { id, name, tasks: [] };
    this.phases.push(phase);
    this.#phaseById.set(id, phase);
    this.#lastPhase = Math.max(this.#lastPhase, numberOf(id, "phase"));
    return phase;
  }

  #addTask(phase: PlanPhase, task: PlanTask): void {
    phase.tasks.push(task);
    this.#placeById.set(task.id, { phase, task });
    this.#lastTask = Math.max(this.#lastTask, numberOf(task.id, "task"));
  }

  #missingTask(id: string): string {
    const hint = this.#placeById.size === 0 ? " (the list is empty: begin with replace or add_phase)" : "";
    return `Task "${id}" not found${hint}`;
  }
}

function keepOneInProgress(phases: readonly PlanPhase[]): void {
  const all = phases.flatMap((phase) => phase.tasks);
  const inProgress = all.filter(({ status }) => status === "in_progress");
  for (const task of inProgress.slice(1)) task.status = "pending";
  if (inProgress.length > 0) return;
  const next = all.find(({ status }) => status === "pending");
  if (next !== undefined) next.status = "in_progress";
}

/** The number in ids such as `task-3`; 0 for ids of another make, which hosts may choose. */
function numberOf(id: string, prefix: string): number {
  const digits = id.startsWith(`${prefix}-`) ? id.slice(prefix.length + 1) : "";
  const number = /^\d+$/.test(digits) ? Number(digits) : 0;
  return Number.isSafeInteger(number) ? number : 0;
}
