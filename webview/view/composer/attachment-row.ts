import { t } from "../../l10n.ts";
import type { Attachment } from "../../protocol/draft.ts";
import { el, setText } from "../common/dom.ts";
import { attachmentChip, type ChipActions } from "./attachment-chips.ts";

/** The chips of the next message, and what is wrong with them. */
export interface AttachmentRow {
  readonly element: HTMLElement;
  /** Draws chips anew only when there are others. @param notes sentences below them. */
  show(chips: readonly Attachment[], notes: readonly string[]): void;
  /** A chip has changed: all are drawn the next time. */
  forget(): void;
}

/** Makes the row; it is hidden while there is nothing in it. */
export function createAttachmentRow(actions: ChipActions): AttachmentRow {
  const list = el("ul", "chip-row", { "aria-label": t("Attachments") });
  const warning = el("div", "attachment-note");
  const element = el("div", "attachments", {}, [list, warning]);
  let shown = "";
  return {
    element,
    show(chips, notes) {
      const key = chips.map(({ id }) => id).join(" ");
      if (key !== shown) list.replaceChildren(...chips.map((one) => attachmentChip(one, actions)));
      shown = key;
      list.hidden = chips.length === 0;
      setText(warning, notes.filter(Boolean).join(" "));
      warning.hidden = warning.textContent === "";
      element.hidden = list.hidden && warning.hidden;
    },
    forget() {
      shown = "";
    },
  };
}
