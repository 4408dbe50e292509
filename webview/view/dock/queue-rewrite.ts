import type { TextBox } from "../common/controls.ts";
import { editLine, type QueueName, type QueuePlace } from "./queue-row.ts";

/** The queued message that is being rewritten, if any. */
export interface QueueRewrite {
  /** Its row. */
  row(): HTMLElement | undefined;
  /** Its row, when it waits there. */
  rowAt(place: QueuePlace): HTMLElement | undefined;
  /** `rows` with its row, at the end when it is not among them. */
  withRow(rows: readonly HTMLElement[]): HTMLElement[];
  /** Puts a box in place of a message; one that was open stays as it was. */
  begin(place: QueuePlace): void;
  /** The queues have changed. */
  follow(queues: Record<QueueName, readonly string[]>): void;
}

interface QueueRewriteOptions {
  /** The message has another text. */
  changed(place: QueuePlace, text: string): void;
  /** The message stays as it was. */
  left(place: QueuePlace): void;
}

/** Rewrites messages in place, one at a time. @param list holds the rows. */
export function createQueueRewrite(list: HTMLElement, { changed, left }: QueueRewriteOptions): QueueRewrite {
  let editing: { readonly place: QueuePlace; readonly box: TextBox; readonly row: HTMLElement } | undefined;

  /** @param text what the message becomes; undefined leaves it as it is. */
  function finish(text: string | undefined): void {
    if (!editing) return;
    const { place } = editing;
    editing = undefined;
    if (text === undefined || text === "" || text === place.label) left(place);
    else changed(place, text);
  }
  return {
    row: () => editing?.row,
    rowAt: (place) => (editing && isSamePlace(editing.place, place) ? editing.row : undefined),
    // It stays even when it is read meanwhile: what was typed is not lost.
    withRow: (rows) => (editing && !rows.includes(editing.row) ? [...rows, editing.row] : [...rows]),
    begin(place) {
      finish(undefined);
      const line = editLine(place.label, list.querySelectorAll(`[data-queue="${place.queue}"]`)[place.index], finish);
      editing = { place, ...line };
      line.box.focus();
    },
    follow(queues) {
      if (editing) editing = { ...editing, place: placeToday(editing.place, queues) };
    },
  };
}

function isSamePlace(one: QueuePlace, other: QueuePlace): boolean {
  return one.queue === other.queue && one.index === other.index && one.label === other.label;
}

/** Returns the current place of a message: messages before it may have been read. */
function placeToday(place: QueuePlace, queues: Record<QueueName, readonly string[]>): QueuePlace {
  const own = queues[place.queue];
  if (own[place.index] === place.label) return place;
  const index = own.slice(0, place.index).lastIndexOf(place.label);
  return index === -1 ? place : { ...place, index };
}
