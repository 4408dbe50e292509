/** The time without a key after which a user has stopped to type, in milliseconds. */
const PAUSE_MS = 3_000;

/** The tags of the boxes in which people write. */
const BOXES = ["vscode-text-area", "vscode-text-field", "input", "textarea"];

/**
 * Tells when the user begins and stops to type: a key was pressed in the last seconds, or the keyboard is in a box that is not empty.
 * @returns `sent`, to be called when the message was sent, which ends the typing.
 */
export function watchTyping(tell: (isTyping: boolean) => void): { sent(): void } {
  let wasTyping = false;
  let lastKeyAt = Number.NEGATIVE_INFINITY;
  let timer: number | undefined;

  function update(): void {
    const isTyping = performance.now() - lastKeyAt < PAUSE_MS || isInText();
    if (isTyping === wasTyping) return;
    wasTyping = isTyping;
    tell(isTyping);
  }
  function sawKey({ ctrlKey, altKey, metaKey, key }: KeyboardEvent): void {
    // Keys that move or send are pressed between two thoughts, not within one.
    if (ctrlKey || altKey || metaKey || (key.length > 1 && key !== "Backspace" && key !== "Process")) return;
    lastKeyAt = performance.now();
    window.clearTimeout(timer);
    timer = window.setTimeout(update, PAUSE_MS + 1);
    update();
  }

  document.addEventListener("keydown", sawKey, true);
  document.addEventListener("input", update);
  document.addEventListener("focusin", update);
  document.addEventListener("focusout", () => window.setTimeout(update));
  return {
    sent() {
      lastKeyAt = Number.NEGATIVE_INFINITY;
      update();
    },
  };
}

function isInText(): boolean {
  const box = document.activeElement;
  return box !== null && BOXES.includes(box.localName) && "value" in box && box.value !== "";
}
