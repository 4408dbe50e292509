import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import { createButton, icon } from "../common/controls.ts";
import { el, setText } from "../common/dom.ts";

/** The line above the composer that counts the comments on lines, with buttons that send or discard them. */
export function createLineComments(host: Host) {
  const send = createButton({
    label: t("Send"),
    look: "secondary",
    onClick: () => host.post({ type: "command", command: "tiller.sendLineComments" }),
  });
  send.element.title = t("Send the comments to the agent in one message");
  const discard = createButton({
    label: t("Discard"),
    look: "secondary",
    onClick: () => host.post({ type: "command", command: "tiller.discardLineComments" }),
  });
  const words = el("span", "banner-text");
  const element = el("div", "banner line-comments", { hidden: "" }, [
    icon("comment"),
    words,
    send.element,
    discard.element,
  ]);
  return {
    element,
    show(count = 0): void {
      element.hidden = count === 0;
      setText(words, count === 1 ? t("1 comment on a line") : t("{0} comments on lines", count));
    },
  };
}
