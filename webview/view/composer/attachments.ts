import { t } from "../../l10n.ts";
import type { ContextAttachment } from "../../protocol/context.ts";
import { type Attachment, expandMarks, MAX_ATTACHMENTS, type PastedText } from "../../protocol/draft.ts";
import type { PanelUi } from "../../protocol/ui.ts";
import type { TextBox } from "../common/controls.ts";
import { attachmentName } from "./attachment-chips.ts";
import { type AttachmentList, type AttachmentListOptions, createAttachmentList } from "./attachment-list.ts";
import { createAttachmentRow } from "./attachment-row.ts";
import { type ContextPreview, createContextPreview } from "./context-preview.ts";
import { createImageReader } from "./image-reader.ts";
import { isBig, lines, pastedText, wordLines } from "./pasted-text.ts";

/** The maximum size of an image until the host sends its limit, in bytes. */
const DEFAULT_MAX_IMAGE_BYTES = 3_500_000;

/** The attachments of the next message, as a row of chips. */
export interface Attachments
  extends Pick<AttachmentList, "all" | "images" | "contexts" | "change" | "addContexts" | "take"> {
  readonly element: HTMLElement;
  readonly preview: Pick<ContextPreview, "element" | "toggle" | "take">;
  /** The text with what was pasted in place of its marks. @param except what stays a mark. */
  expand(text: string, except?: readonly PastedText[]): string;
  /** The pasted texts whose marks are in the message. */
  pasted(): readonly PastedText[];
  /** The message has been sent. */
  clear(): void;
  show(ui: PanelUi): void;
  /** The text has changed: a pasted text shows its chip while its mark is in the text. */
  refresh(): void;
  /** Reads images and adds them. */
  addFiles(files: readonly File[]): void;
  /** The reading that is under way, if any. */
  reading(): Promise<unknown> | undefined;
}

interface AttachmentsOptions extends AttachmentListOptions {
  /** The editor's suggestion, which can be expanded too. */
  suggested(): readonly ContextAttachment[];
  say(text: string): void;
}

/** Makes the row, and takes what is pasted into the box. */
export function createAttachments(options: AttachmentsOptions): Attachments {
  const { box, host, suggested, say } = options;
  let ui: PanelUi | undefined;
  let problem = "";
  const list = createAttachmentList(options, refresh);
  const preview = createContextPreview({ host, say, focusComposer: box.focus, changed: replaceChip });
  const row = createAttachmentRow({ ...createActions(options, list), preview: preview.toggle });
  const images = createImageReader({
    maxBytes: () => ui?.maxImageBytes ?? DEFAULT_MAX_IMAGE_BYTES,
    count: () => list.images().length,
    add(image) {
      list.change([...list.all(), image]);
      say(t("{0} attached", image.name));
    },
    started() {
      problem = "";
    },
    refused(reason) {
      problem = reason;
      refresh();
      say(reason);
    },
  });
  takePastes({ box, list, addFiles: images.read, say });

  function refresh(): void {
    preview.keepOnly([...list.contexts(), ...suggested()]);
    const isBlind = ui?.acceptsImages === false && list.images().length > 0;
    row.show(list.visible(), [
      isBlind ? t("{0} doesn't support images.", ui?.modelLabel || t("The model")) : "",
      problem,
    ]);
  }
  function replaceChip(chip: ContextAttachment): void {
    if (!list.all().some(({ id }) => id === chip.id)) return; // what is only offered has no chip of its own
    row.forget();
    list.change(list.all().map((one) => (one.id === chip.id ? chip : one)));
  }
  function clear(): void {
    problem = "";
    if (list.all().length > 0) list.change([]);
    refresh();
  }
  function show(next: PanelUi): void {
    ui = next;
    refresh();
  }
  refresh();
  const expand: Attachments["expand"] = (text, except = []) =>
    expandMarks(
      text,
      list.all().filter((one) => one.kind !== "text" || !except.includes(one)),
    );
  const pasted = () => list.all().flatMap((one) => (one.kind === "text" && box.read().includes(one.mark) ? [one] : []));
  const { read: addFiles, underWay: reading } = images;
  return { ...list, element: row.element, preview, refresh, clear, show, expand, pasted, addFiles, reading };
}

/** Actions on a chip, except expanding it. */
function createActions({ box, draftText, say }: AttachmentsOptions, list: AttachmentList) {
  function without(id: string): void {
    list.change(list.all().filter((one) => one.id !== id));
    box.focus();
  }
  return {
    remove(one: Attachment): void {
      if (one.kind === "text") box.write(draftText().replace(one.mark, () => ""));
      if (one.kind === "context" && one.mark !== "") box.write(withoutMark(box.read(), one.mark));
      without(one.id);
      say(t("{0} removed", attachmentName(one)));
    },
    unfold(pasted: PastedText): void {
      box.write(draftText().replace(pasted.mark, () => pasted.text));
      without(pasted.id);
    },
  };
}

/** The blank that came with a mark goes with it. */
function withoutMark(text: string, mark: string): string {
  const at = text.indexOf(mark);
  if (at === -1) return text;
  const end = at + mark.length;
  return text.slice(0, at) + text.slice(text[end] === " " ? end + 1 : end);
}

interface PasteOptions {
  box: TextBox;
  list: AttachmentList;
  addFiles(files: readonly File[]): void;
  say(text: string): void;
}

/** Takes what is pasted into the box: images are attached, much text becomes a chip with a mark where the caret is. */
function takePastes({ box, list, addFiles, say }: PasteOptions): void {
  function fold(text: string): void {
    const pasted = pastedText(text, list.all(), t("Pasted text"));
    box.insert(pasted.mark);
    list.change([...list.all(), pasted]);
    say(t("{0} collapsed, {1}", t("Pasted text"), wordLines(lines(text))));
  }
  box.element.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const files = [...(event.clipboardData?.files ?? [])];
    // Programs that copy a table offer an image of it too.
    if (text === "" && files.length > 0) addFiles(files);
    else if (isBig(text) && list.all().length < 2 * MAX_ATTACHMENTS) fold(text);
    else return;
    event.preventDefault();
  });
}
