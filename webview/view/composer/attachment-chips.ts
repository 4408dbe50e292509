import { formatBytes, t } from "../../l10n.ts";
import type { ContextAttachment } from "../../protocol/context.ts";
import type { Attachment, ImageAttachment, PastedText } from "../../protocol/draft.ts";
import { contextIcon } from "../common/context-face.ts";
import { chip } from "./chips.ts";
import { lines, wordLines } from "./pasted-text.ts";

/** Actions on the chips of a message. */
export interface ChipActions {
  /** Puts a pasted text into the message. */
  unfold(pasted: PastedText): void;
  /** Shows what a chip will send. */
  preview(context: ContextAttachment): void;
  remove(one: Attachment): void;
}

/** A chip for something that belongs to the next message. */
export function attachmentChip(one: Attachment, actions: ChipActions): HTMLElement {
  const cross = { label: t("Remove {0}", attachmentName(one)), run: () => actions.remove(one) };
  switch (one.kind) {
    case "image":
      return imageChip(one, cross);
    case "text":
      return chip({
        label: attachmentName(one),
        detail: wordLines(lines(one.text)),
        title: one.text.slice(0, 500),
        face: { icon: "note" },
        open: { label: t("Insert into message"), run: () => actions.unfold(one) },
        remove: cross,
      });
    case "context":
      return chip({
        label: one.label,
        detail: one.fixed === undefined ? one.detail : t("{0}, kept as shown", one.detail),
        title: one.note,
        face: { icon: contextIcon(one) },
        open: { label: t("Show what will be sent"), run: () => actions.preview(one) },
        remove: cross,
      });
  }
}

/** Returns the name of an attachment. */
export function attachmentName(one: Attachment): string {
  if (one.kind === "context") return one.label;
  return one.kind === "image" ? one.name : (/^\[(.+?):/.exec(one.mark)?.[1] ?? t("Pasted text"));
}

function imageChip(image: ImageAttachment, remove: { label: string; run(): void }): HTMLElement {
  const { name, mimeType, data, note } = image;
  const detail = [formatBytes(bytesIn(data)), note].filter(Boolean).join(", ");
  const src = `data:${mimeType};base64,${data}`;
  return chip({ label: name, detail, title: `${name}, ${detail}`, face: { src }, remove });
}

/** Returns the number of bytes that base64 encodes. */
function bytesIn(base64: string): number {
  return Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
}
