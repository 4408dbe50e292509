import { t } from "../../l10n.ts";
import type { PlanEdit, PlanTask } from "../../protocol/ui.ts";
import { icon } from "../common/controls.ts";
import { el, isComposing, setText } from "../common/dom.ts";

/** A task with what is not seen of its state by those who do not see its mark. */
function wordTask({ text, state }: PlanTask): string {
  if (state === "in_progress") return t("{0}, in progress", text);
  return state === "abandoned" ? t("{0}, abandoned", text) : text;
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
  /** True if its text is being rewritten. */
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
  const { edit, closed } = services;
  let task = first;
  let phaseId = firstPhase;
  let input: HTMLInputElement | undefined;
  const note = el("span", "plan-note", {}, [t("The agent removed this task. Press Enter to put it back.")]);
  const { element, check, text, actions, draw } = taskFace({
    check: () => edit({ op: "check", taskId: task.id, isDone: task.state !== "completed" }),
    remove: () => edit({ op: "remove", taskId: task.id }),
    rename,
  });

  function rename(): void {
    if (input !== undefined || task.isCut) return;
    input = rewriteBox(task.text, close);
    actions.remove();
    text.replaceWith(input);
    input.focus();
    input.select();
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
      edit({ op: "rename", taskId: task.id, phaseId, text: words });
    }
    if (hadFocus) check.focus();
    closed(row);
  }
  const row: TaskRow = {
    element,
    check,
    show(next, nextPhase) {
      task = next;
      phaseId = nextPhase;
      note.remove();
      draw(task);
    },
    isEditing: () => input !== undefined,
    showGone: () => element.append(note),
    rename,
  };
  draw(task);
  return row;
}

/** Shows a task that isn't being edited. */
interface TaskFace extends Pick<TaskRow, "element" | "check"> {
  readonly text: HTMLElement;
  readonly actions: HTMLElement;
  draw(task: PlanTask): void;
}

function taskFace(run: { check(): void; rename(): void; remove(): void }): TaskFace {
  const check = el("button", "plan-check", { type: "button", role: "checkbox", tabindex: "-1" });
  const text = el("span", "plan-text");
  const renameButton = action("edit", run.rename);
  const removeButton = action("trash", run.remove);
  const actions = el("span", "plan-actions", {}, [renameButton, removeButton]);
  const element = el("li", "plan-task", {}, [check, text, actions]);
  check.addEventListener("click", run.check);
  text.addEventListener("dblclick", run.rename);
  return {
    element,
    check,
    text,
    actions,
    draw(task) {
      element.className = `plan-task is-${task.state}`;
      const isDone = task.state === "completed";
      check.setAttribute("aria-checked", String(isDone));
      check.setAttribute("aria-label", wordTask(task));
      check.title = isDone ? t("Mark as Not Done") : t("Mark as Done");
      check.replaceChildren(icon(STATE_ICONS[task.state]));
      setText(text, task.text);
      name(renameButton, t("Rename: {0}", task.text));
      name(removeButton, t("Remove: {0}", task.text));
      renameButton.hidden = task.isCut === true;
    },
  };
}

/** A box for editing a text. @param close receives true if the new text is to be used. */
function rewriteBox(text: string, close: (isKept: boolean) => void): HTMLInputElement {
  const box = el("input", "plan-input", { type: "text", "aria-label": t("Rename: {0}", text) });
  box.value = text;
  box.addEventListener("keydown", (event) => {
    if (isComposing(event) || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    event.stopPropagation();
    close(event.key === "Enter");
  });
  box.addEventListener("blur", () => close(true));
  return box;
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
