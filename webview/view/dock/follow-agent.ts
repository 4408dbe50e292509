import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import type { PanelUi } from "../../protocol/ui.ts";
import { icon } from "../common/controls.ts";
import { el } from "../common/dom.ts";

type Follow = NonNullable<PanelUi["follow"]>;

/** The button with which the editor shows what the agent reads and changes. */
export interface FollowButton {
  readonly element: HTMLElement;
  show(ui: Pick<PanelUi, "follow">): void;
}

export function createFollowButton(host: Host): FollowButton {
  const mark = icon("eye");
  const element = el("button", "follow-agent", { type: "button", "aria-label": t("Follow Agent") }, [mark]);
  element.addEventListener("click", () => host.post({ type: "command", command: "tiller.followAgent" }));
  return {
    element,
    show({ follow }) {
      element.hidden = follow === undefined;
      if (follow === undefined) return;
      element.setAttribute("aria-pressed", String(follow !== "off"));
      element.title = hint(follow);
      mark.className = `codicon codicon-${follow === "paused" ? "eye-closed" : "eye"}`;
    },
  };
}

function hint(follow: Follow): string {
  const words: Record<Follow, string> = {
    off: t("Follow the agent: show the files it reads and changes in one tab"),
    on: t("Following the agent: one tab shows the files it reads and changes"),
    paused: t("Following is paused while you work in its tab. It resumes with your next message."),
  };
  return words[follow];
}
