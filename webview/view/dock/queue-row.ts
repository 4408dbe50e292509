import { t } from "../../l10n.ts";
import type { QueueEdit } from "../../protocol/ui.ts";
import { createTextBox, icon, type TextBox } from "../common/controls.ts";
import { el, isComposing } from "../common/dom.ts";

export type QueueName = QueueEdit["queue"];
/** The place of a queued message. */
export type QueuePlace = Pick<QueueEdit, "queue" | "index" | "label">;
/** The button that gets the keyboard when the queue has changed. */
export type QueueFocus = { readonly queue: QueueName; readonly index: number; readonly action: string };

interface QueueRowOptions {
  place: QueuePlace;
  /** The number of messages in the same queue. */
  size: number;
  /** The names of its attachments. */
  chips: readonly string[];
  post(edit: QueueEdit, next: QueueFocus, told: string): void;
  edit(place: QueuePlace): void;
}

/** A message that waits, with what can be done to it. */
export function queueRow({ place, size, chips, post, edit }: QueueRowOptions): HTMLElement {
  const { queue, index, label } = place;
  const { kind, heading, short, switchTo, icon: switchIcon } = wordQueue(queue);
  const at = (action: string, next: number) => ({ queue, index: next, action });
  const move = (by: -1 | 1, name: string) => () =>
    post({ op: "move", ...place, by }, at(name, index + by), by < 0 ? t("Moved up") : t("Moved down"));
  const other = queue === "steering" ? "followUp" : "steering";
  const buttons = [
    action("edit", "edit", t("Edit"), () => edit(place)),
    // One that waits alone has nowhere to go, and its name has the room.
    ...(size < 2
      ? []
      : [
          action("up", "chevron-up", t("Move Up"), index > 0 && move(-1, "up")),
          action("down", "chevron-down", t("Move Down"), index < size - 1 && move(1, "down")),
        ]),
    action("switch", switchIcon, switchTo, () =>
      post({ op: "switch", ...place }, { queue: other, index: Number.MAX_SAFE_INTEGER, action: "switch" }, switchTo),
    ),
    action("remove", "close", t("Remove"), () => post({ op: "remove", ...place }, at("remove", index), t("Removed"))),
  ];
  const tools = el("span", "chip-tools", { role: "group", "aria-label": `${kind}: ${label.slice(0, 80)}` }, buttons);
  return el("li", "chip", { title: label, "data-queue": queue }, [
    el("div", "chip-head", {}, [el("span", "chip-kind", { title: heading }, [short]), tools]),
    el("span", "chip-text", {}, [label]),
    ...chipNames(chips),
  ]);
}

/** A message that is being rewritten, in place of the row `replaced`. @param finish gets its text, or nothing when it stays as it was. */
export function editLine(
  label: string,
  replaced: Element | undefined,
  finish: (text: string | undefined) => void,
): { readonly row: HTMLElement; readonly box: TextBox } {
  const holder = el("div", "queue-edit");
  const row = el("li", "chip is-editing", {}, [holder]);
  replaced?.replaceWith(row);
  const box = createTextBox({
    label: t("Queued message, press Enter to save or Escape to cancel"),
    placeholder: "",
    value: label,
    parent: holder,
    maxHeight: "20vh",
  });
  box.element.addEventListener("keydown", (event) => {
    if (isComposing(event)) return;
    if (event.key === "Enter" && !event.shiftKey) finish(box.read().trim());
    else if (event.key === "Escape") finish(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { row, box };
}

/** Gives the keyboard to a button of the list, or to the nearest that can be pressed. @returns whether there is one. */
export function focusButton(list: HTMLElement, { queue, index, action: name }: QueueFocus): boolean {
  const rows = [...list.querySelectorAll(`[data-queue="${queue}"]`)];
  const row = rows[index] ?? rows.at(-1);
  // At the end of its way a message cannot be moved on.
  const button = row?.querySelector(`[data-action="${name}"]:enabled`) ?? row?.querySelector("button:enabled");
  if (!(button instanceof HTMLElement)) return false;
  button.focus();
  return true;
}

/** The name of a queue, its description, a short form, and the action that moves a message to the other queue. */
function wordQueue(queue: QueueName): { kind: string; heading: string; short: string; switchTo: string; icon: string } {
  if (queue === "steering") {
    return {
      kind: t("Steering"),
      heading: t("Steering: sends after the current step"),
      short: t("Sends after the current step"),
      switchTo: t("Send When Done"),
      icon: "arrow-down",
    };
  }
  return {
    kind: t("Follow-up"),
    heading: t("Follow-up: sends when the run is done"),
    short: t("Sends when done"),
    switchTo: t("Send After the Current Step"),
    icon: "zap",
  };
}

/** The names of a message's attachments. */
function chipNames(names: readonly string[]): HTMLElement[] {
  if (names.length === 0) return [];
  const rows = names.map((name) => el("li", "chip-small", {}, [el("span", "chip-body", {}, [name])]));
  return [el("ul", "chip-row", { "aria-label": t("Sent with this message") }, rows)];
}

/** @param run what the button does; `false` when it can do nothing. */
function action(name: string, iconName: string, label: string, run: false | (() => void)): HTMLElement {
  const attributes = { type: "button", title: label, "aria-label": label, "data-action": name };
  const button = el("button", "chip-tool", attributes, [icon(iconName)]);
  button.disabled = run === false;
  if (run !== false) button.addEventListener("click", run);
  return button;
}
