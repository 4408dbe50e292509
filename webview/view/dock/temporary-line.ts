import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import { createButton, icon } from "../common/controls.ts";
import { el } from "../common/dom.ts";

/** The line over the composer of a chat of which nothing is saved, with a button that changes that. */
export function temporaryLine(host: Host): HTMLElement {
  const keep = createButton({
    label: t("Keep"),
    look: "secondary",
    onClick: () => host.post({ type: "command", command: "tiller.keepSession" }),
  });
  keep.element.title = t("Save this chat as a session");
  const words = el("span", "banner-text", {}, [t("Temporary chat: nothing of it is saved.")]);
  return el("div", "banner temporary", {}, [icon("history"), words, keep.element]);
}
