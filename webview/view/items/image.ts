import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import type { PanelImage } from "../../protocol/items.ts";
import { icon } from "../common/controls.ts";
import { el } from "../common/dom.ts";

/** An image of the conversation: a click opens it in the editor, a button saves it. @param index its place among the item's images. */
export function imageFrame(image: PanelImage, place: { host: Host; id: string; index: number }): HTMLElement {
  const { host, id, index } = place;
  const open = el(
    "button",
    "image-open",
    { type: "button", title: t("Open Image"), "aria-label": t("Open {0}", image.alt) },
    [el("img", "image", { src: image.src, alt: image.alt })],
  );
  const save = el(
    "button",
    "image-save",
    { type: "button", title: t("Save Image"), "aria-label": t("Save {0}", image.alt) },
    [icon("save")],
  );
  open.addEventListener("click", () => host.post({ type: "image", action: "open", id, index }));
  save.addEventListener("click", () => host.post({ type: "image", action: "save", id, index }));
  return el("div", "image-frame", {}, [open, save]);
}
