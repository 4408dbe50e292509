/** The selection; undefined while unknown, because reading it makes the browser lay out the whole page. */
let selected: Range | null | undefined;
let isWatching = false;

/** Does a job that changes nodes below `element` at once, or as soon as nothing in it is selected: a selection would be lost. */
export function whenUnselected(element: Node, job: () => void): void {
  if (isSelected(element))
    document.addEventListener("selectionchange", () => whenUnselected(element, job), { once: true });
  else job();
}

/** True if some of what is in `element` is selected. */
export function isSelected(element: Node): boolean {
  const range = selection();
  return range !== null && !range.collapsed && range.intersectsNode(element);
}

function selection(): Range | null {
  if (!isWatching) document.addEventListener("selectionchange", () => (selected = undefined), { capture: true });
  isWatching = true;
  if (selected === undefined) {
    const now = document.getSelection();
    selected = now === null || now.rangeCount === 0 ? null : now.getRangeAt(0);
  }
  return selected;
}
