import { icon } from "../controls.ts";
import type { PlanStep } from "../protocol.ts";
import { el, setText } from "./dom.ts";

/** A line that says how far the model's plan is, and opens to its steps. */
export interface PlanView {
  readonly element: HTMLElement;
  show(plan: readonly PlanStep[]): void;
}

const STATE_WORDS: Record<PlanStep["state"], string> = {
  pending: "to do",
  in_progress: "in progress",
  completed: "done",
  abandoned: "given up",
};

const STATE_ICONS: Record<PlanStep["state"], string> = {
  pending: "circle-large",
  in_progress: "chevron-right",
  completed: "check",
  abandoned: "circle-slash",
};

export function createPlan(): PlanView {
  const line = el("summary", "plan-line");
  const list = el("ul", "plan-steps", { "aria-label": "Steps of the plan", tabindex: "0" });
  const element = el("details", "plan", {}, [line, list]);
  element.hidden = true;
  return {
    element,
    show(plan) {
      const wanted = plan.filter(({ state }) => state !== "abandoned");
      const done = wanted.filter(({ state }) => state === "completed").length;
      element.hidden = plan.length === 0;
      setText(line, `Plan: ${done} of ${wanted.length} ${wanted.length === 1 ? "step" : "steps"} done`);
      list.replaceChildren(...plan.map(stepView));
    },
  };
}

function stepView({ text, state }: PlanStep): HTMLElement {
  return el("li", `plan-step is-${state}`, {}, [
    icon(STATE_ICONS[state]),
    el("span", "visually-hidden", {}, [`${STATE_WORDS[state]}: `]),
    el("span", "plan-text", {}, [text]),
  ]);
}
