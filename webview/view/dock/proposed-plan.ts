import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import { icon } from "../common/controls.ts";
import { el, setText } from "../common/dom.ts";
import { commandButton } from "../items/rows.ts";

/** The line above the composer about a plan that waits for the user's decision. */
export interface ProposedPlanView {
  readonly element: HTMLElement;
  /** @param title of the plan; undefined when none is proposed. */
  show(title: string | undefined): void;
}

/** @param say speaks to screen readers. */
export function createProposedPlan(host: Host, say: (text: string) => void): ProposedPlanView {
  const words = el("span", "banner-text");
  const buttons = [
    commandButton({ label: t("Start…"), command: "tiller.startPlan" }, { host }, "primary"),
    commandButton({ label: t("Change…"), command: "tiller.changePlan" }, { host }),
    commandButton({ label: t("Discard"), command: "tiller.discardPlan" }, { host }),
  ];
  const element = el("section", "banner proposed-plan", { "aria-label": t("Proposed plan") }, [
    icon("tasklist"),
    words,
    el(
      "div",
      "proposed-plan-actions",
      {},
      buttons.flatMap((button) => button ?? []),
    ),
  ]);
  let shown: string | undefined;
  element.hidden = true;
  return {
    element,
    show(title) {
      if (title === shown) return;
      shown = title;
      element.hidden = title === undefined;
      if (title === undefined) return;
      const text = t("Plan ready: {0}", title);
      setText(words, text);
      say(text);
    },
  };
}
