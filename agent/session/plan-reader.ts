import * as z from "zod";
import { AgentError } from "../protocol/errors.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import { PlanPhase, type PlanTask, TaskStatus } from "../protocol/plan.ts";
import type { KnownSessionEntry } from "../protocol/session-entries.ts";
import { plainName } from "../tools/tool-names.ts";

const looseId = z.string().optional().catch(undefined);
const LoosePhase = z.looseObject({ id: looseId, name: z.string().trim().min(1) });
const LooseTask = z.looseObject({ id: looseId, content: z.string().trim().min(1) });

/**
 * Reads a list of phases from a host. An id that is missing or not a text becomes the smallest free one, a missing
 * status becomes `pending`, and missing tasks become an empty list.
 * @throws AgentError invalid_request that names the first problem.
 */
export function readPlanPhases(phases: readonly unknown[]): PlanPhase[] {
  const phaseIds = new FreeIds("phase", phases.map(idOf));
  const taskIds = new FreeIds(
    "task",
    phases.flatMap((phase) => tasksOf(phase).map(idOf)),
  );
  return phases.map((phase, index) => {
    const read = LoosePhase.safeParse(phase);
    if (!read.success) throw invalid(`Todo phase at index ${index} must provide a non-empty name`);
    const { id, name } = read.data;
    return {
      id: id ?? phaseIds.next(),
      name,
      tasks: tasksOf(phase).map((task, at) => readTask(task, at, name, taskIds)),
    };
  });
}

function readTask(task: unknown, index: number, phaseName: string, ids: FreeIds): PlanTask {
  const read = LooseTask.safeParse(task);
  if (!read.success) {
    throw invalid(`Todo task at index ${index} of phase "${phaseName}" must provide non-empty content`);
  }
  const { id, content, status = "pending", notes, details } = read.data;
  const known = TaskStatus.safeParse(status);
  if (!known.success) {
    throw invalid(`Invalid todo status "${String(status)}". Valid values: ${TaskStatus.options.join(", ")}`);
  }
  return {
    id: id ?? ids.next(),
    content,
    status: known.data,
    ...(typeof notes === "string" ? { notes } : {}),
    ...(typeof details === "string" ? { details } : {}),
  };
}

/** The type of the entries that hold what the user made of a proposed plan. */
export const PROPOSED_PLAN = "proposed-plan";

const WrittenPlan = z.object({ phases: z.array(PlanPhase) });

/** Returns the plan after the last `todo_write` of a path, or as the user started it; empty when there was none. */
export function lastWrittenPhases(path: readonly KnownSessionEntry[]): PlanPhase[] {
  for (const entry of path.toReversed()) {
    const phases = entry.type === "message" ? writtenPhases(entry.message) : startedPhases(entry);
    if (phases !== undefined) return phases;
  }
  return [];
}

/** Returns the steps of a plan that the user started; undefined for any other entry. */
function startedPhases(entry: KnownSessionEntry): PlanPhase[] | undefined {
  if (entry.type !== "custom" || entry.customType !== PROPOSED_PLAN) return undefined;
  return WrittenPlan.safeParse(entry.data).data?.phases;
}

/** `todo_write` in every spelling: a message has the name that the model used. */
const PLAN_TOOL = plainName("todo_write");

/** Returns the plan in a result of `todo_write`; undefined for any other message. */
export function writtenPhases(message: AgentMessage): PlanPhase[] | undefined {
  if (message.role !== "toolResult" || plainName(message.toolName) !== PLAN_TOOL || message.isError) return undefined;
  return WrittenPlan.safeParse(message.details).data?.phases;
}

/** Gives out `<prefix>-N` with the smallest N that is free. */
class FreeIds {
  readonly #prefix: string;
  readonly #taken: Set<unknown>;
  #last = 0;

  constructor(prefix: string, taken: Iterable<unknown>) {
    this.#prefix = prefix;
    this.#taken = new Set(taken);
  }

  next(): string {
    for (;;) {
      this.#last++;
      const id = `${this.#prefix}-${this.#last}`;
      if (!this.#taken.has(id)) return id;
    }
  }
}

function tasksOf(phase: unknown): unknown[] {
  const tasks: unknown = typeof phase === "object" && phase !== null ? Reflect.get(phase, "tasks") : undefined;
  return Array.isArray(tasks) ? tasks : [];
}

function idOf(item: unknown): unknown {
  return typeof item === "object" && item !== null ? Reflect.get(item, "id") : undefined;
}

function invalid(message: string): AgentError {
  return new AgentError("invalid_request", message);
}
