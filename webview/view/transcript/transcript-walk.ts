import type { ItemViews } from "../items/item-views.ts";

/** Goes to an item. What was never drawn gets its height when it comes into sight, so the place is taken again two frames later. */
export function goTo(item: HTMLElement): void {
  item.focus({ preventScroll: true });
  item.scrollIntoView({ block: "start" });
  requestAnimationFrame(() => requestAnimationFrame(() => item.isConnected && item.scrollIntoView({ block: "start" })));
}

/**
 * Returns the user's previous or next message. Without a starting point, up starts at the end and down finds nothing.
 * @param content holds the items.
 */
export function nextPrompt(content: Element, from: HTMLElement | undefined, by: -1 | 1): HTMLElement | undefined {
  const prompts = [...content.querySelectorAll<HTMLElement>(".prompt")];
  if (from === undefined) return by === -1 ? prompts.at(-1) : undefined;
  const isBefore = (one: Node, other: Node) =>
    (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return by === -1
    ? prompts.findLast((prompt) => isBefore(prompt, from))
    : prompts.find((prompt) => isBefore(from, prompt));
}

/**
 * Up and Down go from item to item, Home and End to the first and last, Enter opens what is folded.
 * @param options.atTop Home was pressed: there may be more before the first.
 */
export function moveByKey(
  event: KeyboardEvent,
  { content, views, atTop }: { content: Element; views: ItemViews; atTop(): void },
): void {
  if (!(event.target instanceof Element) || event.altKey || event.ctrlKey || event.metaKey) return;
  const item = event.target.closest(".item");
  if (!item || event.target.closest("vscode-text-area, pre, .table-scroller")) return;
  if (event.key === "Enter" && event.target === item && item instanceof HTMLElement) {
    const group = item.dataset.folded === "lead" ? item.querySelector<HTMLElement>(".group-head") : null;
    if (group) group.click();
    else views.get(item.dataset.id)?.toggle?.();
    event.preventDefault();
    return;
  }
  const isUp = event.key === "End" || event.key === "ArrowUp";
  const next = nearestShown(neighbour(event.key, item, content), isUp ? "ArrowUp" : "ArrowDown", content);
  if (event.key === "Home") atTop();
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  next.focus();
}

/** Returns the item itself, or the next one in a direction that is not folded away. */
export function nearestShown(
  item: Element | null | undefined,
  key: "ArrowUp" | "ArrowDown",
  content: Element,
): Element | null | undefined {
  let next = item;
  while (next instanceof HTMLElement && next.dataset.folded === "hidden") next = neighbour(key, next, content);
  return next;
}

function neighbour(key: string, item: Element, content: Element): Element | null | undefined {
  const lists = [...content.querySelectorAll(".items")].filter((list) => list.firstElementChild !== null);
  if (key === "Home") return firstIn(lists[0]);
  if (key === "End") return lastIn(lists.at(-1));
  const stretch = item.parentElement;
  const at = lists.findIndex((list) => list.contains(item));
  if (key === "ArrowUp")
    return item.previousElementSibling ?? stretch?.previousElementSibling?.lastElementChild ?? lastIn(lists[at - 1]);
  if (key === "ArrowDown")
    return item.nextElementSibling ?? stretch?.nextElementSibling?.firstElementChild ?? firstIn(lists[at + 1]);
  return undefined;
}

function firstIn(list: Element | undefined): Element | null | undefined {
  return list?.firstElementChild?.firstElementChild;
}

function lastIn(list: Element | undefined): Element | null | undefined {
  return list?.lastElementChild?.lastElementChild;
}
