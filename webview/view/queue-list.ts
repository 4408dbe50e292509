import { createButton, type TextBox } from "../controls.ts";
import type { Host } from "../host.ts";
import { t } from "../l10n.ts";
import type { PanelUi, QueueEdit } from "../protocol/ui.ts";
import { el } from "./dom.ts";
import { editLine, focusButton, type QueueFocus, type QueueName, type QueuePlace, queueRow } from "./queue-row.ts";

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
  let editing: { readonly place: QueuePlace; readonly box: TextBox; readonly row: HTMLElement } | undefined;
  /** Where the keyboard goes when the queue has changed by a press here. */
  let focusNext: QueueFocus | undefined;

  function post(edit: QueueEdit, next: QueueFocus, told: string): void {
    focusNext = next;
    host.post({ type: "editQueue", edit });
    say(told);
  }
  function rowsOf(queue: QueueName, labels: readonly string[]): HTMLElement[] {
    return labels.map((label, index) => {
      const place = { queue, index, label };
      if (editing && isSamePlace(editing.place, place)) return editing.row;
      return queueRow({ place, size: labels.length, chips: chips?.[queue][index] ?? [], post, edit });
    });
  }
  function draw(): void {
    if (editing) editing = { ...editing, place: placeToday(editing.place, { steering, followUp }) };
    const rows = [...rowsOf("steering", steering), ...rowsOf("followUp", followUp)];
    // One that is being rewritten stays, even when it is read meanwhile: what was typed is not lost.
    if (editing && !rows.includes(editing.row)) rows.push(editing.row);
    element.hidden = rows.length === 0;
    // The one that is being rewritten is not moved, since that would take the keyboard out of it.
    const kept = editing?.row;
    for (const child of [...list.children]) if (child !== kept) child.remove();
    const at = kept === undefined ? -1 : rows.indexOf(kept);
    list.prepend(...rows.slice(0, Math.max(0, at)));
    list.append(...rows.slice(at + 1));
    // The queue is empty for a moment while the host sends it again.
    if (focusNext !== undefined && !editing && focusButton(list, focusNext)) focusNext = undefined;
  }
  function edit(place: QueuePlace): void {
    if (editing) finish(undefined);
    const line = editLine(place.label, list.querySelectorAll(`[data-queue="${place.queue}"]`)[place.index], finish);
    editing = { place, ...line };
    line.box.focus();
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

function isSamePlace(one: QueuePlace, other: QueuePlace): boolean {
  return one.queue === other.queue && one.index === other.index && one.label === other.label;
}

/** Where a message waits by now: what was before it may have been read. */
function placeToday(place: QueuePlace, queues: Record<QueueName, readonly string[]>): QueuePlace {
  const own = queues[place.queue];
  if (own[place.index] === place.label) return place;
  const index = own.slice(0, place.index).lastIndexOf(place.label);
  return index === -1 ? place : { ...place, index };
}
