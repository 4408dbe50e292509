import type { Emit } from "../loop/loop-host.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { PlanPhase, PlanTask } from "../protocol/plan.ts";
import { isOpenTask } from "../tools/plan-ops.ts";
import type { PlanPort } from "../tools/todo-write.ts";
import type { Conversation } from "./conversation.ts";
import { lastWrittenPhases, writtenPhases } from "./plan-reader.ts";

/** The longest wait that a timer takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The plan of the session. Removes completed tasks after a while, and then sends `todo_auto_clear`. */
export class Plan implements PlanPort {
  readonly #clearDelayMs: number;
  readonly #emit: Emit;
  #phases: readonly PlanPhase[] = [];
  readonly #made = new WeakSet<object>();
  #storage: PlanPort["storage"] = "memory";
  /** The time at which each completed task is removed, by ID, in `performance.now()` time. */
  #dueAt = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param clearDelaySeconds how long done tasks stay; negative for ever. */
  constructor(clearDelaySeconds: number, emit: Emit) {
    this.#clearDelayMs = clearDelaySeconds * 1000;
    this.#emit = emit;
  }

  get phases(): readonly PlanPhase[] {
    return this.#phases;
  }

  get storage(): PlanPort["storage"] {
    return this.#storage;
  }

  openTasks(): PlanTask[] {
    return this.#phases.flatMap(({ tasks }) => tasks.filter(isOpenTask));
  }

  replace(phases: readonly PlanPhase[]): void {
    this.#made.add(phases);
    const now = performance.now();
    const before = this.#dueAt;
    this.#phases = phases;
    this.#dueAt = new Map();
    if (this.#clearDelayMs >= 0) {
      for (const { id } of phases.flatMap(({ tasks }) => tasks.filter(isDone))) {
        this.#dueAt.set(id, before.get(id) ?? now + this.#clearDelayMs);
      }
    }
    this.#schedule();
  }

  /**
   * Takes the plan from a result of `todo_write` that differs from our tool's result: extensions may change results, or
   * replace the tool. So the plan is the same as in the session file.
   */
  follow(message: AgentMessage): void {
    const phases = writtenPhases(message);
    if (phases !== undefined && !this.#isOwn(message)) this.replace(phases);
  }

  /** Restores the plan at the end of a conversation; an empty plan if it has none. */
  restore(conversation: Pick<Conversation, "path" | "file">): void {
    this.#dueAt.clear();
    this.#storage = conversation.file === undefined ? "memory" : "session";
    this.replace(lastWrittenPhases(conversation.path()));
  }

  /** Stops waiting to remove completed tasks. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** True if the plan in a result was set here when the tool ran. A later plan may have replaced it since. */
  #isOwn(message: AgentMessage): boolean {
    const details: unknown = message.role === "toolResult" ? message.details : undefined;
    if (typeof details !== "object" || details === null || !("phases" in details)) return false;
    const { phases } = details;
    return typeof phases === "object" && phases !== null && this.#made.has(phases);
  }

  #schedule(): void {
    this.close();
    if (this.#dueAt.size === 0) return;
    let first = Number.POSITIVE_INFINITY;
    for (const due of this.#dueAt.values()) first = Math.min(first, due);
    const waitMs = Math.min(Math.max(0, Math.ceil(first - performance.now())), MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#clearDone(), waitMs);
    this.#timer.unref();
  }

  #clearDone(): void {
    const now = performance.now();
    const stays = (task: PlanTask) => !isDone(task) || (this.#dueAt.get(task.id) ?? now) > now;
    const hasLeaving = this.#phases.some(({ tasks }) => !tasks.every(stays));
    if (hasLeaving) {
      this.replace(
        this.#phases
          .map((phase) => ({ ...phase, tasks: phase.tasks.filter(stays) }))
          .filter(({ tasks }) => tasks.length > 0),
      );
      void this.#emit({ type: "todo_auto_clear" });
    } else {
      this.#schedule();
    }
  }
}

/** Returns an open task as a model reads it. */
export function describeTask({ id, content, status }: PlanTask): string {
  return `${id} ${content} [${status}]`;
}

function isDone(task: PlanTask): boolean {
  return !isOpenTask(task);
}
