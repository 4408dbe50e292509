import type { PlanEdit } from "../../protocol/ui.ts";
import type { TaskRow } from "./plan-task.ts";

/**
 * The keys of the list of tasks, which is one stop for Tab: arrows go from task to task and, sideways, to what can be done with one; F2
 * renames, Delete removes, Alt+Up and Alt+Down move.
 */
export function bindPlanKeys(
  list: HTMLElement,
  rows: ReadonlyMap<string, TaskRow>,
  edit: (edit: PlanEdit) => void,
): void {
  list.addEventListener("keydown", (event) => {
    const found = rowOf(event.target, rows);
    if (found === undefined || found.row.isEditing() || event.ctrlKey || event.metaKey || event.isComposing) return;
    const action = event.altKey ? moveFor(event.key, found.id) : undefined;
    if (action !== undefined) edit(action);
    else if (event.altKey || !takeKey(event.key, found, list, edit)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  list.addEventListener("focusin", (event) => {
    const found = rowOf(event.target, rows);
    if (found === undefined) return;
    for (const check of checksOf(list)) check.tabIndex = check === found.row.check ? 0 : -1;
  });
}

interface Found {
  readonly id: string;
  readonly row: TaskRow;
}

function rowOf(target: EventTarget | null, rows: ReadonlyMap<string, TaskRow>): Found | undefined {
  for (const [id, row] of rows) {
    if (target instanceof Node && row.element.contains(target)) return { id, row };
  }
  return undefined;
}

function moveFor(key: string, taskId: string): PlanEdit | undefined {
  if (key === "ArrowUp") return { op: "move", taskId, by: -1 };
  return key === "ArrowDown" ? { op: "move", taskId, by: 1 } : undefined;
}

/** @returns whether the key means something here. */
function takeKey(key: string, { id, row }: Found, list: HTMLElement, edit: (edit: PlanEdit) => void): boolean {
  const checks = checksOf(list);
  const at = checks.indexOf(row.check);
  const inRow = [...row.element.querySelectorAll<HTMLElement>("button:not([hidden])")];
  const here = inRow.findIndex((button) => button.contains(document.activeElement));
  switch (key) {
    case "ArrowUp":
      checks[at - 1]?.focus();
      return true;
    case "ArrowDown":
      checks[at + 1]?.focus();
      return true;
    case "Home":
      checks[0]?.focus();
      return true;
    case "End":
      checks.at(-1)?.focus();
      return true;
    case "ArrowRight":
      inRow[here + 1]?.focus();
      return true;
    case "ArrowLeft":
      inRow[Math.max(0, here - 1)]?.focus();
      return true;
    case "F2":
      row.rename();
      return true;
    case "Delete":
      edit({ op: "remove", taskId: id });
      return true;
    default:
      return false;
  }
}

function checksOf(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>(".plan-check")];
}
