import { createButton, createTextBox, icon, type TextBox } from "../controls.ts";
import type { Host } from "../host.ts";
import { t } from "../l10n.ts";
import type { PanelUi, QueueEdit } from "../protocol/ui.ts";
import { el, isComposing } from "./dom.ts";

type QueueName = QueueEdit["queue"];
type Place = Pick<QueueEdit, "queue" | "index" | "label">;

/** The messages that wait for their turn, each with what can be done to it. */
export interface QueueList {
  readonly element: HTMLElement;
  show(ui: PanelUi): void;
}

interface QueueListOptions {
  host: Host;
  say(text: string): void;
  focusComposer(): void;
}

/** What a queue is called, that and when it is read, and what its messages may become instead. */
function wordQueue(queue: QueueName): { kind: string; heading: string; switchTo: string; icon: string } {
  if (queue === "steering") {
    return {
      kind: t("Steering"),
      heading: t("Steering, read after the running tools"),
      switchTo: t("Read when this is done"),
      icon: "arrow-down",
    };
  }
  return {
    kind: t("Follow-up"),
    heading: t("Follow-up, read when this is done"),
    switchTo: t("Read now, after the running tools"),
    icon: "zap",
  };
}

/** Makes the list; it is hidden while nothing waits. */
export function createQueueList({ host, say, focusComposer }: QueueListOptions): QueueList {
  const list = el("ul", "chips", { "aria-label": t("Queued messages") });
  const takeBack = createButton({
    label: t("Take back queued messages"),
    icon: "discard",
    look: "icon",
    onClick: () => host.post({ type: "clearQueue" }),
  });
  const element = el("div", "queue", {}, [list, takeBack.element]);
  element.hidden = true;
  let steering: readonly string[] = [];
  let followUp: readonly string[] = [];
  let chips: PanelUi["queueChips"];
  /** The message that is being rewritten, with its text as it waits. */
  let editing: { readonly place: Place; readonly box: TextBox; readonly row: HTMLElement } | undefined;
  /** Where the keyboard goes when the queue has changed by a press here. */
  let focusNext: { queue: QueueName; index: number; action: string } | undefined;

  function post(edit: QueueEdit, next: { queue: QueueName; index: number; action: string }, told: string): void {
    focusNext = next;
    host.post({ type: "editQueue", edit });
    say(told);
  }
  function draw(): void {
    if (editing) editing = { ...editing, place: placeToday(editing.place, { steering, followUp }) };
    const rows = [...steering.map((label, index) => row({ queue: "steering", index, label }))];
    rows.push(...followUp.map((label, index) => row({ queue: "followUp", index, label })));
    // One that is being rewritten stays, even when it is read meanwhile: what was typed is not lost.
    if (editing && !rows.includes(editing.row)) rows.push(editing.row);
    element.hidden = rows.length === 0;
    // The one that is being rewritten is not moved, since that would take the keyboard out of it.
    const kept = editing?.row;
    for (const child of [...list.children]) if (child !== kept) child.remove();
    const at = kept === undefined ? -1 : rows.indexOf(kept);
    list.prepend(...rows.slice(0, Math.max(0, at)));
    list.append(...rows.slice(at + 1));
    restoreFocus();
  }
  function restoreFocus(): void {
    if (focusNext === undefined || editing) return;
    const { queue, index, action } = focusNext;
    const rows = [...list.querySelectorAll(`[data-queue="${queue}"]`)];
    const row = rows[index] ?? rows.at(-1);
    // At the end of its way a message cannot be moved on.
    const button = row?.querySelector(`[data-action="${action}"]:enabled`) ?? row?.querySelector("button:enabled");
    // The queue is empty for a moment while the host sends it again.
    if (!(button instanceof HTMLElement)) return;
    focusNext = undefined;
    button.focus();
  }
  function row(place: Place): HTMLElement {
    const { queue, index, label } = place;
    if (editing && isSamePlace(editing.place, place)) return editing.row;
    const { kind, heading, switchTo, icon: switchIcon } = wordQueue(queue);
    const size = queue === "steering" ? steering.length : followUp.length;
    const at = (action: string, next: number) => ({ queue, index: next, action });
    const move = (by: -1 | 1, name: string) => () =>
      post({ op: "move", ...place, by }, at(name, index + by), by < 0 ? t("Moved up") : t("Moved down"));
    const other = queue === "steering" ? "followUp" : "steering";
    const buttons = [
      action("edit", "edit", t("Edit"), () => edit(place)),
      action("up", "chevron-up", t("Move up"), index > 0 && move(-1, "up")),
      action("down", "chevron-down", t("Move down"), index < size - 1 && move(1, "down")),
      action("switch", switchIcon, switchTo, () =>
        post({ op: "switch", ...place }, { queue: other, index: Number.MAX_SAFE_INTEGER, action: "switch" }, switchTo),
      ),
      action("remove", "close", t("Remove"), () => post({ op: "remove", ...place }, at("remove", index), t("Removed"))),
    ];
    const tools = el("span", "chip-tools", { role: "group", "aria-label": `${kind}: ${label.slice(0, 80)}` }, buttons);
    return el("li", "chip", { title: label, "data-queue": queue }, [
      el("div", "chip-head", {}, [el("span", "chip-kind", {}, [heading]), tools]),
      el("span", "chip-text", {}, [label]),
      ...chipNames(chips?.[queue][index] ?? []),
    ]);
  }
  function edit(place: Place): void {
    if (editing) finish(undefined);
    const holder = el("div", "queue-edit");
    const line = el("li", "chip is-editing", {}, [holder]);
    list.querySelectorAll(`[data-queue="${place.queue}"]`)[place.index]?.replaceWith(line);
    const box = createTextBox({
      label: t("Queued message, Enter keeps it, Escape leaves it as it was"),
      placeholder: "",
      value: place.label,
      parent: holder,
      maxHeight: "20vh",
    });
    editing = { place, box, row: line };
    box.element.addEventListener("keydown", (event) => {
      if (isComposing(event)) return;
      if (event.key === "Enter" && !event.shiftKey) finish(box.read().trim());
      else if (event.key === "Escape") finish(undefined);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    box.focus();
  }
  /** @param text what the message becomes; undefined leaves it as it is. */
  function finish(text: string | undefined): void {
    if (!editing) return;
    const { place } = editing;
    editing = undefined;
    const next = { queue: place.queue, index: place.index, action: "edit" };
    if (text === undefined || text === "" || text === place.label) {
      focusNext = next;
      draw();
      if (element.hidden) focusComposer();
    } else {
      post({ op: "replace", ...place, text }, next, t("Changed"));
      draw();
    }
  }
  return {
    element,
    show(ui) {
      const isSame = JSON.stringify([ui.steering, ui.followUp]) === JSON.stringify([steering, followUp]);
      if (isSame && JSON.stringify(ui.queueChips) === JSON.stringify(chips)) return;
      const hadFocus = list.contains(document.activeElement);
      ({ steering, followUp, queueChips: chips } = ui);
      draw();
      if (hadFocus && !list.contains(document.activeElement) && focusNext === undefined) focusComposer();
    },
  };
}

/** What goes with a message, by name. */
function chipNames(names: readonly string[]): HTMLElement[] {
  if (names.length === 0) return [];
  const rows = names.map((name) => el("li", "chip-small", {}, [el("span", "chip-body", {}, [name])]));
  return [el("ul", "chip-row", { "aria-label": t("Sent with this message") }, rows)];
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.queue === other.queue && one.index === other.index && one.label === other.label;
}

/** Where a message waits by now: what was before it may have been read. */
function placeToday(place: Place, queues: Record<QueueName, readonly string[]>): Place {
  const own = queues[place.queue];
  if (own[place.index] === place.label) return place;
  const index = own.slice(0, place.index).lastIndexOf(place.label);
  return index === -1 ? place : { ...place, index };
}

/** @param run what the button does; `false` when it can do nothing. */
function action(name: string, iconName: string, label: string, run: false | (() => void)): HTMLElement {
  const attributes = { type: "button", title: label, "aria-label": label, "data-action": name };
  const button = el("button", "chip-tool", attributes, [icon(iconName)]);
  button.disabled = run === false;
  if (run !== false) button.addEventListener("click", run);
  return button;
}
