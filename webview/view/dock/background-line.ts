import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import { createButton, icon } from "../common/controls.ts";
import { el, setText } from "../common/dom.ts";

/** The line above the composer that says how many processes run in the background, with a button that stops them. */
export function createBackgroundLine(host: Host) {
  const stop = createButton({
    label: t("Stop"),
    look: "secondary",
    onClick: () => host.post({ type: "stopBackground" }),
  });
  stop.element.title = t("Stop Background Commands");
  const words = el("span", "banner-text");
  const element = el("div", "banner background-line", { hidden: "" }, [icon("server-process"), words, stop.element]);
  return {
    element,
    /** @param commands the command lines of the processes, which the line shows when one points at it. */
    show(commands: readonly string[] = []): void {
      element.hidden = commands.length === 0;
      const { length } = commands;
      setText(words, length === 1 ? t("1 running in the background") : t("{0} running in the background", length));
      words.title = commands.join("\n");
    },
  };
}
