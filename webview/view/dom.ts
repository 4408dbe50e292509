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

/** The key code of a key that an input method is still busy with. */
const IME_KEY_CODE = 229;

/** Whether a key belongs to an input method that is still at work. */
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
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1).replace(/\.0$/, "")} s`;
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `812`, `1.2k` or `1.5M`. */
export function count(value: number): string {
  if (value < 1_000) return String(value);
  const [scaled, unit] = value < 999_500 ? [value / 1_000, "k"] : [value / 1_000_000, "M"];
  return `${scaled < 10 ? scaled.toFixed(1).replace(/\.0$/, "") : Math.round(scaled)}${unit}`;
}
