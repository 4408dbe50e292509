import { t } from "../../l10n.ts";
import { MAX_ATTACHMENTS } from "../../protocol/draft.ts";
import type { TextBox } from "../common/controls.ts";
import type { AttachmentList } from "./attachment-list.ts";
import { isBig, lines, pastedText, wordLines } from "./pasted-text.ts";

interface PasteOptions {
  box: TextBox;
  list: AttachmentList;
  addFiles(files: readonly File[]): void;
  say(text: string): void;
}

/** Takes what is pasted into the box: images are attached, much text becomes a chip with a mark where the caret is. */
export function takePastes({ box, list, addFiles, say }: PasteOptions): void {
  function fold(text: string): void {
    const pasted = pastedText(text, list.all(), t("Pasted text"));
    box.insert(pasted.mark);
    list.change([...list.all(), pasted]);
    say(t("{0} folded, {1}", t("Pasted text"), wordLines(lines(text))));
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
