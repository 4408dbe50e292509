import { icon } from "./controls.ts";
import { el } from "./dom.ts";

/**
 * A button that looks like the toolkit's secondary one, for places where there may be thousands: it weighs a thirtieth of an element of the
 * toolkit.
 */
export function plainButton(options: { label: string; onClick(): void }): HTMLButtonElement {
  const button = el("button", "plain-button", { type: "button" }, [options.label]);
  button.addEventListener("click", () => options.onClick());
  return button;
}

/** A button of one icon, for the same places; `label` is its name and hint. @param options.icon name of a codicon. */
export function plainIconButton(options: { label: string; icon: string; onClick(): void }): HTMLButtonElement {
  const attributes = { type: "button", title: options.label, "aria-label": options.label };
  const button = el("button", "plain-icon-button", attributes, [icon(options.icon)]);
  button.addEventListener("click", () => options.onClick());
  return button;
}
