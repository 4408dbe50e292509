import type { Composer } from "./composer.ts";
import type { Transcript } from "./transcript.ts";

/**
 * The keys that work everywhere on the page: F6 and Shift+F6 go between conversation and composer, Alt+A goes to the first
 * pending question, Escape goes back to the composer.
 */
export function bindPageKeys(page: { root: HTMLElement; transcript: Transcript; composer: Composer }): void {
  page.root.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "F6") {
      event.preventDefault();
      goOn(page, event.shiftKey);
    } else if (event.altKey && event.code === "KeyA" && !event.ctrlKey && !event.metaKey) {
      if (page.transcript.focusPendingQuestion()) event.preventDefault();
    } else if (event.key === "Escape" && !page.composer.hasFocus()) {
      event.preventDefault();
      page.composer.focus();
    }
  });
}

/** The parts in their order: conversation, text box, the buttons below it. */
function goOn(page: { root: HTMLElement; transcript: Transcript; composer: Composer }, isBackwards: boolean): void {
  const stops = [page.transcript.focus, page.composer.focus, () => focusFirst(page.composer.tools)];
  const active = document.activeElement;
  const at = page.transcript.element.contains(active) ? 0 : page.composer.tools.contains(active) ? 2 : 1;
  stops[(at + (isBackwards ? 2 : 1)) % stops.length]?.();
}

function focusFirst(parent: HTMLElement): void {
  const button = parent.querySelector("button:not([hidden]), vscode-button:not([hidden])");
  if (button instanceof HTMLElement) button.focus();
}
