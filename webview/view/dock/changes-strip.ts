import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import type { PanelUi } from "../../protocol/ui.ts";
import { icon } from "../common/controls.ts";
import { el, setText } from "../common/dom.ts";
import { plainButton } from "../common/plain-buttons.ts";

type StripCommand = "tiller.reviewChanges" | "tiller.keepAllChanges" | "tiller.undoAllChanges";

/** Makes the line above the composer that counts the changes to be reviewed, with buttons that review, keep, and undo them. */
export function createChangesStrip(host: Host) {
  const words = el("span", "changes-words");
  const added = el("span", "count-added");
  const removed = el("span", "count-removed");
  const button = (label: string, command: StripCommand) =>
    plainButton({ label, onClick: () => host.post({ type: "command", command }) });
  const buttons = el("span", "changes-buttons", {}, [
    button(t("Review"), "tiller.reviewChanges"),
    button(t("Keep All"), "tiller.keepAllChanges"),
    button(t("Undo All"), "tiller.undoAllChanges"),
  ]);
  const counts = el("span", "changes-counts", {}, [added, " ", removed]);
  const element = el("section", "changes-strip", { hidden: "", "aria-label": t("Changes to review") }, [
    el("span", "changes-facts", {}, [icon("git-compare"), words, counts]),
    buttons,
  ]);
  return {
    element,
    show(changes: PanelUi["changes"]): void {
      element.hidden = changes === undefined;
      if (changes === undefined) return;
      const { files } = changes;
      setText(words, files === 1 ? t("1 file changed") : t("{0} files changed", files));
      setText(added, `+${changes.added}`);
      setText(removed, `−${changes.removed}`);
      counts.hidden = changes.added + changes.removed === 0;
    },
  };
}
