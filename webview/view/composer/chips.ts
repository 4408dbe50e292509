import { icon } from "../common/controls.ts";
import { el } from "../common/dom.ts";

/** The content and actions of a chip. */
export interface ChipOptions {
  /** Its name, also for screen readers. */
  readonly label: string;
  /** More words for the eye and the ear, such as a size. */
  readonly detail: string;
  readonly title: string;
  /** Name of a codicon, or an address of a small image. */
  readonly face: { readonly icon: string } | { readonly src: string };
  /** The action of a click, and its label. */
  readonly open?: { readonly label: string; run(): void } | undefined;
  readonly remove: { readonly label: string; run(): void };
}

/** A small thing that belongs to the next message: a press opens it, a cross takes it away. */
export function chip({ label, detail, title, face, open, remove }: ChipOptions): HTMLElement {
  const mark = "icon" in face ? icon(face.icon) : el("img", "chip-thumb", { src: face.src, alt: "" });
  const words = [el("span", "chip-name", {}, [label]), " ", el("span", "chip-detail", {}, [detail])];
  const attributes = { type: "button", title, "aria-description": open?.label };
  const body =
    open === undefined
      ? el("span", "chip-body", { title }, [mark, ...words])
      : el("button", "chip-body", attributes, [mark, ...words]);
  if (open !== undefined) body.addEventListener("click", open.run);
  const cross = el("button", "chip-remove", { type: "button", title: remove.label, "aria-label": remove.label }, [
    icon("close"),
  ]);
  cross.addEventListener("click", remove.run);
  return el("li", "chip-small", {}, [body, cross]);
}
