import { t } from "../../l10n.ts";
import type { CommandEffects } from "../../protocol/items.ts";
import { codeRegion, diffRegion } from "../code/code-region.ts";
import { icon } from "../common/controls.ts";
import { el } from "../common/dom.ts";

type Change = CommandEffects["changes"][number];

const ICONS: Record<Change["change"], string> = {
  created: "diff-added",
  changed: "diff-modified",
  deleted: "diff-removed",
};
/** A command that changes no more files than these shows their lines at once. */
const MAX_OPEN = 2;

/** What a command did in a preview: its end, each change, and what it printed. */
export function commandEffects({ summary, output, changes, more, problem }: CommandEffects): HTMLElement {
  return el("div", "effects", { role: "group", "aria-label": t("Preview") }, [
    el("div", "effects-summary", {}, [summary]),
    ...(problem === undefined
      ? []
      : [el("div", "effects-problem", {}, [icon("warning"), el("span", "", {}, [problem])])]),
    ...changes.map((change) => changeLine(change, changes.length <= MAX_OPEN)),
    ...(more > 0 ? [el("div", "effects-more", {}, [t("and {0} more", more)])] : []),
    ...(output === "" ? [] : [el("div", "approval-code", {}, [codeRegion(t("Output"), output, undefined)])]),
  ]);
}

function changeLine({ change, path, detail, diff }: Change, isOpen: boolean): HTMLElement {
  const words = { created: t("Created"), changed: t("Changed"), deleted: t("Deleted") };
  const head = [
    icon(ICONS[change]),
    el("span", "visually-hidden", {}, [`${words[change]} `]),
    el("code", "", { dir: "auto" }, [path]),
    el("span", "effects-detail", {}, [detail]),
  ];
  if (diff === "") return el("div", `effects-change is-${change}`, {}, head);
  const details = el("details", `effects-change is-${change}`, {}, [
    el("summary", "", {}, head),
    el("div", "approval-code", {}, [diffRegion(diff, [], path)]),
  ]);
  if (isOpen) details.setAttribute("open", "");
  return details;
}
