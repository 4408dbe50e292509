/** Does a job that changes nodes below `element` at once, or as soon as nothing in it is selected: a selection would be lost. */
export function whenUnselected(element: Node, job: () => void): void {
  const selection = document.getSelection();
  if (selection === null || selection.isCollapsed || !selection.containsNode(element, true)) {
    job();
    return;
  }
  document.addEventListener("selectionchange", () => whenUnselected(element, job), { once: true });
}
