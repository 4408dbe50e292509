import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import type { PanelUi, QueueEdit } from "../../protocol/ui.ts";
import { createButton } from "../common/controls.ts";
import { el } from "../common/dom.ts";
import { createQueueRewrite } from "./queue-rewrite.ts";
import { focusButton, type QueueFocus, type QueueName, queueRow } from "./queue-row.ts";

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
    label: t("Move Queued Messages to the Input"),
    icon: "discard",
    look: "icon",
    onClick: () => host.post({ type: "clearQueue" }),
  });
  const element = el("div", "queue", {}, [list, takeBack.element]);
  element.hidden = true;
  let queues: Record<QueueName, readonly string[]> = { steering: [], followUp: [] };
  let chips: PanelUi["queueChips"];
  const rewrite = createQueueRewrite(list, {
    changed(place, text) {
      post({ op: "replace", ...place, text }, { ...place, action: "edit" }, t("Changed"));
      draw();
    },
    left(place) {
      focusNext = { ...place, action: "edit" };
      draw();
      if (element.hidden) focusComposer();
    },
  });
  /** The button that gets the focus when the queue has changed by a click here. */
  let focusNext: QueueFocus | undefined;

  function post(edit: QueueEdit, next: QueueFocus, told: string): void {
    focusNext = next;
    host.post({ type: "editQueue", edit });
    say(told);
  }
  function rowsOf(queue: QueueName): HTMLElement[] {
    const labels = queues[queue];
    return labels.map((label, index) => {
      const place = { queue, index, label };
      const options = { place, size: labels.length, chips: chips?.[queue][index] ?? [], post, edit: rewrite.begin };
      return rewrite.rowAt(place) ?? queueRow(options);
    });
  }
  function draw(): void {
    rewrite.follow(queues);
    const rows = rewrite.withRow([...rowsOf("steering"), ...rowsOf("followUp")]);
    element.hidden = rows.length === 0;
    putRows(list, rows, rewrite.row());
    // The queue is empty for a moment while the host sends it again.
    if (focusNext !== undefined && !rewrite.row() && focusButton(list, focusNext)) focusNext = undefined;
  }
  return {
    element,
    show({ steering, followUp, queueChips }) {
      const isSame = JSON.stringify({ steering, followUp }) === JSON.stringify(queues);
      if (isSame && JSON.stringify(queueChips) === JSON.stringify(chips)) return;
      const hadFocus = list.contains(document.activeElement);
      queues = { steering, followUp };
      chips = queueChips;
      draw();
      if (hadFocus && !list.contains(document.activeElement) && focusNext === undefined) focusComposer();
    },
  };
}

/** @param kept a row that is not moved, since that would take the keyboard out of it. */
function putRows(list: HTMLElement, rows: readonly HTMLElement[], kept: HTMLElement | undefined): void {
  for (const child of [...list.children]) if (child !== kept) child.remove();
  const at = kept === undefined ? -1 : rows.indexOf(kept);
  list.prepend(...rows.slice(0, Math.max(0, at)));
  list.append(...rows.slice(at + 1));
}
