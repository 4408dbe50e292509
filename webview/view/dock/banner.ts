import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import type { PanelUi } from "../../protocol/ui.ts";
import { icon } from "../common/controls.ts";
import { el } from "../common/dom.ts";
import { plainIconButton } from "../common/plain-buttons.ts";
import { commandButton } from "../items/rows.ts";

/** The line above the composer about the set-up. */
export interface Banner {
  readonly element: HTMLElement;
  show(ui: Pick<PanelUi, "banner" | "modelLabel">): void;
}

/** A banner that the user has hidden comes back after there was none while a model was known. */
export function createBanner(host: Host): Banner {
  const element = el("div", "banner");
  let drawn: string | undefined;

  function draw(banner: PanelUi["banner"]): void {
    element.hidden = banner === undefined || (banner.canDismiss === true && host.kept().isBannerHidden);
    const key = JSON.stringify(banner);
    if (key === drawn) return;
    drawn = key;
    const button = banner?.action && commandButton(banner.action, { host });
    element.replaceChildren(icon("info"), el("span", "banner-text", {}, [banner?.text ?? ""]), button ?? "");
    if (banner?.canDismiss === true) element.append(closeButton(() => draw(banner)));
  }
  function closeButton(hidden: () => void): HTMLElement {
    return plainIconButton({
      label: t("Dismiss"),
      icon: "close",
      onClick() {
        host.keep({ isBannerHidden: true });
        hidden();
      },
    });
  }
  return {
    element,
    show({ banner, modelLabel }) {
      if (banner === undefined && modelLabel !== "" && host.kept().isBannerHidden) host.keep({ isBannerHidden: false });
      draw(banner);
    },
  };
}
