import { formatShort, t } from "../../l10n.ts";

/** Makes an element with a class, attributes and children. Attributes that are `undefined` are left out. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  attributes: Record<string, string | undefined> = {},
  children: (Node | string)[] = [],
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (className !== "") element.className = className;
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Writes text only where it differs, so that nothing is laid out, selected or announced anew. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Stands in a text for what is no text. */
export const GAP = "\uFFFC";

/** A text with an element in the place of its gap. */
export function fillGap(text: string, element: HTMLElement): (Node | string)[] {
  const [before = "", after = ""] = text.split(GAP, 2);
  return [before, element, after];
}

/** The key code of a key that an input method is still busy with. */
const IME_KEY_CODE = 229;

/** True if a key belongs to an input method that is still at work. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === IME_KEY_CODE;
}

/** Jobs that wait for the next frame; each is done once however often it was asked for. */
export interface Frame {
  request(job: () => void): void;
}

export function createFrame(): Frame {
  const jobs = new Set<() => void>();
  let isRequested = false;
  function run(): void {
    isRequested = false;
    const due = [...jobs];
    jobs.clear();
    for (const job of due) job();
  }
  return {
    request(job) {
      jobs.add(job);
      if (isRequested) return;
      isRequested = true;
      requestAnimationFrame(run);
    },
  };
}

/** `12 ms`, `4.2 s` or `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return t("{0}ms", Math.round(ms));
  if (ms < 10_000) return t("{0}s", formatShort(ms / 1_000));
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 ? t("{0}s", seconds) : t("{0}m {1}s", Math.floor(seconds / 60), seconds % 60);
}

/** `812`, `1.2k` or `1.5M`. */
export function count(value: number): string {
  if (value < 1_000) return String(value);
  return value < 999_500 ? t("{0}k", formatShort(value / 1_000)) : t("{0}M", formatShort(value / 1_000_000));
}
