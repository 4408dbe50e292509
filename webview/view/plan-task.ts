import { icon } from "../controls.ts";
import { t } from "../l10n.ts";
import type { PlanEdit, PlanTask } from "../protocol/ui.ts";
import { el, isComposing, setText } from "./dom.ts";

/** A task with what is not seen of its state by those who do not see its mark. */
function wordTask({ text, state }: PlanTask): string {
  if (state === "in_progress") return t("{0}, in progress", text);
  return state === "abandoned" ? t("{0}, given up", text) : text;
}

const STATE_ICONS: Record<PlanTask["state"], string> = {
  pending: "circle-large",
  in_progress: "play-circle",
  completed: "pass-filled",
  abandoned: "circle-slash",
};

/** One task on the page. Its element is made once and changed in place. */
export interface TaskRow {
  readonly element: HTMLElement;
  /** The mark that is ticked: the row's place for the keyboard. */
  readonly check: HTMLElement;
  show(task: PlanTask, phaseId: string): void;
  /** Whether its text is being rewritten. */
  isEditing(): boolean;
  /** The agent has taken the task out of the plan while its text is rewritten. */
  showGone(): void;
  rename(): void;
}

/** @param services.closed is called when rewriting has ended. */
export function taskRow(
  first: PlanTask,
  firstPhase: string,
  services: { edit(edit: PlanEdit): void; closed(row: TaskRow): void },
): TaskRow {
  let task = first;
  let phaseId = firstPhase;
  let input: HTMLInputElement | undefined;
  const check = el("button", "plan-check", { type: "button", role: "checkbox", tabindex: "-1" });
  const text = el("span", "plan-text");
  const renameButton = action("edit", () => row.rename());
  const removeButton = action("trash", () => services.edit({ op: "remove", taskId: task.id }));
  const actions = el("span", "plan-actions", {}, [renameButton, removeButton]);
  const note = el("span", "plan-note", {}, [t("The agent has removed this task. Enter puts it back.")]);
  const element = el("li", "plan-task", {}, [check, text, actions]);

  function draw(): void {
    element.className = `plan-task is-${task.state}`;
    const isDone = task.state === "completed";
    check.setAttribute("aria-checked", String(isDone));
    check.setAttribute("aria-label", wordTask(task));
    check.title = isDone ? t("Mark as not done") : t("Mark as done");
    check.replaceChildren(icon(STATE_ICONS[task.state]));
    setText(text, task.text);
    name(renameButton, t("Rename: {0}", task.text));
    name(removeButton, t("Remove: {0}", task.text));
    renameButton.hidden = task.isCut === true;
  }
  function close(isKept: boolean): void {
    if (input === undefined) return;
    const words = input.value.trim();
    const hadFocus = document.activeElement === input;
    const wasGone = note.isConnected;
    const box = input;
    input = undefined;
    note.remove();
    box.replaceWith(text, actions);
    if (isKept && words !== "" && (words !== task.text || wasGone)) {
      services.edit({ op: "rename", taskId: task.id, phaseId, text: words });
    }
    if (hadFocus) check.focus();
    services.closed(row);
  }
  const row: TaskRow = {
    element,
    check,
    show(next, nextPhase) {
      task = next;
      phaseId = nextPhase;
      note.remove();
      draw();
    },
    isEditing: () => input !== undefined,
    showGone: () => element.append(note),
    rename() {
      if (input !== undefined || task.isCut) return;
      const box = el("input", "plan-input", { type: "text", "aria-label": t("Rename: {0}", task.text) });
      box.value = task.text;
      input = box;
      actions.remove();
      text.replaceWith(box);
      box.addEventListener("keydown", (event) => {
        if (isComposing(event) || (event.key !== "Enter" && event.key !== "Escape")) return;
        event.preventDefault();
        event.stopPropagation();
        close(event.key === "Enter");
      });
      box.addEventListener("blur", () => close(true));
      box.focus();
      box.select();
    },
  };
  check.addEventListener("click", () =>
    services.edit({ op: "check", taskId: task.id, isDone: task.state !== "completed" }),
  );
  text.addEventListener("dblclick", () => row.rename());
  draw();
  return row;
}

function action(iconName: string, onClick: () => void): HTMLButtonElement {
  const button = el("button", "plan-action", { type: "button", tabindex: "-1" }, [icon(iconName)]);
  button.addEventListener("click", onClick);
  return button;
}

function name(button: HTMLElement, label: string): void {
  button.setAttribute("aria-label", label);
  button.title = label;
}
