import { icon } from "../controls.ts";
import type { Host } from "../host.ts";
import { t } from "../l10n.ts";
import type { Plan, PlanEdit, PlanTask } from "../protocol/ui.ts";
import { el, isComposing, setText } from "./dom.ts";
import { bindPlanKeys } from "./plan-keys.ts";
import { type TaskRow, taskRow } from "./plan-task.ts";

/** The plan over the composer: a line that says how far it is, and opens to a list that the user can change. */
export interface PlanView {
  readonly element: HTMLElement;
  /** The line that opens it. */
  readonly head: HTMLElement;
  show(plan: Plan | undefined): void;
}

/** @param say speaks to screen readers. */
export function createPlan(host: Host, say: (text: string) => void): PlanView {
  const progress = el("span", "plan-progress");
  const current = el("span", "plan-current");
  const head = el("button", "plan-head", { type: "button", "aria-controls": "plan-body" }, [
    icon("chevron-right"),
    progress,
    current,
  ]);
  const phases = el("div", "plan-phases");
  const hidden = el("div", "plan-hidden");
  const keys = el("div", "visually-hidden", { id: "plan-keys" }, [
    t("Space ticks, F2 renames, Delete removes, Alt+Up and Alt+Down move a task."),
  ]);
  const adder = taskAdder((text) => edit({ op: "add", text }));
  const body = el("div", "plan-body", { id: "plan-body" }, [phases, hidden, adder, keys]);
  const element = el("section", "plan", { "aria-label": t("Plan") }, [head, body]);
  const rows = new Map<string, TaskRow>();
  let shown: Plan = { phases: [], hiddenTasks: 0 };

  function edit(change: PlanEdit): void {
    host.post({ type: "editPlan", edit: change });
    say(wordEdit(change, shown));
  }
  function rowFor(task: PlanTask, phaseId: string): TaskRow {
    const known = rows.get(task.id);
    known?.show(task, phaseId);
    const row = known ?? taskRow(task, phaseId, { edit, closed: drawTasks });
    rows.set(task.id, row);
    return row;
  }
  function drawTasks(): void {
    const focusedAt = [...phases.querySelectorAll(".plan-task")].findIndex((row) =>
      row.contains(document.activeElement),
    );
    const focused = document.activeElement;
    const wanted = new Set(shown.phases.flatMap(({ tasks }) => tasks.map(({ id }) => id)));
    for (const [id, row] of rows) {
      if (wanted.has(id)) continue;
      // What is being typed stays until it is done.
      if (row.isEditing()) row.showGone();
      else removeRow(rows, id, row);
    }
    arrange(phases, shown, rowFor);
    if (focusedAt === -1) return;
    if (focused instanceof HTMLElement && focused.isConnected) focused.focus();
    else focusRow(phases, focusedAt, adder);
  }

  head.addEventListener("click", () => {
    host.keep({ isPlanOpen: !host.kept().isPlanOpen });
    showOpen();
  });
  function showOpen(): void {
    const { isPlanOpen } = host.kept();
    body.hidden = !isPlanOpen;
    head.setAttribute("aria-expanded", String(isPlanOpen));
  }
  bindPlanKeys(phases, rows, edit);
  element.hidden = true;
  showOpen();
  return {
    element,
    head,
    show(plan) {
      shown = plan ?? { phases: [], hiddenTasks: 0 };
      const tasks = shown.phases.flatMap((phase) => phase.tasks);
      const wanted = tasks.filter(({ state }) => state !== "abandoned");
      const done = wanted.filter(({ state }) => state === "completed").length;
      drawTasks();
      element.hidden = phases.childElementCount === 0;
      setText(progress, t("Plan: {0} of {1} done", done, wanted.length));
      setText(current, tasks.find(({ state }) => state === "in_progress")?.text ?? "");
      hidden.hidden = shown.hiddenTasks === 0;
      setText(hidden, t("{0} more are not shown", shown.hiddenTasks));
    },
  };
}

function removeRow(rows: Map<string, TaskRow>, id: string, row: TaskRow): void {
  rows.delete(id);
  row.element.remove();
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
function focusRow(phases: HTMLElement, index: number, adder: HTMLInputElement): void {
  const checks = [...phases.querySelectorAll<HTMLElement>(".plan-check")];
  (checks[Math.min(index, checks.length - 1)] ?? adder).focus();
}

function taskAdder(add: (text: string) => void): HTMLInputElement {
  const input = el("input", "plan-input", {
    type: "text",
    "aria-label": t("Add a task"),
    placeholder: t("Add a task"),
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || isComposing(event)) return;
    event.preventDefault();
    const text = input.value.trim();
    if (text === "") return;
    input.value = "";
    add(text);
  });
  return input;
}

function wordEdit(edit: PlanEdit, plan: Plan): string {
  const taskId = edit.op === "add" ? undefined : edit.taskId;
  const task = plan.phases.flatMap(({ tasks }) => tasks).find(({ id }) => id === taskId);
  const text = task?.text ?? "";
  switch (edit.op) {
    case "check":
      return edit.isDone ? t("Done: {0}", text) : t("Not done: {0}", text);
    case "add":
      return t("Added: {0}", edit.text);
    case "rename":
      return t("Renamed: {0}", edit.text);
    case "remove":
      return t("Removed: {0}", text);
    case "move":
      return edit.by === 1 ? t("Moved down: {0}", text) : t("Moved up: {0}", text);
  }
}
