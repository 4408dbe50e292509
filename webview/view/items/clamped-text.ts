import { t } from "../../l10n.ts";
import { el, setText } from "../common/dom.ts";

/** A text that is longer than this, or has more lines, is cut. UTF-16 units. */
const MAX_CHARS = 1_000;
const MAX_LINES = 12;
/** The length of a cut text, so that the button is worth a click. */
const KEPT_CHARS = 700;
const KEPT_LINES = 8;

/** A text of which the beginning is shown when it is long, until the user wants more. */
export interface ClampedText {
  readonly element: HTMLElement;
  show(text: string): void;
  /** The part that is not shown. */
  hiddenText(): string;
  /** Shows all. */
  reveal(): void;
}

/** Makes the text. @param className of the element with the text itself. */
export function createClampedText(className: string): ClampedText {
  const body = el("div", className, { dir: "auto" });
  const more = el("button", "show-more", { type: "button", "aria-expanded": "false" });
  const element = el("div", "clamped", {}, [body, more]);
  let whole = "";
  let isOpen = false;
  function draw(): void {
    const kept = beginning(whole);
    const isLong = kept.length < whole.length;
    setText(body, isOpen || !isLong ? whole : `${kept}…`);
    more.hidden = !isLong;
    more.setAttribute("aria-expanded", String(isOpen));
    setText(more, isOpen ? t("Show Less") : t("Show More"));
  }
  function open(next: boolean): void {
    isOpen = next;
    draw();
  }
  more.addEventListener("click", () => open(!isOpen));
  return {
    element,
    show(text) {
      whole = text;
      element.hidden = text === "";
      draw();
    },
    hiddenText: () => (isOpen ? "" : whole.slice(beginning(whole).length)),
    reveal: () => open(true),
  };
}

/** Returns the text, or its beginning when it is long. */
function beginning(text: string): string {
  const lines = text.split("\n", MAX_LINES + 1);
  if (text.length <= MAX_CHARS && lines.length <= MAX_LINES) return text;
  const kept = lines.slice(0, KEPT_LINES).join("\n").slice(0, KEPT_CHARS);
  return kept.replace(/[\ud800-\udbff]$/, "").trimEnd(); // never half a character
}
