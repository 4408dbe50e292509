import type { PanelUi } from "../../protocol/ui.ts";
import type { TextBox } from "../common/controls.ts";
import { isComposing } from "../common/dom.ts";
import type { ComposerAids } from "./composer-aids.ts";
import { isBusy } from "./composer-buttons.ts";

interface ComposerKeysOptions {
  box: TextBox;
  aids: ComposerAids;
  ui(): PanelUi | undefined;
  send(isOther: boolean): void;
  stop(): void;
}

/** Gives the keys of the box to the first that wants them: what is open over the text, then leaving, stopping and sending. */
export function bindComposerKeys({ box, aids, ui, send, stop }: ComposerKeysOptions): void {
  const { slash, mentions, history, suggestion, edit } = aids;
  box.element.addEventListener("keydown", (event) => {
    if (isComposing(event)) return;
    if (slash.takeKey(event) || mentions.takeKey(event) || history.takeKey(event) || suggestion.takeKey(event)) return;
    if (event.key === "Escape" && edit.current() !== undefined) {
      event.preventDefault();
      edit.leave();
      return;
    }
    const now = ui();
    if (event.key === "Escape" && isBusy(now?.status)) {
      event.preventDefault();
      stop();
    }
    if (event.key !== "Enter" || event.shiftKey) return;
    const isModified = event.ctrlKey || event.metaKey;
    if (now && !now.sendOnEnter && !isModified && !event.altKey) return;
    event.preventDefault();
    send(event.altKey && isBusy(now?.status));
  });
}
