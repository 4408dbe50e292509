import { t } from "../../l10n.ts";
import type { AgentStatus } from "../../protocol/ui.ts";
import { createButton } from "../common/controls.ts";
import { el } from "../common/dom.ts";

/** The buttons of the composer. */
export interface ComposerButtons {
  readonly element: HTMLElement;
  /** @param isEmpty whether there is nothing to be sent. */
  show(status: AgentStatus | undefined, isEmpty: boolean): void;
}

interface ComposerButtonsOptions {
  send(): void;
  stop(): void;
  editInEditor(): void;
}

/** Makes the buttons. While the agent is at work, Send is there as soon as there is something to be sent. */
export function createComposerButtons({ send, stop, editInEditor }: ComposerButtonsOptions): ComposerButtons {
  const sendButton = createButton({ label: t("Send"), icon: "send", look: "icon", onClick: send });
  const stopButton = createButton({ label: t("Stop"), icon: "debug-stop", look: "icon", onClick: stop });
  const editorButton = createButton({
    label: t("Edit in Editor"),
    icon: "go-to-file",
    look: "icon",
    onClick: editInEditor,
  });
  const stopping = el("span", "stopping", {}, [t("Stopping…")]);
  const row = [editorButton.element, stopping, stopButton.element, sendButton.element];
  return {
    element: el("div", "composer-buttons", {}, row),
    show(status, isEmpty) {
      stopping.hidden = status !== "stopping";
      stopButton.element.hidden = status !== "running";
      sendButton.element.hidden = isEmpty && isBusy(status);
      sendButton.setDisabled(isEmpty);
    },
  };
}

/** True if the agent is at work. */
export function isBusy(status: AgentStatus | undefined): boolean {
  return status === "running" || status === "stopping";
}
