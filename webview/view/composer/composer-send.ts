import type { Host } from "../../host.ts";
import { type Delivery, MAX_ATTACHMENTS, sentPasted } from "../../protocol/draft.ts";
import type { PanelUi } from "../../protocol/ui.ts";
import type { TextBox } from "../common/controls.ts";
import type { ComposerAids } from "./composer-aids.ts";

/** Sends the content of the composer. */
export interface Sender {
  /** True if there is nothing to be sent. */
  isEmpty(): boolean;
  /** Sends the message with all that belongs to it. @param isOther to be read at the other moment than the setting says. */
  send(isOther: boolean): void;
}

interface SenderOptions {
  box: TextBox;
  host: Host;
  aids: ComposerAids;
  ui(): PanelUi | undefined;
  /** The message is on its way, and the composer holds what comes next. */
  onSent(): void;
}

/** Creates the sender. A message that cannot be sent now stays in the composer. */
export function createSender({ box, host, aids, ui, onSent }: SenderOptions): Sender {
  const { attachments, suggestion, edit, history, draft } = aids;
  const isEmpty = () =>
    box.read().trim() === "" && attachments.images().length === 0 && attachments.contexts().length === 0;

  function send(isOther: boolean): void {
    const reading = attachments.reading();
    if (reading !== undefined) {
      // Pasted text belongs to this message.
      void reading.then(() => send(isOther));
      return;
    }
    const now = ui();
    if (isEmpty() || !now || now.status === "untrusted" || now.status === "noFolder" || now.status === "crashed")
      return;
    post(isOther ? otherTime(now.whileRunning) : now.whileRunning);
    if (edit.current() === undefined) {
      box.write("");
      history.leave();
      attachments.clear();
    } else {
      edit.leave();
    }
    draft.flush();
    onSent();
  }
  function post(delivery: Delivery): void {
    const images = attachments.images();
    const editOf = edit.current();
    const others = [...attachments.contexts(), ...suggestion.taken()].slice(0, MAX_ATTACHMENTS);
    const text = box.read();
    // What is run, or read by a command, takes its arguments whole.
    const pasted = /^\s*[!/]/.test(text) ? [] : attachments.pasted().slice(0, MAX_ATTACHMENTS - others.length);
    const contexts = [...pasted.map(sentPasted), ...others];
    host.post({
      type: "prompt",
      text: attachments.expand(text, pasted),
      delivery,
      ...(images.length === 0 ? {} : { images: [...images] }),
      ...(contexts.length === 0 ? {} : { contexts }),
      ...(editOf === undefined ? {} : { editOf }),
    });
  }
  return { isEmpty, send };
}

function otherTime(delivery: Delivery): Delivery {
  return delivery === "steer" ? "followUp" : "steer";
}
