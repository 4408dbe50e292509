import type { Plan, PlanEdit, PlanTask } from "../../protocol/ui.ts";
import { el, setText } from "../common/dom.ts";
import { bindPlanKeys } from "./plan-keys.ts";
import { type TaskRow, taskRow } from "./plan-task.ts";

/** The tasks of a plan, phase by phase. */
export interface PlanTasks {
  readonly element: HTMLElement;
  show(plan: Plan): void;
}

/** @param adder gets the keyboard when the last task is gone. */
export function createPlanTasks(edit: (edit: PlanEdit) => void, adder: HTMLElement): PlanTasks {
  const element = el("div", "plan-phases");
  const rows = new Map<string, TaskRow>();
  let shown: Plan = { phases: [], hiddenTasks: 0 };

  function rowFor(task: PlanTask, phaseId: string): TaskRow {
    const known = rows.get(task.id);
    known?.show(task, phaseId);
    const row = known ?? taskRow(task, phaseId, { edit, closed: draw });
    rows.set(task.id, row);
    return row;
  }
  function removeOthers(wanted: ReadonlySet<string>): void {
    for (const [id, row] of rows) {
      if (wanted.has(id)) continue;
      if (row.isEditing()) {
        // A task that is being edited stays until the edit ends.
        row.showGone();
      } else {
        rows.delete(id);
        row.element.remove();
      }
    }
  }
  function draw(): void {
    const focused = document.activeElement;
    const focusedAt = [...element.querySelectorAll(".plan-task")].findIndex((row) => row.contains(focused));
    removeOthers(new Set(shown.phases.flatMap(({ tasks }) => tasks.map(({ id }) => id))));
    arrange(element, shown, rowFor);
    if (focusedAt === -1) return;
    if (focused instanceof HTMLElement && focused.isConnected) focused.focus();
    else focusRow(element, focusedAt, adder);
  }

  bindPlanKeys(element, rows, edit);
  return {
    element,
    show(plan) {
      shown = plan;
      draw();
    },
  };
}

/** Puts phases and tasks in their order; elements that are in their place are not touched. */
function arrange(parent: HTMLElement, plan: Plan, rowFor: (task: PlanTask, phaseId: string) => TaskRow): void {
  const before = new Map(
    [...parent.querySelectorAll<HTMLElement>(".plan-phase")].map((phase) => [phase.dataset.id, phase]),
  );
  for (const [index, { id, name, tasks }] of plan.phases.entries()) {
    const phase = before.get(id) ?? phaseView(id);
    before.delete(id);
    const title = phase.querySelector(".plan-phase-name");
    const list = phase.querySelector("ul");
    if (title === null || list === null) continue;
    setText(title, name);
    phase.classList.toggle("is-only", plan.phases.length === 1);
    list.setAttribute("aria-label", name);
    for (const [at, task] of tasks.entries()) putAt(list, at, rowFor(task, id).element);
    putAt(parent, index, phase);
  }
  for (const phase of before.values()) {
    if (phase.querySelector(".plan-task") === null) phase.remove();
  }
  const checks = [...parent.querySelectorAll<HTMLElement>(".plan-check")];
  if (!checks.some((check) => check.tabIndex === 0) && checks[0]) checks[0].tabIndex = 0;
}

function putAt(parent: HTMLElement, index: number, child: HTMLElement): void {
  const there = parent.children[index];
  if (there !== child) parent.insertBefore(child, there ?? null);
}

function phaseView(id: string): HTMLElement {
  return el("div", "plan-phase", { "data-id": id }, [
    el("div", "plan-phase-name", { "aria-hidden": "true" }),
    el("ul", "plan-tasks", { "aria-describedby": "plan-keys" }),
  ]);
}

/** The row that had the keyboard is gone: the one in its place gets it, or the line for new tasks. */
function focusRow(phases: HTMLElement, index: number, adder: HTMLElement): void {
  const checks = [...phases.querySelectorAll<HTMLElement>(".plan-check")];
  (checks[Math.min(index, checks.length - 1)] ?? adder).focus();
}
