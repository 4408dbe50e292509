import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import type { Plan, PlanEdit } from "../../protocol/ui.ts";
import { icon } from "../common/controls.ts";
import { el, isComposing, setText } from "../common/dom.ts";
import { createPlanTasks } from "./plan-tasks.ts";

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
  const hidden = el("div", "plan-hidden");
  const keys = el("div", "visually-hidden", { id: "plan-keys" }, [
    t("Press Space to check a task, F2 to rename it, Delete to remove it, and Alt+Up or Alt+Down to move it."),
  ]);
  const adder = taskAdder((text) => edit({ op: "add", text }));
  const list = createPlanTasks(edit, adder);
  const body = el("div", "plan-body", { id: "plan-body" }, [list.element, hidden, adder, keys]);
  const element = el("section", "plan", { "aria-label": t("Plan") }, [head, body]);
  let shown: Plan = { phases: [], hiddenTasks: 0 };

  function edit(change: PlanEdit): void {
    host.post({ type: "editPlan", edit: change });
    say(wordEdit(change, shown));
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
      list.show(shown);
      element.hidden = list.element.childElementCount === 0;
      setText(progress, t("Plan: {0} of {1} done", done, wanted.length));
      setText(current, tasks.find(({ state }) => state === "in_progress")?.text ?? "");
      hidden.hidden = shown.hiddenTasks === 0;
      setText(hidden, t("{0} more not shown", shown.hiddenTasks));
    },
  };
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
